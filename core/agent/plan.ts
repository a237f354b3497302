import type { Actor } from '../base/actor.ts'
import { ToolError } from '../base/error.ts'
import { hash } from '../base/hash.ts'
import type { Capabilities } from '../cms/capabilities.ts'
import { type Change, referenceOf } from '../cms/change.ts'
import type { Cms } from '../cms/cms.ts'
import type { PutPreview } from '../cms/preview.ts'
import type { CmsRecord } from '../cms/schema.ts'
import type { DraftEffect, Question } from '../conversation/schema.ts'
import type { CallResult } from '../conversation/transcript/result.ts'
import { batches, batchOf, isSingle, notRun, type ToolCall } from '../conversation/transcript/schema.ts'
import type { DraftsMode } from '../stage/settings/schema.ts'
import { type CallOptions, plan, planCall, planQuestion, refusal, reworded } from '../tool/run.ts'
import type { CallTool, ReadTool, Tool, WriteTool } from '../tool/tool.ts'
import { find } from '../tool/tools.ts'
import { maxBatch } from '../tool/write/fields.ts'
import { fits, fitsArguments, maxBatchCharacters } from './approval.ts'
import { drafted, refuseShown } from './drafts.ts'
import { decide, type GateFacts, reasonText } from './gate.ts'
import { named, offered } from './offered.ts'
import type { Intent } from './run-record.ts'
import { maxKeptCalls } from './truncate.ts'

/** The plan for one call of a reply, made before any of them runs. */
export type Planned =
  | { kind: 'refuse'; call: ToolCall; result: CallResult }
  | { kind: 'read'; call: ToolCall; tool: ReadTool }
  | {
      kind: 'write'
      call: ToolCall
      tool: WriteTool
      change: Change
      preview: PutPreview
      /** Words that the user put in the place of the model's, by field. */
      wording?: Record<string, string> | undefined
      /** The drafts mode of the plan, the effect for visitors, and the values that drafts first added. */
      drafts: DraftsMode
      effect?: DraftEffect | undefined
      added?: Record<string, string> | undefined
      /** The call that creates the record which this one rests on. */
      needs?: string | undefined
    }
  | {
      kind: 'call'
      call: ToolCall
      tool: CallTool
      args: Record<string, unknown>
      /** The text that the server shows before the call; absent if no tool shows one. */
      word?: string
    }
  | { kind: 'ask'; call: ToolCall; question: Question }

/** A call that changes something, of the CMS or at another server. */
export type Effect = Extract<Planned, { kind: 'write' | 'call' }>
type PlannedWrite = Extract<Planned, { kind: 'write' }>

/** How many calls of one reply are run; each further one is answered with an error. */
export const maxCalls = 20

const circle = 'Stopped: the same call with the same arguments was made twice already. Use those results.'

type PlanContext = {
  runId: string
  actor: Actor
  cms: Cms
  facts: GateFacts
  /** The calls of the turn that were made before these. */
  made: ToolCall[]
  /** All calls of the reply, also those with a result, and those of its writes that were begun before. */
  reply: ToolCall[]
  begun: Intent[]
  options: CallOptions
  signal: AbortSignal
  /** Words that the user put in the place of the model's, by call id and field. */
  wording?: Record<string, Record<string, string>>
}

/**
 * Plans the calls of a reply: gate, arguments, and for writes what they would change, each after the earlier ones. The
 * singles of a batch are about different records: each is planned as the first of them.
 */
export async function planAll(calls: ToolCall[], context: PlanContext): Promise<Planned[]> {
  const planned: Planned[] = []
  for (const group of Map.groupBy(calls, ({ id }) => batchOf(id)).values()) {
    const earlier = planned.filter((one) => one.kind === 'write')
    const made = [...context.made, ...planned.map((one) => one.call)]
    planned.push(...(await planGroup(group, earlier, { ...context, made })))
  }
  return publishedAlone(askedFirst(planned, context.options), context.options)
}

