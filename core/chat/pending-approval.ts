import type { Actor } from '../base/actor.ts'
import { ToolError } from '../base/error.ts'
import type { Cms } from '../cms/cms.ts'
import type { Conversation } from '../conversation/item.ts'
import type { PendingApproval, PendingCall } from '../conversation/schema.ts'
import type { Pending } from '../conversation/transcript/pending.ts'

/**
 * The proposal or question that waits for the user, as a poll shows it. This is a separate
 * file, so that a poll does not load the code for decisions.
 */

/**
 * The maximum number of calls of a proposal that a web request checks; a batch may have many more. The consumer checks
 * every call before its write.
 */
const asked = 20

/** Returns true if the CMS would now let the user make the changes of the pending calls. */
export async function mayDecide(actor: Actor, cms: Cms, pending: Pick<Pending, 'calls'>): Promise<boolean> {
  const answers = await Promise.all(
    pending.calls.slice(0, asked).map(async (call, at) => {
      // A call that needs an earlier call of the proposal is checked with that call, which creates its record.
      if (!call.preview || call.needs) return true
      const { table, uid } = call.preview
      const record = uid === null ? undefined : await cms.record(actor, { table, uid })
      // A new record does not exist yet, and a record in the bin cannot be read; the preview checks both.
      return record?.mayEdit ?? mayWrite(actor, cms, call, writesBefore(pending.calls, at))
    }),
  )
  return answers.every(Boolean)
}

/** Returns the earlier calls that change records; calls of remote tools have no preview. */
const writesBefore = (calls: PendingCall[], at: number) => calls.slice(0, at).filter(({ preview }) => preview)

/** True if the CMS would let the user make this write. */
async function mayWrite(actor: Actor, cms: Cms, call: PendingCall, earlier: PendingCall[]): Promise<boolean> {
  // Imports the tools only here, because a poll needs them only when a record cannot be read.
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

/** Returns the pending calls for their owner, or null if no decision is awaited. */
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
