import type { CallOutcome, Message, RecordName } from './schema.ts'

/** How a call ended: the text is for the model alone, the rest for readers. */
export type CallResult = {
  text: string
  isError: boolean
  outcome: CallOutcome
  records?: RecordName[]
  count?: number
  remark?: string
  edited?: string[]
  approved?: boolean
}

/** The row of a call's result. */
export function resultRow(
  call: { id: string; name: string },
  { text, isError, ...facts }: CallResult,
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