/** Other calls of a reply may depend on the answer to its question, so the first question waits alone. */
function askedFirst(planned: Planned[], options: CallOptions): Planned[] {
  const first = planned.find(({ kind }) => kind === 'ask')
  if (!first) return planned
  const text = 'the user is asked something first. Call it again after the answer.'
  return planned.map((one) =>
    one === first || one.kind === 'read' || one.kind === 'refuse' ? one : withheld(one.call, text, options),
  )
}

/** The refusal of a call that is not run, in words that follow this. */
function withheld(call: ToolCall, text: string, options: CallOptions): Planned {
  const error = new ToolError(`${notRun}${text}`, { outcome: 'notRun' })
  return { kind: 'refuse', call, result: refusal(call.name, error, options) }
}

/** With drafts first, publishing is a decision of its own: it waits for the reply behind that with other changes. */
function publishedAlone(planned: Planned[], options: CallOptions): Planned[] {
  const isPublishing = (one: Planned) => one.kind === 'write' && one.effect === 'publish'
  const hasOthers = planned.some((one) => (one.kind === 'write' || one.kind === 'call') && !isPublishing(one))
  if (!hasOthers) return planned
  const text = 'publishing is a proposal of its own. Call it again after the other changes were decided.'
  return planned.map((one) => (isPublishing(one) ? withheld(one.call, text, options) : one))
}

/** Most singles of a batch that are planned at a time: a connected CMS gets them as one request. */
const atOnce = 20

async function planGroup(
  calls: ToolCall[],
  earlier: PlannedWrite[],
  context: PlanContext,
): Promise<Planned[]> {
  const [first] = calls
  if (!first || !isSingle(first.id)) return Promise.all(calls.map((call) => planOne(call, earlier, context)))
  const batch = { ...first, id: batchOf(first.id) }
  const decision = decide(named(first.name, context.facts), context.facts)
  // The gate refuses all singles for one reason: one row says it.
  if (!decision.allowed) return [await planOne(batch, earlier, context)]
  const planned: Planned[] = []
  for (let at = 0; at < calls.length; at += atOnce) {
    const some = calls.slice(at, at + atOnce)
    planned.push(...(await Promise.all(some.map((call) => planOne(call, earlier, context)))))
  }
  const shown = planned.flatMap((one) => (one.kind === 'write' ? one.preview.changes : []))
  if (fits({ changes: shown }, maxBatchCharacters)) return planned
  const error = new ToolError(
    'The changes are too many to be shown for one approval. Propose fewer at a time.',
  )
  return [{ kind: 'refuse', call: batch, result: refusal(batch.name, error, context.options) }]
}

/** The calls of a reply that are served, and those beyond the limits. A batch counts as one call; a second long one is beyond. */
export function limited(calls: ToolCall[]): { kept: ToolCall[]; over: ToolCall[] } {
  const groups = [...Map.groupBy(calls, ({ id }) => batchOf(id)).values()]
  const kept: ToolCall[] = []
  const over: ToolCall[] = []
  for (const [at, group] of groups.entries()) {
    const hasRoom = at < maxCalls && kept.length + group.length <= maxBatch + maxCalls
    if (hasRoom) kept.push(...group)
    else over.push(...batches(group))
  }
  return { kept, over }
}

/** The answer to a call beyond those that a reply may hold. */
export function surplus(call: ToolCall, options: CallOptions): Planned {
  const text = `a reply may hold ${maxCalls} calls with ${maxBatch} records in all; those beyond ${maxKeptCalls} were not even kept. Call again for the rest.`
  return withheld(call, text, options)
}

