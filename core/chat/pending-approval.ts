import type { Actor } from '../base/actor.ts'
import { ToolError } from '../base/error.ts'
import type { Cms } from '../cms/cms.ts'
import type { Conversation } from '../conversation/item.ts'
import type { PendingApproval, PendingCall } from '../conversation/schema.ts'
import type { Pending } from '../conversation/transcript/pending.ts'

/**
 * The proposal or question that waits for the user, as a poll shows it. Apart from approve.ts, so that a poll loads nothing that
 * decides.
 */

/**
 * Most calls of a proposal that the web side checks, so that a batch costs no more than a reply; the consumer checks each
 * before its write.
 */
const asked = 20

/** True if the CMS would let the user make these changes now. */
export async function mayDecide(actor: Actor, cms: Cms, pending: Pick<Pending, 'calls'>): Promise<boolean> {
  const answers = await Promise.all(
    pending.calls.slice(0, asked).map(async (call, at) => {
      // The call that creates its record stands for it.
      if (!call.preview || call.needs) return true
      const { table, uid } = call.preview
      const record = uid === null ? undefined : await cms.record(actor, { table, uid })
      // A new record is not there yet, and a record in the bin is not read: the preview tells of both.
      return record?.mayEdit ?? mayWrite(actor, cms, call, writesBefore(pending.calls, at))
    }),
  )
  return answers.every(Boolean)
}

/** The calls before one that change records; those of other servers' tools change none. */
const writesBefore = (calls: PendingCall[], at: number) => calls.slice(0, at).filter(({ preview }) => preview)

/** True if the CMS would let the user make a write. */
async function mayWrite(actor: Actor, cms: Cms, call: PendingCall, earlier: PendingCall[]): Promise<boolean> {
  // A poll that finds every record needs no tools.
  const [{ changeOf }, { previewChange }] = await Promise.all([
    import('../tool/run.ts'),
    import('../cms/preview.ts'),
  ])
  try {
    const before = earlier.map((one) => changeOf(one).change)
    await previewChange(cms, actor, changeOf(call).change, before)
    return true
  } catch (error) {
    if (error instanceof ToolError) return false
    throw error
  }
}

/** The pending calls as their owner gets them. */
export async function shown(
  actor: Actor,
  cms: Cms,
  conversation: Conversation,
  pending: Pending | undefined,
): Promise<PendingApproval | null> {
  if (!pending || pending.decision || conversation.status !== 'awaiting_approval') return null
  return {
    runId: pending.runId,
    digest: pending.digest,
    expiresAt: pending.until,
    mayDecide: await mayDecide(actor, cms, pending),
    calls: pending.calls,
  }
}
