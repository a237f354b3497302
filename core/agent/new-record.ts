import type { Actor } from '../base/actor.ts'
import { ToolError } from '../base/error.ts'
import type { Capabilities } from '../cms/capabilities.ts'
import { type Change, referenceOf } from '../cms/change.ts'
import type { Cms } from '../cms/cms.ts'
import type { PutPreview } from '../cms/preview.ts'
import type { CmsRecord } from '../cms/schema.ts'
import { notRun, type ToolCall } from '../conversation/transcript/schema.ts'
import { find } from '../tool/tools.ts'
import type { Intent } from './run-item.ts'

/** The record of the same reply that a change rests on, and the call that creates it. */
export type Base = { call: string; record: CmsRecord }

type Scope = {
  actor: Actor
  cms: Cms
  facts: { capabilities: Capabilities }
  /** All calls of the reply, also those that have a result by now. */
  reply: ToolCall[]
  /** The writes of the reply that were begun by an earlier consumer. */
  begun: Intent[]
}

/** The new record that a change rests on; undefined if it names none. Throws ToolError if no earlier call creates it. */
export async function baseOf(
  change: Change,
  earlier: { call: ToolCall; preview: PutPreview }[],
  { actor, cms, facts, reply, begun }: Scope,
): Promise<Base | undefined> {
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
