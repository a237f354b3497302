import { isDeepStrictEqual } from 'node:util'
import type { Actor } from '../base/actor.ts'
import * as Log from '../base/log.ts'
import type { Cms } from '../cms/cms.ts'
import type { Message, ToolCall } from '../conversation/transcript/schema.ts'
import type { Answer, Model, ModelError, ModelMessage, ModelRequest } from '../model/model.ts'
import type { CallOptions } from '../tool/run.ts'
import type { ToolContext } from '../tool/tool.ts'
import type { GateFacts } from './gate.ts'
import type { Journal } from './journal.ts'
import type { ProposalDecision } from './served.ts'

/** Everything that the agent gets for one turn: the inputs of its model calls, its ports, and the open calls. */
export type Task = Pick<ModelRequest, 'system' | 'tools' | 'maxTokens' | 'reasoning'> & {
  runId: string
  model: Model
  journal: Journal
  /** Aborted, with Stopped as its reason, when the turn must not go on. */
  signal: AbortSignal
  /** The maximum number of model calls of a turn; one more call, without tools, ends the turn. */
  maxRounds: number
  /** The number of the next model call in the run, from 1. */
  round: number
  /**
   * Returns the transcript for the next request, and its size in tokens. A `window` in tokens limits the transcript for
   * the rest of the turn.
   */
  history(window?: number): Promise<{ messages: ModelMessage[]; tokens: number }>
  /** The stored transcript, of which `history` may show a part. */
  rows: readonly Message[]
  /** Leaves the model's thoughts out of later requests; false if there are none. */
  forgetThoughts(): boolean
  /** Reserves tokens before the call; rejects if the user's budget is spent. */
  reserve(round: number, tokens: number): Promise<void>
  /**
   * Counts the used tokens; `model` is the id of the model that answered. The count is stored with the journal's next
   * save.
   */
  settle(round: number, usage: Answer['usage'], model: string): Promise<void>
  /** Changes later requests after the provider refused an attachment. Returns false if no attachment can change. */
  withdraw(error: ModelError, messages: ModelMessage[]): Promise<boolean>
  now(): number
  /** The language of the fixed sentences for an answer without text. */
  lang: string
  /** Reads the acting user and the facts of the gate again. Rejects if the user may no longer use the chat. */
  admit(): Promise<Admitted>
  /** The last result of `admit`: reads use it while `admit` runs again. */
  admitted: Admitted
  cms: Cms
  nonce: string
  /** The calls of the last reply without a result; empty if the model must be asked first. */
  openCalls: ToolCall[]
  /** All calls of the last reply, with or without a result. */
  reply: ToolCall[]
  /** The user's decision on the open calls, and the proposal that the user decided on. */
  decision: ProposalDecision | undefined
  /** The calls of this turn that have a result. */
  madeCalls: ToolCall[]
  /** The user's own words that replace the model's, by call id and field. */
  wording: Record<string, Record<string, string>>
  /** The ports of the tools besides the CMS. */
  toolPorts: Pick<ToolContext, 'files' | 'readOn' | 'operations' | 'see'>
}

/** The acting user, and the facts that the gate uses. */
type Admitted = { actor: Actor; facts: GateFacts }

/**
 * Reads as the last known actor, and at the same time admits the actor again. Repeats the read if the actor or the
 * facts changed.
 */
export async function readAdmitted<T>(task: Task, read: () => Promise<T>): Promise<T> {
  const before = task.admitted
  const [value, now] = await Promise.all([read(), task.admit()])
  task.admitted = now
  return isDeepStrictEqual(before, now) ? value : read()
}

/** Returns the context of one call of the task. */
export function contextOf({ admitted, cms, now, signal, toolPorts }: Task): ToolContext {
  return { actor: admitted.actor, cms, now: now(), signal, ...toolPorts }
}

/** Returns the options for each call of the task; the log gets the errors of tools. */
export function callOptions({ nonce }: Task): CallOptions {
  return { nonce, log: (error) => Log.error('A tool failed', error) }
}
