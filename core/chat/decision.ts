import type * as z from 'zod'
import type { Actor } from '../base/actor.ts'
import { VisibleError } from '../base/error.ts'
import type { Cms } from '../cms/cms.ts'
import * as Claim from '../conversation/claim.ts'
import type { Conversation } from '../conversation/item.ts'
import { ConversationAnswer, type Question } from '../conversation/schema.ts'
import * as Pending from '../conversation/transcript/pending.ts'
import * as Transcript from '../conversation/transcript/transcript.ts'
import * as Audit from '../user/audit.ts'
import { mayDecide } from './pending-approval.ts'
import type { AnswerBody, ApproveBody } from './request.ts'
import { type ReadAlong, refuseBusy, restartOwn, type Starter } from './start.ts'

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
  return restartOwn(starter, decision.conversationId, rows, ConversationAnswer, async (current) => {
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

/**
 * Records the user's answer to a question of the assistant and queues the conversation. It is the decision on that
 * question: accepted once, for the question that was shown, until it expires.
 */
export async function answer(
  starter: Starter,
  body: AnswerBody,
  rows: ReadAlong,
): Promise<ConversationAnswer> {
  const { now } = starter
  return restartOwn(starter, body.conversationId, rows, ConversationAnswer, async (current) => {
    const pending = await pendingOf(current, now)
    const question = questionOf(pending)
    if (!question) throw new VisibleError('approval.notPending')
    if (pending.digest !== body.digest) throw new VisibleError('approval.stale')
    const words = inWords(question, body)
    refuseBusy(current)
    const at = new Date(now).toISOString()
    const decision = { approve: true, reason: '', at, denied: [], answer: words }
    return {
      changes: Claim.enqueue(now),
      writes: [Pending.decide(current.id, body.digest, decision)],
      answer: (conversation) => ({ conversation }),
      refused: () => new VisibleError('approval.notPending'),
    }
  })
}

/** The answer as one text: the choices in their order, then the user's own words; empty where there is neither. */
function inWords(
  { choices, several, freeText }: Question,
  { choices: taken, text }: Pick<AnswerBody, 'choices' | 'text'>,
): string {
  const chosen = choices.filter((_, at) => taken.includes(at))
  const isKnown = taken.every((at) => at < choices.length) && (several || taken.length < 2)
  if (!isKnown) throw new VisibleError('request.invalid', { fields: { choices: 'positions of choices' } })
  const own = text.trim()
  if (own !== '' && !freeText)
    throw new VisibleError('request.invalid', { fields: { text: 'not asked for' } })
  return [...chosen, ...(own === '' ? [] : [own])].join('; ')
}

/** The entry of the audit: the conversation, the run and the records, nothing of their contents. */
function audited(
  { uid }: Actor,
  { conversationId, approve, denied = [] }: z.infer<typeof ApproveBody>,
  { runId, calls }: Pending.Pending,
): Audit.Audited[] {
  const event = (act: 'approve' | 'decline', isMeant: (id: string) => boolean): Audit.Audited => {
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
export async function pendingOf(conversation: Conversation, now: number): Promise<Pending.Pending> {
  const { pending } =
    conversation.status === 'awaiting_approval'
      ? await Transcript.beside(conversation)
      : { pending: undefined }
  if (!pending || pending.decision || now >= Date.parse(pending.until)) {
    throw new VisibleError('approval.notPending')
  }
  return pending
}

/** The question that waits for the user; undefined where the calls that wait are to be approved. */
export function questionOf({ calls }: Pick<Pending.Pending, 'calls'>): Question | undefined {
  return calls.find(({ question }) => question)?.question
}
