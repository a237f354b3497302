import { isReply } from '../transcript/notice.ts'
import type { Message, ToolCall } from '../transcript/schema.ts'

/** Which calls of a turn have a result, derived from its rows alone. */

/** The calls of the last reply that have no result yet. */
export function openCalls(rows: Message[]): ToolCall[] {
  const last = rows.findLast(isReply)
  const answered = answeredIn(rows)
  return (last?.toolCalls ?? []).filter((call) => !answered.has(call.id))
}

/**
 * The calls that have a result; of a reply that is served in part, those before the first open one. Calls beyond the
 * number that a reply may hold are answered first, and must not count while the others are open.
 */
export function madeCalls(rows: Message[]): ToolCall[] {
  const answered = answeredIn(rows)
  return rows.flatMap(({ toolCalls = [] }) => {
    const open = toolCalls.findIndex((call) => !answered.has(call.id))
    return open < 0 ? toolCalls : toolCalls.slice(0, open)
  })
}

function answeredIn(rows: Message[]): ReadonlySet<string | undefined> {
  return new Set(rows.map((row) => row.toolCallId))
}