async function planOne(call: ToolCall, earlier: PlannedWrite[], context: PlanContext): Promise<Planned> {
  const { actor, cms, facts, made, options, signal } = context
  const tool = named(call.name, facts)
  try {
    const gate = decide(tool, facts)
    if (!gate.allowed) {
      const text = `${reasonText(gate.reason, 'en')}${hint(tool, facts)}`
      throw new ToolError(text, { outcome: tool ? 'notPermitted' : 'notKnown' })
    }
    if (isRepeated(call, made)) throw new ToolError(circle, { outcome: 'notRun' })
    if (tool && 'question' in tool) return { kind: 'ask', call, question: planQuestion(tool, call.arguments) }
    if (!tool?.writes) return { kind: 'read', call, tool: tool as ReadTool }
    if ('call' in tool) return await planRemote(call, tool, signal)
    const wording = context.wording?.[call.id]
    const wanted = reworded(plan(tool, call.arguments), wording)
    const base = await baseOf(wanted, earlier, context)
    // A record that moves to a new page is not that page.
    const isOnPage = wanted.uid !== null && wanted.place?.pid === referenceOf(wanted)
    const own = isOnPage ? undefined : base?.record
    const { change, effect, added } = await drafted(cms, actor, wanted, facts, own)
    // Most turns propose nothing: a start does without the code that shows a change.
    const { previewed } = await import('./previewed.ts')
    const before = earlier.map((one) => one.change)
    const preview = await previewed(cms, actor, change, before, base?.record)
    refuseShown({ effect }, preview, facts.capabilities)
    const { drafts } = facts
    return { kind: 'write', call, tool, change, preview, wording, drafts, effect, added, needs: base?.call }
  } catch (error) {
    if (signal.aborted) throw signal.reason
    return { kind: 'refuse', call, result: refusal(call.name, error, options) }
  }
}

/** The arguments are those of the model, so that what is shown is what is sent. */
async function planRemote(call: ToolCall, tool: CallTool, signal: AbortSignal): Promise<Planned> {
  const args = planCall(tool, call.arguments)
  if (!fitsArguments(args))
    throw new ToolError('The arguments are too long to be shown for approval. Split them.')
  await tool.check?.(args)
  const word = await tool.look?.(args, signal)
  return { kind: 'call', call, tool, args, ...(word !== undefined && { word }) }
}

/** Lists the tools that exist, for a model that named one that does not. */
function hint(tool: Tool | undefined, facts: GateFacts): string {
  if (tool) return ''
  const names = offered(facts).map(({ name }) => name)
  return ` Tools: ${names.join(', ')}.`
}

/** How often the same call with the same arguments may be made in one turn; the next one is stopped. */
const maxSameCalls = 2

/** True when the call repeats one that was made often enough in this turn, in this reply or in an earlier one. */
function isRepeated(call: ToolCall, made: ToolCall[]): boolean {
  const repeated = hash(call.arguments)
  const same = made.filter((one) => one.name === call.name && hash(one.arguments) === repeated)
  return same.length >= maxSameCalls
}

/**
 * The record of the same reply that a change rests on, and the call that creates it; undefined if it names none. Throws
 * ToolError if no earlier call creates it.
 */
async function baseOf(
  change: Change,
  earlier: PlannedWrite[],
  { actor, cms, facts, reply, begun }: PlanContext,
): Promise<{ call: string; record: CmsRecord } | undefined> {
  const name = referenceOf(change)
  if (name === undefined) return undefined
  const call = creations(reply, facts.capabilities)[Number(name.slice('new:'.length)) - 1]
  const outcome = begun.find(({ callId }) => callId === call)?.outcome
  const planned = earlier.findLast(({ call: { id }, preview: { put } }) => id === call || put.uid === name)
  const record = outcome?.state === 'done' ? await cms.record(actor, outcome) : planned?.preview.after
  if (call !== undefined && record) return { call, record }
  const text = `${notRun}it needs ${name}, and no earlier call of the reply creates that record, or its call was refused.`
  throw new ToolError(text, { outcome: 'notRun' })
}

/**
 * The ids of the calls of a reply that create a record, in order. It ends before a call with invalid arguments: nobody
 * can say how many records that would create.
 */
function creations(reply: ToolCall[], capabilities: Capabilities): string[] {
  const ids: string[] = []
  for (const { id, name, arguments: args } of reply) {
    const tool = find(name)
    if (!tool?.writes || 'call' in tool || !tool.creates?.(capabilities)) continue
    if (!tool.parameters.safeParse(args).success) break
    ids.push(id)
  }
  return ids
}
