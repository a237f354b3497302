import * as z from 'zod'
import {
  choice,
  type FieldsOf,
  field,
  flag,
  type ItemReading,
  item,
  json,
  number,
  omitted,
  text,
  time,
} from '../../base/aws/item.ts'
import type * as Table from '../../base/aws/table.ts'
import { partition } from '../item.ts'
import { CallId, storedCalls } from '../legacy/old-transcript.ts'
import { Mention } from '../schema.ts'
import * as Shape from './schema.ts'

/**
 * Encodes and decodes a transcript entry: one row in the partition of its conversation, in the order of `sequence`. The
 * conversation row says how many rows of which branches count. Rows of branches above 0 have their branch number in the
 * key. They sort before all rows that a turn reads.
 */
export const codec = item('message', 1, {
  sequence: number('sequence'),
  role: choice('role', Shape.Role, 'assistant'),
  content: text('content'),
  createdAt: time('created_at'),
  fileUid: omitted(number('file_uid')),
  fileName: omitted(text('file_name')),
  fileMimeType: omitted(text('file_mime_type')),
  mentions: omitted(json('mentions', z.array(Mention), [])),
  toolCalls: toolCalls('tool_calls'),
  toolCallId: omitted(field('tool_call_id', CallId, '')),
  toolName: omitted(text('tool_name')),
  isError: omitted(flag('is_error')),
  outcome: omitted(choice('outcome', Shape.CallOutcome, 'done')),
  records: omitted(json('records', z.array(Shape.RecordName), [])),
  count: omitted(number('entry_count')),
  approved: omitted(flag('approved')),
  remark: omitted(text('remark')),
  edited: omitted(json('edited', z.array(z.string()), [])),
  conflicts: omitted(json('conflicts', z.array(Shape.Conflict), [])),
  unread: omitted(json('unread', z.array(z.string()), [])),
  sources: omitted(json('sources', z.array(Shape.Source), [])),
  unsupported: omitted(json('unsupported', z.array(z.string()), [])),
  notUsed: omitted(json('not_used', z.array(Shape.NotUsed), [])),
  until: omitted(number('until_sequence')),
  runId: omitted(text('run_id')),
  notice: omitted(choice('notice', Shape.Notice, 'unreadable')),
} satisfies FieldsOf<Shape.Message>)

/**
 * Stores calls as JSON text, because the table could refuse a number or a nesting depth that a model produces. If one
 * call of a list is damaged, the other calls stay.
 */
function toolCalls(attribute: string) {
  const calls = omitted(json(attribute, z.array(Shape.ToolCall), []))
  return {
    ...calls,
    read: (stored: unknown): ItemReading<Shape.ToolCall[] | undefined> => {
      const { value, isWhole } = storedCalls(stored)
      return { value: value.length > 0 ? value : undefined, isWhole }
    },
  }
}

const prefix = 'message#'

/** Returns a sequence as the part of a sort key; its width is the same everywhere, so that keys sort by it. */
export const sequenceKey = (sequence: number): string => String(sequence).padStart(8, '0')

/** Returns the sort key of the row at a sequence of a branch. */
export const sortKey = (sequence: number, branch = 0) =>
  branch === 0
    ? `${prefix}${sequenceKey(sequence)}`
    : `branch#${sequenceKey(branch)}#${sequenceKey(sequence)}`

/** Returns the key of the message at a sequence of a branch. */
export const key = (conversationId: string, sequence: number, branch: number): Table.Key => ({
  pk: partition(conversationId),
  sk: sortKey(sequence, branch),
})

/** Returns the row of a message on a branch. */
export function encode(
  conversationId: string,
  message: Shape.Message,
  branch: number,
): Table.Row & Table.Key {
  return { ...key(conversationId, message.sequence, branch), ...codec.encode(message) }
}

/** Reads the message of a row. Never throws: a message without a readable text becomes a notice that says so. */
export function decode(row: Table.Row): Shape.Message {
  const { value, unread } = codec.read(row)
  const isUnreadable = 'content' in unread && value.role !== 'tool'
  return {
    ...value,
    ...('sequence' in unread && { sequence: Number(String(row.sk).split('#').at(-1)) }),
    ...(isUnreadable && { role: 'assistant' as const, notice: 'unreadable' as const }),
  }
}
