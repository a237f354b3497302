import { isReply } from '../conversation/transcript/notice.ts'
import { batchOf, type Message, type ToolCall } from '../conversation/transcript/schema.ts'
import { singles } from '../tool/tools.ts'

/** Divides the calls of a turn, by its rows, into calls with a result and calls without one. */

/** Returns the calls of the last reply; a batch counts as its single calls. */
export const replyCalls = (rows: Message[]): ToolCall[] =>
  (rows.findLast(isReply)?.toolCalls ?? []).flatMap(singles)

/** Returns the calls of the last reply that have no result yet. */
export function openCalls(rows: Message[]): ToolCall[] {
  const isAnswered = answeredIn(rows)
  return replyCalls(rows).filter((call) => !isAnswered(call))
}

/**
 * Returns the calls that have a result. In a reply with open calls, only the calls before the first open call count. A
 * call beyond the limit of a reply is refused before the earlier calls run; its result comes first.
 */
export function madeCalls(rows: Message[]): ToolCall[] {
  const isAnswered = answeredIn(rows)
  return rows.flatMap(({ toolCalls = [] }) => {
    const calls = toolCalls.flatMap(singles)
    const open = calls.findIndex((call) => !isAnswered(call))
    return open < 0 ? calls : calls.slice(0, open)
  })
}

/** True for a call with a result row of its own, or with a result row of its whole batch. */
function answeredIn(rows: Message[]): (call: ToolCall) => boolean {
  const answered = new Set(rows.map((row) => row.toolCallId))
  return ({ id }) => answered.has(id) || answered.has(batchOf(id))
}
