import type { Actor } from '../base/actor.ts'
import { ToolError } from '../base/error.ts'
import { hash } from '../base/hash.ts'
import type { Capabilities } from '../cms/capabilities.ts'
import { type Change, referenceOf } from '../cms/change.ts'
import type { Cms } from '../cms/cms.ts'
import type { PutPreview } from '../cms/preview.ts'
import type { CmsRecord } from '../cms/schema.ts'
import type { Question } from '../conversation/schema.ts'
import type { CallResult } from '../conversation/transcript/result.ts'
import { batches, batchOf, isSingle, notRun, type ToolCall } from '../conversation/transcript/schema.ts'
import type { DraftsMode } from '../stage/settings/schema.ts'
import { type CallOptions, planCall, planChange, planQuestion, refusal, reworded } from '../tool/run.ts'
import type { CallTool, ReadTool, Tool, WriteTool } from '../tool/tool.ts'
import { find } from '../tool/tools.ts'
import { maxBatch } from '../tool/write/fields.ts'
import { fits, fitsArguments, maxBatchCharacters } from './approval.ts'
import { applyDraftRule, type DraftedChange, refuseShown } from './drafts.ts'
import { decide, type GateFacts, reasonText } from './gate.ts'
import { named, offered } from './offered.ts'
import type { Intent } from './run-record.ts'
import { maxKeptCalls } from './truncate.ts'

/** The plan for one call of a reply, made before any call of the reply runs. */
export type Planned =
  | { kind: 'refuse'; call: ToolCall; result: CallResult }
  | PlannedRead
  | PlannedWrite
  | PlannedCall
  | PlannedQuestion

export type PlannedRead = { kind: 'read'; call: ToolCall; tool: ReadTool }

/** A write with its change and preview, under the drafts mode of the plan. */
export type PlannedWrite = DraftedChange & {
  kind: 'write'
  call: ToolCall
  tool: WriteTool
  preview: PutPreview
  /** The user's own words that replace the model's, by field. */
  wording?: Record<string, string> | undefined
  drafts: DraftsMode
  /** The call that creates the record that this call needs. */
  needs?: string | undefined
}

/** A call of a remote tool. */
export type PlannedCall = {
  kind: 'call'
  call: ToolCall
  tool: CallTool
  args: Record<string, unknown>
  /** The text that the server shows before the call; absent if the server shows none. */
  word?: string
}

export type PlannedQuestion = { kind: 'ask'; call: ToolCall; question: Question }

/** The maximum number of calls of one reply that run; each further call gets an error as its result. */
export const maxCalls = 20

const circle = 'Stopped: the same call with the same arguments was made twice already. Use those results.'

type PlanContext = {
  actor: Actor
  cms: Cms
  facts: GateFacts
  /** The earlier calls of the turn. */
  made: ToolCall[]
  /** All calls of the reply, even calls with a result, and the intents of its writes that have begun. */
  reply: ToolCall[]
  begun: Intent[]
  options: CallOptions
  signal: AbortSignal
  /** The user's own words that replace the model's, by call id and field. */
  wording?: Record<string, Record<string, string>>
}

/**
 * Plans the calls of a reply: checks gate and arguments, and previews each write after the earlier writes. The calls of
 * a batch concern different records, so each is planned without the others.
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

/** Refuses the other calls that need a decision, because they may depend on the answer to the first question. */
function askedFirst(planned: Planned[], options: CallOptions): Planned[] {
  const first = planned.find(({ kind }) => kind === 'ask')
  if (!first) return planned
  const text = 'the user is asked something first. Call it again after the answer.'
  return planned.map((one) =>
    one === first || one.kind === 'read' || one.kind === 'refuse'
      ? one
      : refuseToRun(one.call, text, options),
  )
}

/** Returns the refusal of a call that does not run; `text` gives the reason. */
function refuseToRun(call: ToolCall, text: string, options: CallOptions): Planned {
  const error = new ToolError(`${notRun}${text}`, { outcome: 'notRun' })
  return { kind: 'refuse', call, result: refusal(call.name, error, options) }
}

/**
 * Refuses to publish in a reply with other changes, because with drafts first, publishing needs a separate decision.
 */
