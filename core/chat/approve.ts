import type * as z from 'zod'
import type { Actor } from '../base/actor.ts'
import { VisibleError } from '../base/error.ts'
import type { Cms } from '../cms/cms.ts'
import * as Claim from '../conversation/claim.ts'
import type { Conversation } from '../conversation/item.ts'
import type { Question } from '../conversation/schema.ts'
import * as Pending from '../conversation/transcript/pending.ts'
import * as Transcript from '../conversation/transcript/transcript.ts'
import type { Audited } from '../user/audit/item.ts'
import * as Audit from '../user/audit/item.ts'
import { own } from './own.ts'
import { mayDecide } from './pending-approval.ts'
import type { ApproveBody } from './request.ts'
import { type ReadAlong, refuseBusy, replayed, restart, type Starter } from './start.ts'
import { ConversationAnswer } from './start-request.ts'

/**
 * Records the decision and queues the conversation; a consumer executes it, never the web request. Checks in order:
 * owner, pending, not expired, digest, right, cap.
 */
export async function approve(
  starter: Starter,
  cms: Cms,
  decision: z.infer<typeof ApproveBody>,
  rows: ReadAlong,
): Promise<ConversationAnswer> {
  const { actor, now } = starter
  const known = replayed(starter, ConversationAnswer, rows.known)
  if (known) return known
  const it = own(actor, decision.conversationId, rows.conversation)
  return restart(starter, it, ConversationAnswer, async (current: Conversation) => {
    const pending = await pendingOf(current, now)
    if (questionOf(pending)) throw new VisibleError('approval.notPending')
    if (pending.digest !== decision.digest) throw new VisibleError('approval.stale')
    if (!(await mayDecide(actor, cms, pending))) throw new VisibleError('approval.notAllowed')
    refuseBusy(current)
    const at = new Date(now).toISOString()
    const { reason, denied } = decision
    const ids = new Set(pending.calls.map(({ id }) => id))
    if (denied.some((id) => !ids.has(id)))
      throw new VisibleError('request.invalid', { fields: { denied: 'ids of the pending calls' } })
    const approve = decision.approve && new Set(denied).size < ids.size
    return {
      // The same turn goes on: its steps, its work and its hand-overs count on.
      changes: Claim.enqueue(now),
      writes: [
        Pending.decide(current.id, decision.digest, { approve, reason, at, denied: approve ? denied : [] }),
        ...audited(starter.actor, { ...decision, approve }, pending).map((event) =>
          Audit.write(event, starter.settings.retainAuditDays, now),
        ),
      ],
      answer: (conversation) => ({ conversation }),
      refused: () => new VisibleError('approval.notPending'),
    }
  })
}

/** The entry of the audit: the conversation, the run and the records, nothing of their contents. */
function audited(
  { uid }: Actor,
  { conversationId, approve, denied = [] }: z.infer<typeof ApproveBody>,
  { runId, calls }: Pending.Pending,
): Audited[] {
  const event = (act: 'approve' | 'decline', isMeant: (id: string) => boolean): Audited => {
    const records = calls.flatMap(({ id, preview }) =>
      isMeant(id) && preview && preview.uid !== null ? [{ type: preview.table, uid: preview.uid }] : [],
    )
    const resources = [{ type: 'conversation', uid: conversationId }, ...records]
    return { act, uid, source: 'web', runId, resources }
  }
  if (!approve) return [event('decline', () => true)]
  const refused = new Set(denied)
  const approved = event('approve', (id) => !refused.has(id))
  return refused.size > 0 ? [approved, event('decline', (id) => refused.has(id))] : [approved]
}

/** Reads the proposal that waits for a decision of the user. Throws `approval.notPending` where nothing does. */
export async function pendingOf(it: Conversation, now: number): Promise<Pending.Pending> {
  const { pending } = it.status === 'awaiting_approval' ? await Transcript.beside(it) : { pending: undefined }
  if (!pending || pending.decision || now >= Date.parse(pending.until)) {
    throw new VisibleError('approval.notPending')
  }
  return pending
}

/** The question that waits for the user; undefined where the calls that wait are to be approved. */
export function questionOf({ calls }: Pick<Pending.Pending, 'calls'>): Question | undefined {
  return calls.find(({ question }) => question)?.question
}
