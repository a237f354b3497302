import { digest, fits, maxBatchCharacters } from '../agent/approval.ts'
import { previewed } from '../agent/previewed.ts'
import { definitionOf, pendingWrite } from '../agent/proposal.ts'
import type { Actor } from '../base/actor.ts'
import { ToolError, VisibleError } from '../base/error.ts'
import { hash } from '../base/hash.ts'
import { own } from '../base/json.ts'
import { UnchangedError } from '../cms/change.ts'
import type { Cms, Versions } from '../cms/cms.ts'
import { type Conversation, summary } from '../conversation/item.ts'
import * as Row from '../conversation/row.ts'
import type { PendingCall } from '../conversation/schema.ts'
import * as Pending from '../conversation/transcript/pending.ts'
import { batchOf } from '../conversation/transcript/schema.ts'
import { changeOf } from '../tool/run.ts'
import type { Acting } from './conversation.ts'
import { pendingOf, refuseStale } from './decision.ts'
import { mayDecide, shown } from './pending-approval.ts'
import type { AmendAnswer, AmendBody } from './request.ts'

/**
 * Replaces words that a pending call proposes with the user's words. The proposal gets a new digest; an approval
 * contains the digest, so that it always refers to the current words. Changes nothing in the CMS.
 */
export function amend(
  { actor, now }: Acting,
  cms: Cms,
  conversation: Conversation,
  body: AmendBody,
): Promise<AmendAnswer> {
  return Row.contend(conversation, async (current) => {
    Row.refuseDeleted(current)
    const pending = await pendingOf(current, now)
    refuseStale(pending, body)
    if (!(await mayDecide(actor, cms, pending))) throw new VisibleError('approval.notAllowed')
    const { calls, definitions } = await amended(actor, cms, pending, body)
    const amending = { ...pending, calls, definitions }
    const next = { ...amending, digest: digest({ ...amending, owner: actor.uid }) }
    const stored = await Row.store(current, {}, Pending.replace(current.id, pending, next))
    if (!stored) return undefined
    const pendingApproval = await shown(actor, cms, stored, next)
    return pendingApproval ? { conversation: summary(stored), pendingApproval } : undefined
  })
}

/**
 * Puts the new words into the call. Previews later calls again if they show the record of this call.
 */
async function amended(
  actor: Actor,
  cms: Cms,
  { calls, versions, definitions: known }: Pending.Pending,
  { callId, field, value }: AmendBody,
): Promise<Pick<Pending.Pending, 'calls' | 'definitions'>> {
  const definitions = { ...known }
  const at = calls.findIndex(({ id }) => id === callId)
  const call = calls[at]
  if (!call?.editable?.includes(field))
    throw new VisibleError('request.invalid', { fields: { field: 'unknown' } })
  const next = calls.with(at, { ...call, wording: { ...call.wording, [field]: value } })
  for (let each = at; each < next.length; each++) {
    const one = next[each] as PendingCall
    if (each > at && !showsRecordOf(call, one)) continue
    // A call without a preview, such as a remote tool's call, changes no record.
    const before = next.slice(0, each).filter(({ id, preview }) => preview && batchOf(id) !== batchOf(one.id))
    const shown = await previewOf(actor, cms, one, { earlier: before, versions: own(versions, one.id) ?? [] })
    next[each] = shown.call
    definitions[one.id] = shown.definition
  }
  // The consumer would refuse a batch that cannot be shown, and the user's words with it.
  for (const batch of Map.groupBy(next, ({ id }) => batchOf(id)).values()) {
    const changes = batch.flatMap(({ preview }) => preview?.changes ?? [])
    if (!fits({ changes }, maxBatchCharacters)) throw new VisibleError('approval.refused')
  }
  return { calls: next, definitions }
}

/** Returns true if a later call shows the record of `call`, as its own record or as its page. */
function showsRecordOf({ preview: changed }: PendingCall, { preview, needs }: PendingCall): boolean {
  // A call that needs a new record shows that record, which no other call changes in words.
  if (!changed || changed.uid === null || !preview || needs) return false
  return preview.uid === changed.uid || preview.page?.uid === changed.uid
}

async function previewOf(
  actor: Actor,
  cms: Cms,
  call: PendingCall,
  { earlier, versions }: { earlier: PendingCall[]; versions: Versions },
): Promise<{ call: PendingCall; definition: string }> {
  try {
    const { tool, change } = changeOf(call)
    const before = earlier.map((one) => changeOf(one).change)
    const preview = await previewed(cms, actor, change, before)
    if (hash(preview.versions) !== hash(versions)) throw new VisibleError('record.changed')
    const { id, tool: name, arguments: args, wording, effect, added } = call
    const planned = { call: { id, name, arguments: args }, tool, change, preview, wording, effect, added }
    const definition = definitionOf({ kind: 'write', preview })
    const shown = pendingWrite(planned, actor.lang)
    // A call that a later call needs cannot be reworded.
    if (!call.editable) delete shown.editable
    return { call: shown, definition }
  } catch (error) {
    if (error instanceof UnchangedError) throw new VisibleError('approval.unchanged')
    if (error instanceof ToolError) throw new VisibleError('approval.refused', { cause: error })
    throw error
  }
}
