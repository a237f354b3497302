import { isDeepStrictEqual } from 'node:util'
import type { Actor } from '../base/actor.ts'
import { ToolError } from '../base/error.ts'
import { own } from '../base/json.ts'
import * as Log from '../base/log.ts'
import type { Cms } from '../cms/cms.ts'
import { batchOf, notRun, type ToolCall } from '../conversation/transcript/schema.ts'
import type { Model } from '../model/model.ts'
import { answered } from '../tool/result.ts'
import { type CallOptions, refusal, run as runTool } from '../tool/run.ts'
import type { ToolContext } from '../tool/tool.ts'
import { find, singles } from '../tool/tools.ts'
import { type Asking, ask } from './ask.ts'
import { callOnce } from './call.ts'
import { decided, type Ending } from './decided.ts'
import { faultSentence } from './fault.ts'
import { decide, type GateFacts } from './gate.ts'
import type { Ended, Journal } from './journal.ts'
import { limited, type Planned, planAll, surplus } from './plan.ts'
import { definitionOf, type Proposal, proposal } from './proposal.ts'
import { reading } from './reading.ts'
import { reasonText } from './reason.ts'
import { advance, begin, isHeld, type ProposalDecision, type Served } from './served.ts'
import { mayHaveChanged, write } from './write.ts'

/**
 * The agent: asks the model, runs the calls that it wants, and asks again, until it answers. It knows no
 * conversation: the task brings the input, and the journal stores each event before the next effect.
 */
export type Task = Asking & {
  runId: string
  /** Reads the acting user and the facts of the gate again. Rejects when the user may no longer use the chat. */
  admit(): Promise<Admitted>
  /** The last answer of `admit`: reads are made with it while `admit` is asked again. */
  admitted: Admitted
  cms: Cms
  model: Model
  nonce: string
  /** The calls of the last reply that have no result yet; empty where the model is to be asked first. */
  open: ToolCall[]
  /** The user's decision on the open calls, with what was decided. */
  decision: ProposalDecision | undefined
  /** Calls of this turn that have a result. */
  made: ToolCall[]
  /** Words that the user put in the place of the model's, by call id and field. */
  wording: Record<string, Record<string, string>>
  tools: Pick<ToolContext, 'files' | 'operations' | 'see'>
  now(): number
}

/** The acting user, and the facts that the gate decides by. */
export type Admitted = { actor: Actor; facts: GateFacts }

/** Runs the task to the end of its turn, or to a pause. Rejects with Stopped, ModelError, or what went wrong. */
export async function run(task: Task, journal: Journal, signal: AbortSignal): Promise<void> {
  let { open } = task
  for (let round = task.round; ; round++) {
    if (open.length > 0) {
      const isPaused = await serve(task, open, Math.max(1, round - 1), journal, signal)
      if (isPaused) return
    }
    await journal.alive()
    await journal.hear()
    const wanted = await ask(task, round, journal, signal)
    if (wanted.length === 0) return
    open = wanted.flatMap(singles)
  }
}

/** Serves the calls of a reply in order; true when the turn pauses for a decision instead. */
async function serve(
  task: Task,
  open: ToolCall[],
  round: number,
  journal: Journal,
  signal: AbortSignal,
): Promise<boolean> {
  const options = callOptions(task)
  const { decision } = task
  const made = [...task.made]
  const reply: Reply = { task, round, journal, signal, options, served: begin(decision), isFresh: false }
  // Calls that will never run are answered first: after a crash, the open ones are then still the first of the reply.
  const { kept: calls, over } = limited(open)
  for (const call of over) await serveGroup(reply, [surplus(call, options)])
  const context = () => ({
    runId: task.runId,
    ...task.admitted,
    cms: task.cms,
    made,
    options,
    signal,
    wording: task.wording,
  })
  // Each read asks who acts along with its own request; a proposal asks along with its previews.
  const hasWrites = calls.some((call) => find(call.name)?.writes)
  const plan = () => planAll(calls, context())
  // A load between the two questions would make two requests of them.
  if (hasWrites) await import('./previewed.ts')
  const planned = hasWrites ? await along(task, plan) : await plan()
  reply.isFresh = hasWrites
  const proposed = proposal(planned, context())
  if (proposed && !holds(decision, proposed)) {
    await journal.pause(proposed, calls)
    return true
  }
  // A decision holds for the proposal that it was made on, and for no later one of the same turn.
  task.decision = undefined
  if (decision) {
    const { approve: approved, digest } = decision
    journal.step({ kind: 'approval', round, ms: 0, approved }, { approved, digest })
  }
  for (const group of Map.groupBy(planned, ({ call }) => batchOf(call.id)).values()) {
    await serveGroup(reply, group)
  }
  return false
}

/** True if the decision was made on this proposal. A denial, or a write that has begun, needs no second check. */
function holds(decision: ProposalDecision | undefined, { digest }: Proposal): boolean {
  if (!decision) return false
  return !decision.approve || decision.begun.length > 0 || decision.digest === digest
}

