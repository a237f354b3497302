import type { ToolCall } from '../transcript/schema.ts'
import { hashArguments } from './approval.ts'

/** How often the same call with the same arguments may be made in one turn; the next one is stopped. */
const allowed = 2

/** Whether a call only repeats what earlier replies have asked for often enough: a model that runs in circles. */
export function isRepeated(call: ToolCall, made: ToolCall[]): boolean {
  const hash = hashArguments(call.arguments)
  const same = made.filter((one) => one.name === call.name && hashArguments(one.arguments) === hash)
  return same.length >= allowed
}
