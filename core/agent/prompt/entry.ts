import type { ImageBlock } from '../../conversation/transcript/schema.ts'
import type { Part, UserBlock } from '../../model/model.ts'

/** A transcript between storage and request: what its rows say to the model, call and result already together. */

/** One turn: all that stands between a message of the user and the next one. */
export type Turn = Entry[]

/** The content of a row, without the fields that only the interface needs. */
export type Entry =
  | { kind: 'user'; blocks: UserBlock[]; text: string; attachmentTokens: number; sequence: number }
  | { kind: 'note'; text: string }
  | { kind: 'assistant'; text: string; calls: Call[]; parts?: Part[] }

/** A call with its result; the id is unique within the request. */
export type Call = {
  id: string
  name: string
  arguments: Record<string, unknown>
  result: { text: string; isError: boolean; images?: ImageBlock[] }
  /** True if the user decided on it, or answered it. */
  isDecided?: boolean
}
