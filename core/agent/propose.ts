import type { Actor } from '../actor.ts'
import type { Cms, Write, WritePreview } from '../cms/cms.ts'
import type { PendingCall } from '../conversation/schema.ts'
import { ToolError } from '../error.ts'
import { type CallOptions, plan, planCall, refusal } from '../tool/run.ts'
import { type CallTool, heading, type ReadTool, type Tool, type WriteTool } from '../tool/tool.ts'
import type { CallResult } from '../transcript/result.ts'
import type { ToolCall } from '../transcript/schema.ts'
import { notRun } from '../transcript/schema.ts'
import { digest, fits, fitsArguments, hashArguments } from './approval.ts'
import { passages } from './excerpt.ts'
import { decide, type GateFacts } from './gate.ts'
import { named, offered } from './offered.ts'
import { reasonText } from './reason.ts'
import { maxKeptCalls } from './truncate.ts'

/** What is to be done with one call of a reply, before any of them runs. */
export type Planned =
  | { kind: 'refuse'; call: ToolCall; result: CallResult }
  | { kind: 'read'; call: ToolCall; tool: ReadTool }
  | { kind: 'write'; call: ToolCall; tool: WriteTool; write: Write; preview: WritePreview }
  | { kind: 'call'; call: ToolCall; tool: CallTool; args: Record<string, unknown> }

/** The writes of a reply as they would be shown for one decision. */
export type Proposal = {
  digest: string
  calls: PendingCall[]
  versions: Record<string, WritePreview['versions']>
}

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
  options: CallOptions
  signal: AbortSignal
}

/** Plans the calls of a reply: gate, arguments, and for writes what they would change, each after the earlier ones. */
export async function planAll(calls: ToolCall[], context: PlanContext): Promise<Planned[]> {
  const planned: Planned[] = []
  for (const call of calls) {
    const earlier = planned.flatMap((one) => (one.kind === 'write' ? [one.write] : []))
    const made = [...context.made, ...planned.map((one) => one.call)]
    planned.push(await planOne(call, earlier, { ...context, made }))
  }
  return planned
}

/** The answer to a call beyond those that a reply may hold. */
export function surplus(call: ToolCall, options: CallOptions): Planned {
  const text = `${notRun}a reply may hold ${maxCalls} calls; those beyond ${maxKeptCalls} were not even kept. Call again for the rest.`
  const error = new ToolError(text, { outcome: 'notRun' })
  return { kind: 'refuse', call, result: refusal(call.name, error, options) }
}

/** The proposal of the planned writes; undefined where none is to be decided. */
export function proposal(planned: Planned[], { runId, actor }: PlanContext): Proposal | undefined {
  const writes = planned.filter((one) => one.kind === 'write' || one.kind === 'call')
  if (writes.length === 0) return undefined
  const calls = writes.map((one) => pending(one, actor.lang))
  const versions = Object.fromEntries(
    writes.map((one) => [one.call.id, one.kind === 'write' ? one.preview.versions : []]),
  )
  const whole = writes.map((one, at) => ({
    ...(calls[at] as PendingCall),
    versions: versions[one.call.id] ?? [],
    ...(one.kind === 'call' && { definition: one.tool.definition }),
  }))
  return { digest: digest({ runId, owner: actor.uid, calls: whole }), calls, versions }
}

/** A call as it is shown for the decision. */
function pending(one: Extract<Planned, { kind: 'write' | 'call' }>, lang: string): PendingCall {
  const { call, tool } = one
  const shown = { id: call.id, tool: call.name, arguments: call.arguments }
  if (one.kind === 'call') {
    return { ...shown, title: heading(tool, { label: '', changes: [] }, lang), preview: null }
  }
  const { table, uid, label, page, changes } = one.preview
  const preview = { table, uid, label, page, changes }
  return { ...shown, title: heading(tool, preview, lang), preview }
}

async function planOne(call: ToolCall, earlier: Write[], context: PlanContext): Promise<Planned> {
  const { actor, cms, facts, made, options, signal } = context
  const tool = named(call.name, facts)
  try {
    const gate = decide(tool, facts)
    if (!gate.allowed) {
      const text = `${reasonText(gate.reason, 'en')}${hint(tool, facts)}`
      throw new ToolError(text, { outcome: tool ? 'notPermitted' : 'notKnown' })
    }
    if (isRepeated(call, made)) throw new ToolError(circle, { outcome: 'notRun' })
    if (!tool?.writes) return { kind: 'read', call, tool: tool as ReadTool }
    if ('call' in tool) return planRemote(call, tool)
    const write = plan(tool, call.arguments)
    const whole = await cms.preview(actor, write, earlier)
    const preview = { ...whole, changes: whole.changes.map(passages) }
    if (preview.changes.length === 0) throw new ToolError('Nothing would change: the record already says so.')
    if (!fits(preview)) throw new ToolError('The change is too large to be shown for approval. Split it.')
    return { kind: 'write', call, tool, write, preview }
  } catch (error) {
    if (signal.aborted) throw signal.reason
    return { kind: 'refuse', call, result: refusal(call.name, error, options) }
  }
}

/** The arguments are those of the model, so that what is shown is what is sent. */
function planRemote(call: ToolCall, tool: CallTool): Planned {
  const args = planCall(tool, call.arguments)
  if (!fitsArguments(args))
    throw new ToolError('The arguments are too long to be shown for approval. Split them.')
  return { kind: 'call', call, tool, args }
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
  const hash = hashArguments(call.arguments)
  const same = made.filter((one) => one.name === call.name && hashArguments(one.arguments) === hash)
  return same.length >= maxSameCalls
}
