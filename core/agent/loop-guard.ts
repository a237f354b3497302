import type { ToolCall } from '../transcript/schema.ts'
import { hashArguments } from './approval.ts'

/** How often the same call with the same arguments may be made in one turn; the next one is stopped. */
const allowed = 2

/** True when the call repeats one that was made often enough in this turn, in this reply or in an earlier one. */
export function isRepeated(call: ToolCall, made: ToolCall[]): boolean {
  const hash = hashArguments(call.arguments)
  const same = made.filter((one) => one.name === call.name && hashArguments(one.arguments) === hash)
  return same.length >= allowed
}