/** A reply whose calls are served. */
type Reply = {
  task: Task
  round: number
  journal: Journal
  signal: AbortSignal
  options: CallOptions
  served: Served
  /** True when the acting user was read right before, with no effect since. */
  isFresh: boolean
}

/** Reads as the last known actor and asks in the same request who acts now; reads again where the answer differs. */
async function along<T>(task: Task, act: () => Promise<T>): Promise<T> {
  const before = task.admitted
  const [value, now] = await Promise.all([act(), task.admit()])
  task.admitted = now
  return isDeepStrictEqual(before, now) ? value : act()
}

/** Most results without an effect that are stored together. */
const together = 50

/** Serves a call, or the singles of a batch, as one step. */
async function serveGroup(reply: Reply, group: Planned[]): Promise<void> {
  const { task, round, journal } = reply
  await journal.alive()
  const startedAt = task.now()
  const all: Ended[] = []
  const waiting: Ended[] = []
  const store = async () => {
    if (waiting.length > 0) await journal.results(waiting.splice(0))
  }
  for (const [at, planned] of group.entries()) {
    const isEffect = planned.kind !== 'refuse' && !reply.served.denied(planned.call.id)
    if (isEffect && all.length > 0) await journal.alive()
    const ended = { call: planned.call, ...(await outcome(reply, planned)) }
    task.made.push(planned.call)
    all.push(ended)
    waiting.push(ended)
    const isLast = at === group.length - 1
    if (!isLast && (isEffect || waiting.length === together)) await store()
  }
  const { call, result } = all.at(-1) as Ended
  const problem = all.map((one) => one.result.outcome).find((one) => one !== 'done')
  journal.step(
    {
      kind: 'tool',
      round,
      ms: task.now() - startedAt,
      tool: call.name,
      ...(problem && { error: faultSentence(problem) }),
    },
    { call: call.id, arguments: call.arguments, result: result.text, isError: result.isError },
  )
  // The last result is stored with the step.
  await store()
}

async function outcome(reply: Reply, planned: Planned): Promise<Ending> {
  const { task, served, journal, signal, options } = reply
  const { call } = planned
  const refuse = (text: string, outcome: ToolError['outcome'] = 'notRun'): Ending => ({
    result: refusal(call.name, new ToolError(text, { outcome }), options),
    changed: false,
  })
  if (planned.kind === 'refuse') return { result: planned.result, changed: false }
  if (planned.kind === 'ask') return { result: answered(served.answer), changed: false }
  const { tool } = planned
  if (planned.kind === 'read') {
    reply.isFresh = false
    const result = await along(task, async () => {
      const { actor, facts } = task.admitted
      const gate = decide(tool, facts)
      if (!gate.allowed) return refuse(reasonText(gate.reason, 'en'), 'notPermitted').result
      return runTool(
        tool,
        call.arguments,
        reading(contextOf(task, actor, signal), call, journal, task.now),
        options,
      )
    })
    return { result, changed: false }
  }
  if (served.denied(call.id)) return decided(planned, refuse(denial, 'denied'), served)
  if (!reply.isFresh) task.admitted = await task.admit()
  reply.isFresh = false
  const { actor, facts } = task.admitted
  const gate = decide(tool, facts)
  // A call that could not be shown was not part of the decision, even if it could be shown now.
  if (!Object.hasOwn(served.versions, call.id)) return refuse(`${notRun}it was not part of the approval.`)
  if (definitionOf(planned) !== served.definitions[call.id]) {
    served.failed ??= batchOf(call.id)
    return decided(
      planned,
      refuse(`${notRun}it would no longer do what was approved. Propose it again.`, 'conflict'),
    )
  }
  if (isHeld(served, call.id)) {
    return decided(planned, refuse(`${notRun}an earlier change of the same approval failed.`))
  }
  if (!gate.allowed) {
    served.failed ??= batchOf(call.id)
    return decided(planned, refuse(reasonText(gate.reason, 'en'), 'notPermitted'))
  }
  if (planned.kind === 'write' && planned.drafts !== facts.drafts) {
    served.failed ??= batchOf(call.id)
    return decided(planned, refuse(`${notRun}the rules on drafts changed meanwhile. Propose it again.`))
  }
  if (planned.kind === 'call') {
    const context = contextOf(task, actor, signal)
    const { result, outcome } = await callOnce(planned, { runId: task.runId, context, journal, options })
    advance(served, call.id, outcome)
    return decided(planned, { result, changed: false }, served)
  }
  const context = { runId: task.runId, actor, cms: task.cms, journal, options, now: task.now() }
  const done = await write(planned, own(served.versions, call.id) ?? [], context)
  advance(served, call.id, done.outcome)
  return decided(planned, { result: done.result, changed: mayHaveChanged(done.outcome) }, served)
}

const denial = 'Denied by the user: nothing was changed. Do not propose the same again unless asked.'

function contextOf({ cms, now, tools }: Task, actor: Actor, signal: AbortSignal): ToolContext {
  return { actor, cms, now: now(), signal, ...tools }
}

function callOptions({ nonce }: Task): CallOptions {
  return { nonce, log: (error) => Log.error('A tool failed', error) }
}
