import { isReply } from '../conversation/transcript/notice.ts'
import { batchOf, type Message, type ToolCall } from '../conversation/transcript/schema.ts'
import { singles } from '../tool/tools.ts'

/** Which calls of a turn have a result, derived from its rows alone. */

/** The calls of the last reply; of a batch, its singles. */
export const replyCalls = (rows: Message[]): ToolCall[] =>
  (rows.findLast(isReply)?.toolCalls ?? []).flatMap(singles)

/** Those of them that have no result yet. */
export function openCalls(rows: Message[]): ToolCall[] {
  const isAnswered = answeredIn(rows)
  return replyCalls(rows).filter((call) => !isAnswered(call))
}

/**
 * The calls that have a result; of a reply that is served in part, those before the first open one. Calls beyond the
 * number that a reply may hold are answered first, and must not count while the others are open.
 */
export function madeCalls(rows: Message[]): ToolCall[] {
  const isAnswered = answeredIn(rows)
  return rows.flatMap(({ toolCalls = [] }) => {
    const calls = toolCalls.flatMap(singles)
    const open = calls.findIndex((call) => !isAnswered(call))
    return open < 0 ? calls : calls.slice(0, open)
  })
}

/** A single is answered by a row of its own, or with its whole batch. */
function answeredIn(rows: Message[]): (call: ToolCall) => boolean {
  const answered = new Set(rows.map((row) => row.toolCallId))
  return ({ id }) => answered.has(id) || answered.has(batchOf(id))
}
