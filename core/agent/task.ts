import { isDeepStrictEqual } from 'node:util'
import type { Actor } from '../base/actor.ts'
import * as Log from '../base/log.ts'
import type { Cms } from '../cms/cms.ts'
import type { ToolCall } from '../conversation/transcript/schema.ts'
import type { CallOptions } from '../tool/run.ts'
import type { ToolContext } from '../tool/tool.ts'
import type { Asking } from './ask.ts'
import type { GateFacts } from './gate.ts'
import type { ProposalDecision } from './served.ts'

/** The inputs of the agent for one turn: those of its model calls, the acting user, and the open calls. */
export type Task = Asking & {
  runId: string
  /** Reads the acting user and the facts of the gate again. Rejects if the user may no longer use the chat. */
  admit(): Promise<Admitted>
  /** The last result of `admit`: reads use it while `admit` runs again. */
  admitted: Admitted
  cms: Cms
  nonce: string
  /** The calls of the last reply without a result; empty if the model must be asked first. */
  open: ToolCall[]
  /** All calls of the last reply, with or without a result. */
  reply: ToolCall[]
  /** The user's decision on the open calls, with the proposal that it was made on. */
  decision: ProposalDecision | undefined
  /** The calls of this turn that have a result. */
  made: ToolCall[]
  /** The user's own words that replace the model's, by call id and field. */
  wording: Record<string, Record<string, string>>
  tools: Pick<ToolContext, 'files' | 'readOn' | 'operations' | 'see'>
}

/** The acting user, and the facts that the gate uses. */
export type Admitted = { actor: Actor; facts: GateFacts }

/** Reads as the last known actor, and in the same request asks who acts now. Reads again if the answer differs. */
export async function readAdmitted<T>(task: Task, read: () => Promise<T>): Promise<T> {
  const before = task.admitted
  const [value, now] = await Promise.all([read(), task.admit()])
  task.admitted = now
  return isDeepStrictEqual(before, now) ? value : read()
}

/** Returns the context of one call of the task. */
export function contextOf({ admitted, cms, now, tools }: Task, signal: AbortSignal): ToolContext {
  return { actor: admitted.actor, cms, now: now(), signal, ...tools }
}

/** Returns the options for each call of the task; the log gets the errors of tools. */
export function callOptions({ nonce }: Task): CallOptions {
  return { nonce, log: (error) => Log.error('A tool failed', error) }
}
