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

/** The turn as the agent gets it: the inputs of its calls, the user who acts, and the calls that are still open. */
export type Task = Asking & {
  runId: string
  /** Reads the acting user and the facts of the gate again. Rejects when the user may no longer use the chat. */
  admit(): Promise<Admitted>
  /** The last answer of `admit`: reads are made with it while `admit` is asked again. */
  admitted: Admitted
  cms: Cms
  nonce: string
  /** The calls of the last reply that have no result yet; empty where the model is to be asked first. */
  open: ToolCall[]
  /** All calls of the last reply, also those that have a result. */
  reply: ToolCall[]
  /** The user's decision on the open calls, with what was decided. */
  decision: ProposalDecision | undefined
  /** Calls of this turn that have a result. */
  made: ToolCall[]
  /** Words that the user put in the place of the model's, by call id and field. */
  wording: Record<string, Record<string, string>>
  tools: Pick<ToolContext, 'files' | 'readOn' | 'operations' | 'see'>
}

/** The acting user, and the facts that the gate decides by. */
export type Admitted = { actor: Actor; facts: GateFacts }

/** Reads as the last known actor and asks in the same request who acts now; reads again where the answer differs. */
export async function readAdmitted<T>(task: Task, read: () => Promise<T>): Promise<T> {
  const before = task.admitted
  const [value, now] = await Promise.all([read(), task.admit()])
  task.admitted = now
  return isDeepStrictEqual(before, now) ? value : read()
}

/** The context of one call of the task. */
export function contextOf({ admitted, cms, now, tools }: Task, signal: AbortSignal): ToolContext {
  return { actor: admitted.actor, cms, now: now(), signal, ...tools }
}

/** The options of each call of the task; the log gets the errors of tools. */
export function callOptions({ nonce }: Task): CallOptions {
  return { nonce, log: (error) => Log.error('A tool failed', error) }
}
