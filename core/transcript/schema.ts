import * as z from 'zod'

/** What a row says beside its text: why it stands there, or what became of its turn. */
export const Notice = z.enum([
  'cancelled',
  'superseded',
  'expired',
  'refused',
  'truncated',
  'shortened',
  'undone',
  'demo',
  'unreadable',
])
export type Notice = z.infer<typeof Notice>

/**
 * Words in the results of calls by which the interface knows what became of them. The model reads on: both sides
 * write them by this type, so that neither can change them alone.
 */
export type Mark =
  | 'Denied by the user: '
  | 'The user says to this: '
  | 'Not run: '
  | 'was not found, or the user may not see it.'

/** A call that the model made. */
export const ToolCall = z.object({
  id: z.string(),
  name: z.string(),
  arguments: z.record(z.string(), z.unknown()),
})
export type ToolCall = z.infer<typeof ToolCall>

/** One entry of the transcript, as readers get it. `sequence` is 0-based and dense. */
export const Message = z.object({
  sequence: z.int().min(0),
  role: z.enum(['user', 'assistant', 'tool']),
  content: z.string(),
  createdAt: z.iso.datetime(),
  fileUid: z.int().optional(),
  fileName: z.string().optional(),
  fileMimeType: z.string().optional(),
  toolCalls: z.array(ToolCall).optional(),
  toolCallId: z.string().optional(),
  toolName: z.string().optional(),
  isError: z.boolean().optional(),
  runId: z.string().optional(),
  notice: Notice.optional(),
})
export type Message = z.infer<typeof Message>
