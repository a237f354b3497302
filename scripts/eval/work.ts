import * as Run from '../../core/agent/run-record.ts'
import type { Conversation } from '../../core/conversation/item.ts'
import type { Message } from '../../core/conversation/transcript/schema.ts'
import { find } from '../../core/tool/tools.ts'
import type { Facts } from './task.ts'

/** Reads the work of a task from a transcript and from the records of its runs. */

/** Returns the last text of the assistant. */
export const lastAnswer = (messages: Message[]): string =>
  messages.findLast(({ role }) => role === 'assistant')?.content ?? ''

/** Returns the calls with their outcomes, and the records that tools have read. */
export function workOf(messages: Message[]): Pick<Facts, 'calls' | 'reads'> {
  const results = messages.filter(({ role }) => role === 'tool')
  const outcomes = new Map(results.map(({ toolCallId, outcome }) => [toolCallId, outcome]))
  const calls = messages
    .flatMap(({ toolCalls = [] }) => toolCalls)
    .map(({ id, name, arguments: args }) => ({
      name,
      arguments: args,
      outcome: outcomes.get(id) ?? 'notRun',
    }))
  const reads = results
    .filter(({ outcome, toolName }) => outcome === 'done' && !find(toolName ?? '')?.writes)
    .flatMap(({ records = [] }) => records.map(({ table, uid }) => `${table}:${uid}`))
  return { calls, reads: [...new Set(reads)] }
}

/** Returns the number of model calls in the runs of a conversation, and the tokens of each. */
export async function spentIn(
  { owner }: Conversation,
  runIds: string[],
): Promise<Pick<Facts, 'rounds' | 'usages'>> {
  const steps = (await Promise.all(runIds.map((runId) => Run.steps({ owner, runId })))).flat()
  const rounds = steps.filter(({ detail }) => 'usage' in detail || 'failure' in detail).length
  return { rounds, usages: steps.map((step) => Run.usageOf([step])) }
}
