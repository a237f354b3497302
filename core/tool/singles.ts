import type { ToolCall } from '../transcript/schema.ts'
import { singleId } from '../transcript/schema.ts'
import { find } from './tools.ts'

/**
 * What a call is served as: a batch as a call for each of its records; any other as it is, and so a batch with arguments
 * that are not valid, which is then refused as a whole.
 */
export function singles(call: ToolCall): ToolCall[] {
  const tool = find(call.name)
  if (!tool?.writes || 'call' in tool || !tool.split) return [call]
  const { success, data } = tool.parameters.safeParse(call.arguments)
  const parts = success ? (tool.split(data) as ToolCall['arguments'][]) : []
  if (parts.length < 2) return [call]
  return parts.map((args, at) => ({ ...call, id: singleId(call.id, at), arguments: args }))
}
