import { ToolError } from '../base/error.ts'
import * as Log from '../base/log.ts'
import type { CallResult } from '../conversation/transcript/result.ts'
import type { ToolCall } from '../conversation/transcript/schema.ts'
import { done } from '../tool/result.ts'
import { type CallOptions, refusal } from '../tool/run.ts'
import type { ToolContext } from '../tool/tool.ts'
import { writeKey } from './approval.ts'
import type { Journal } from './journal.ts'
import type { Planned } from './plan.ts'
import type { Outcome } from './write-outcome.ts'

/** One approved call of another server's tool. */
export type CallContext = { runId: string; context: ToolContext; journal: Journal; options: CallOptions }

/**
 * Calls a tool of another server at most once: stores the intent before the call and the result after it. The outcome
 * is undefined when the server gave no answer; such a call is never repeated. Rejects when the intent exists already.
 */
export async function callOnce(
  { call, tool, args }: Extract<Planned, { kind: 'call' }>,
  { runId, context, journal, options }: CallContext,
): Promise<{ result: CallResult; outcome: Outcome | undefined }> {
  const key = writeKey(runId, call)
  await journal.intend(call, key)
  const result = await attempt()
  if (result.outcome === 'unknown') return { result, outcome: undefined }
  const { text, isError, outcome: ending } = result
  const outcome: Outcome = { state: 'called', result: { text, isError, outcome: ending } }
  await journal.conclude(key, outcome)
  return { result, outcome }

  async function attempt(): Promise<CallResult> {
    try {
      return done(options.nonce, call.name, await tool.call(args, context))
    } catch (error) {
      if (error instanceof ToolError) return refusal(call.name, error, options)
      Log.error('A call of another server ended without an answer', error)
      return unknownCall(call, options)
    }
  }
}

/** The result that the model reads for a call whose end is not known. */
export function unknownCall(call: ToolCall, options: CallOptions): CallResult {
  const error = new ToolError(
    'It is unknown whether this was done: the server gave no answer after the call was sent. Do not call it again by yourself; tell the user, who can look there.',
    { outcome: 'unknown' },
  )
  return refusal(call.name, error, options)
}
