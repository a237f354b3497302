import type { CallOutcome, ImageBlock, Message, RecordName } from './schema.ts'

/** The result of a call. The text is only for the model; the other fields are for readers. */
export type CallResult = {
  text: string
  isError: boolean
  outcome: CallOutcome
  records?: RecordName[]
  count?: number
  remark?: string
  edited?: string[]
  approved?: boolean
  /** Pictures for the model while the turn runs; rows do not store them. */
  images?: ImageBlock[]
}

/** Returns the row of a call's result. */
export function resultRow(
  call: { id: string; name: string },
  { text, isError, images: _, ...facts }: CallResult,
  at: string,
  runId: string,
): Omit<Message, 'sequence'> {
  return {
    role: 'tool',
    content: text,
    createdAt: at,
    toolCallId: call.id,
    toolName: call.name,
    runId,
    ...(isError && { isError }),
    ...facts,
  }
}