function publishedAlone(planned: Planned[], options: CallOptions): Planned[] {
  const isPublishing = (one: Planned) => one.kind === 'write' && one.effect === 'publish'
  const hasOthers = planned.some((one) => (one.kind === 'write' || one.kind === 'call') && !isPublishing(one))
  if (!hasOthers) return planned
  const text = 'publishing is a proposal of its own. Call it again after the other changes were decided.'
  return planned.map((one) => (isPublishing(one) ? refuseToRun(one.call, text, options) : one))
}

/**
 * The maximum number of calls of a batch that are planned at the same time; a connected CMS gets them as one request.
 */
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
  // The gate refuses all calls of a batch for the same reason, so one row is enough.
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

/**
 * Splits the calls of a reply into the calls that run and the calls beyond the limits. A batch counts as one call, but
 * the number of all records of the reply is limited too.
 */
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

/** Returns the refusal of a call beyond the limits of a reply. */
export function surplus(call: ToolCall, options: CallOptions): Planned {
  const text = `a reply may hold ${maxCalls} calls with ${maxBatch} records in all; those beyond ${maxKeptCalls} were not even kept. Call again for the rest.`
  return refuseToRun(call, text, options)
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
    if (isRepeated(call, made, facts)) throw new ToolError(circle, { outcome: 'notRun' })
    if (tool && 'question' in tool) return { kind: 'ask', call, question: planQuestion(tool, call.arguments) }
    if (!tool?.writes) return { kind: 'read', call, tool: tool as ReadTool }
    if ('call' in tool) return await planRemote(call, tool, signal)
    const wording = context.wording?.[call.id]
    const wanted = reworded(planChange(tool, call.arguments), wording)
    const base = await baseOf(wanted, earlier, context)
    // `base` can also be the new page that the record moves to, not the record itself.
    const isOnPage = wanted.uid !== null && wanted.place?.pid === referenceOf(wanted)
    const own = isOnPage ? undefined : base?.record
    const drafting = await applyDraftRule(cms, actor, wanted, facts, own)
    tool.refuse?.(wanted, facts.capabilities)
    // Most turns propose nothing, so the code that previews a change is loaded only here.
    const { previewed } = await import('./previewed.ts')
    const before = earlier.map((one) => one.change)
    const preview = await previewed(cms, actor, drafting.change, before, base?.record)
    refuseShown(drafting, preview, facts.capabilities)
    const { drafts } = facts
    return { kind: 'write', call, tool, ...drafting, preview, wording, drafts, needs: base?.call }
  } catch (error) {
    if (signal.aborted) throw signal.reason
    return { kind: 'refuse', call, result: refusal(call.name, error, options) }
  }
}

/**
 * Plans a call of a remote tool. The model's arguments stay unchanged, so that exactly the shown arguments are sent.
 */
async function planRemote(call: ToolCall, tool: CallTool, signal: AbortSignal): Promise<Planned> {
  const args = planCall(tool, call.arguments)
  if (!fitsArguments(args))
    throw new ToolError('The arguments are too long to be shown for approval. Split them.')
  await tool.check?.(args)
  const word = await tool.look?.(args, signal)
  return { kind: 'call', call, tool, args, ...(word !== undefined && { word }) }
}

/** Lists the existing tools for a model that named an unknown one. */
function hint(tool: Tool | undefined, facts: GateFacts): string {
  if (tool) return ''
  const names = offered(facts).map(({ name }) => name)
  return ` Tools: ${names.join(', ')}.`
}

/**
 * The number of times that a turn may make the same call with the same arguments; the next such call is refused. A read
 * may be made again after each call that writes, because the record may have changed.
 */
const maxSameCalls = 2

/** True if this turn has already made the same call often enough, in this reply or an earlier one. */
function isRepeated(call: ToolCall, made: ToolCall[], facts: GateFacts): boolean {
  const writes = ({ name }: ToolCall) => named(name, facts)?.writes
  const counted = writes(call) ? made : made.slice(made.findLastIndex(writes) + 1)
  const repeated = hash(call.arguments)
  const same = counted.filter((one) => one.name === call.name && hash(one.arguments) === repeated)
  return same.length >= maxSameCalls
}

/**
 * Returns the new record of the same reply that a change needs, and the call that creates it; undefined if the change
 * needs no new record. Rejects with ToolError if no earlier call creates the record.
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
 * Returns the ids of the calls of a reply that create a record, in order. The list ends before a call with invalid
 * arguments, because the number of records that it would create is unknown.
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
