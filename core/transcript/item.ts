import * as z from 'zod'
import type * as Table from '../aws/table.ts'
import { partition } from '../conversation/item.ts'
import { type Message, Notice, ToolCall } from './schema.ts'

/**
 * The stored form of a transcript entry: one row each, in the partition of its conversation, in the order of
 * `sequence`. How many rows count, the conversation row says; a row behind that is a leftover of an edit.
 */
const Stored = z.object({
  sequence: z.number(),
  role: z.enum(['user', 'assistant', 'tool']),
  content: z.string(),
  created_at: z.string(),
  file_uid: z.number().optional(),
  file_name: z.string().optional(),
  file_mime_type: z.string().optional(),
  tool_calls: z
    .string()
    .transform((text): unknown => JSON.parse(text))
    .pipe(z.array(ToolCall))
    .optional(),
  tool_call_id: z.string().optional(),
  tool_name: z.string().optional(),
  is_error: z.boolean().optional(),
  run_id: z.string().optional(),
  notice: Notice.optional(),
})

/** `sk` of the row at a sequence; sorts before the conversation's other children. */
export const sortKey = (sequence: number) => `message#${String(sequence).padStart(8, '0')}`

/** Key of the message at a sequence. */
export const key = (conversationId: string, sequence: number): Table.Key => ({
  pk: partition(conversationId),
  sk: sortKey(sequence),
})

/** The row of a message, with the number of edits under which it is written. */
export function encode(conversationId: string, message: Message, cut: number): Table.Row & Table.Key {
  return {
    ...key(conversationId, message.sequence),
    cut,
    sequence: message.sequence,
    role: message.role,
    content: message.content,
    created_at: message.createdAt,
    file_uid: message.fileUid,
    file_name: message.fileName,
    file_mime_type: message.fileMimeType,
    // As text: no number and no depth that a model comes up with can then be refused by the table.
    tool_calls: message.toolCalls && JSON.stringify(message.toolCalls),
    tool_call_id: message.toolCallId,
    tool_name: message.toolName,
    is_error: message.isError,
    run_id: message.runId,
    notice: message.notice,
  }
}

/** The message of a row. */
export function decode(row: Table.Row): Message {
  const it = Stored.parse(row)
  return {
    sequence: it.sequence,
    role: it.role,
    content: it.content,
    createdAt: it.created_at,
    ...(it.file_uid !== undefined && { fileUid: it.file_uid }),
    ...(it.file_name !== undefined && { fileName: it.file_name }),
    ...(it.file_mime_type !== undefined && { fileMimeType: it.file_mime_type }),
    ...(it.tool_calls && { toolCalls: it.tool_calls }),
    ...(it.tool_call_id !== undefined && { toolCallId: it.tool_call_id }),
    ...(it.tool_name !== undefined && { toolName: it.tool_name }),
    ...(it.is_error !== undefined && { isError: it.is_error }),
    ...(it.run_id !== undefined && { runId: it.run_id }),
    ...(it.notice && { notice: it.notice }),
  }
}
