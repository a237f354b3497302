import { isReply } from '../transcript/notice.ts'
import type { Message, ToolCall } from '../transcript/schema.ts'

/** Which calls of a turn have their result, told from its rows alone. */

/** The calls of the last reply that have no result yet. */
export function openCalls(rows: Message[]): ToolCall[] {
  const last = rows.findLast(isReply)
  const answered = answeredIn(rows)
  return (last?.toolCalls ?? []).filter((call) => !answered.has(call.id))
}

/** The calls of the replies that are served, each with its result; a reply that still has open calls is none of them. */
export function madeCalls(rows: Message[]): ToolCall[] {
  const answered = answeredIn(rows)
  const replies = rows.map((row) => row.toolCalls ?? [])
  return replies.filter((calls) => calls.every((call) => answered.has(call.id))).flat()
}

function answeredIn(rows: Message[]): ReadonlySet<string | undefined> {
  return new Set(rows.map((row) => row.toolCallId))
}
