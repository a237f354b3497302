import * as z from 'zod'
import { objectOf } from '../../base/lazy-schema.ts'
import { Extent, FileState, LeftOut } from '../../file/document/schema.ts'
import { Mention, RecordId } from '../schema.ts'

/** The notices that a row can have besides its text: the reason for the row, or the way its turn ended. */
export const Notice = z.enum([
  'cancelled',
  'superseded',
  'expired',
  'archived',
  'deleted',
  'refused',
  'truncated',
  'shortened',
  'summarised',
  'notUsed',
  'undone',
  'demo',
  'unreadable',
])
export type Notice = z.infer<typeof Notice>

/** A picture that a model sees. */
export type ImageBlock = {
  type: 'image'
  mimeType: 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp'
  base64: string
}

/**
 * The outcome of a call. `notKnown`: there is no such tool. `failed`: the call failed for a technical reason.
 * `unknown`: the CMS does not tell whether it made the write.
 */
export const CallOutcome = z.enum([
  'done',
  'notKnown',
  'notPermitted',
  'notValid',
  'refused',
  'missing',
  'denied',
  'notRun',
  'conflict',
  'unknown',
  'failed',
])
export type CallOutcome = z.infer<typeof CallOutcome>

/** The beginning of the text that tells the model why a call was not run. */
export const notRun = 'Not run: '
/** The days for which a proposal waits for its decision. */
export const approvalExpiryDays = 7

/** A record that a row is about; `page` is the uid of its page. */
export const RecordName = objectOf(() => ({
  table: z.string(),
  uid: RecordId,
  title: z.string(),
  page: RecordId.optional(),
  /** The address of the record on the site. If the record is hidden, only its editors can open the address. */
  url: z.url().exactOptional(),
}))
export type RecordName = z.infer<typeof RecordName>

/** A change that could not be reverted, with the reason as its user reads it. */
export const Conflict = z.lazy(() => RecordName.unwrap().extend({ reason: z.string() }))
export type Conflict = z.infer<typeof Conflict>

/**
 * A source that an answer cites after its first `at` characters. It is a record with a field, or a file with page,
 * sheet and row.
 */
export const Source = z.lazy(() =>
  z.union([
    z.object({
      at: z.int().min(0),
      table: z.string(),
      uid: RecordId,
      title: z.string(),
      field: z.string().exactOptional(),
    }),
    z.object({
      at: z.int().min(0),
      fileUid: z.int(),
      name: z.string(),
      page: z.int().exactOptional(),
      sheet: z.string().exactOptional(),
      row: z.int().exactOptional(),
    }),
  ]),
)
export type Source = z.infer<typeof Source>

/**
 * A file of the user that the model got in part or not at all. `state` is the reason, `leftOut` the kinds of content
 * that its text lacks.
 */
export const NotUsed = objectOf(() => ({
  fileUid: z.int(),
  name: z.string(),
  state: FileState,
  leftOut: z.array(LeftOut),
  /** The part of the file that the model got; absent if the text is not cut. */
  part: Extent.optional(),
}))
export type NotUsed = z.infer<typeof NotUsed>

/** A call that the model made; `given` is the model's own id of the call if it was too long to name the call by it. */
export const ToolCall = z.object({
  id: z.string(),
  given: z.string().exactOptional(),
  name: z.string(),
  arguments: z.record(z.string(), z.unknown()),
})
export type ToolCall = z.infer<typeof ToolCall>

/** The author of an entry of the transcript: the user, the model, or a tool. */
export const Role = z.enum(['user', 'assistant', 'tool'])

/** One entry of the transcript, as readers get it. `sequence` is 0-based and dense. */
export const Message = objectOf(() => ({
  sequence: z.int().min(0),
  role: Role,
  content: z.string(),
  createdAt: z.iso.datetime(),
  fileUid: z.int().optional(),
  fileName: z.string().optional(),
  fileMimeType: z.string().optional(),
  /** The pages, records, files and users that a message of the user mentions besides its words. */
  mentions: z.array(Mention).optional(),
  toolCalls: z.array(ToolCall).optional(),
  toolCallId: z.string().optional(),
  toolName: z.string().optional(),
  isError: z.boolean().optional(),
  /** The outcome of the call, on its result. */
  outcome: CallOutcome.optional(),
  /** The records that a call has read or written, or the records that an undo reverted. */
  records: z.array(RecordName).optional(),
  /** The number of read entries or changed fields, if it differs from the number of records. */
  count: z.int().optional(),
  /** The user's decision; only on the result of a call that needed a decision. */
  approved: z.boolean().optional(),
  /** The user's remark on the decision. */
  remark: z.string().optional(),
  /** The fields whose proposed text the user replaced before approving. */
  edited: z.array(z.string()).optional(),
  /** The changes that could not be reverted, on the row about an undo. */
  conflicts: z.array(Conflict).optional(),
  /** References in an answer, such as `31` or `posts:p-4`, that are in no text that the model read. */
  unread: z.array(z.string()).optional(),
  /** The places that an answer cites. */
  sources: z.array(Source).optional(),
  /** Figures and days in an answer, as written there, that are in no text that the model got. */
  unsupported: z.array(z.string()).optional(),
  /** The files that the model got in part or not at all; only on the row that tells the user so. */
  notUsed: z.array(NotUsed).optional(),
  /** The sequence up to which the row summarises the transcript, or could not summarise it. */
  until: z.int().min(0).optional(),
  runId: z.string().optional(),
  notice: Notice.optional(),
}))
export type Message = z.infer<typeof Message>

/**
 * The mark of a single in its id. A batch is one call of the model about many records. It runs as one call for each
 * record, named a single here. A single has its own id, decision, write and result row. So a crash in the middle loses
 * no single.
 */
const mark = /#[0-9]+$/

/** Returns the id of the single at a position of a batch, counted from 0. */
export const singleId = (batch: string, at: number): string => `${batch}#${at}`

/** Returns true for the id of a single; `callId` gives no model call such an id. */
export const isSingle = (id: string): boolean => mark.test(id)

/** Returns the id of the batch to which a single belongs; returns the id of any other call unchanged. */
export const batchOf = (id: string): string => id.replace(mark, '')

/** Returns the position of a single in its batch. */
export const positionOf = (id: string): number => Number(mark.exec(id)?.[0].slice(1) ?? 0)

/** Returns the id of a model's call, changed if it looks like the id of a single. */
export const callId = (id: string): string => id.replace(mark, (end) => `_${end.slice(1)}`)

/** Returns the calls as the model made them: the singles of each batch become one call again. */
export function batches<C extends { id: string }>(calls: readonly C[]): C[] {
  const whole = calls.map((call) => ({ ...call, id: batchOf(call.id) }))
  return [...new Map(whole.map((call) => [call.id, call])).values()]
}
