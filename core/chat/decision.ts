import type { Actor } from '../base/actor.ts'
import type * as Table from '../base/aws/table.ts'
import { VisibleError } from '../base/error.ts'
import { trimUnseen } from '../base/safety/invisible.ts'
import type { Cms } from '../cms/cms.ts'
import * as Claim from '../conversation/claim.ts'
import type { Conversation } from '../conversation/item.ts'
import type { ConversationAnswer, Question } from '../conversation/schema.ts'
import type { Decision } from '../conversation/transcript/pending.ts'
import * as Pending from '../conversation/transcript/pending.ts'
import * as Transcript from '../conversation/transcript/transcript.ts'
import * as Audit from '../user/audit.ts'
import { mayDecide } from './pending-approval.ts'
import type { AnswerBody, ApproveBody } from './request.ts'
import { restart, type Starter } from './start.ts'

/**
 * Records the decision and queues the conversation; a consumer executes the decision, never the web request. Checks in
 * this order: owner, pending, expiry, digest, right, limit of active conversations.
 */
export function approve(
  starter: Starter,
  cms: Cms,
  conversation: Conversation,
  body: ApproveBody,
): Promise<ConversationAnswer> {
  const { actor, settings, now } = starter
  return decide(starter, conversation, body, async (pending) => {
    if (questionOf(pending)) throw new VisibleError('approval.notPending')
    refuseStale(pending, body)
    if (!(await mayDecide(actor, cms, pending))) throw new VisibleError('approval.notAllowed')
    const ids = new Set(pending.calls.map(({ id }) => id))
    if (body.denied.some((id) => !ids.has(id)))
      throw new VisibleError('request.invalid', { fields: { denied: 'ids of the pending calls' } })
    const approve = body.approve && new Set(body.denied).size < ids.size
    const denied = approve ? body.denied : []
    const acts = audited(actor, conversation.id, pending, new Set(approve ? denied : ids))
    return {
      decision: { approve, reason: body.reason, denied },
      writes: acts.map((act) => Audit.write(act, settings.retainAuditDays, now)),
    }
  })
}

/**
 * Records the user's answer to a question of the assistant and queues the conversation. The answer is the decision on
 * the question: accepted once, for the question that was shown, until it expires.
 */
export function answer(
  starter: Starter,
  conversation: Conversation,
  body: AnswerBody,
): Promise<ConversationAnswer> {
  return decide(starter, conversation, body, async (pending) => {
    const question = questionOf(pending)
    if (!question) throw new VisibleError('approval.notPending')
    refuseStale(pending, body)
    const decision = { approve: true, reason: '', denied: [], answer: inWords(question, body) }
    return { decision, writes: [] }
  })
}

/**
 * Stores the decision that `judge` returns for the pending calls. The same turn continues, and keeps its counts of
 * steps, work and hand-overs.
 */
function decide(
  starter: Starter,
  conversation: Conversation,
  { digest }: { digest: string },
  judge: (pending: Pending.Pending) => Promise<{ decision: Omit<Decision, 'at'>; writes: Table.Write[] }>,
): Promise<ConversationAnswer> {
  const { now } = starter
  return restart(starter, conversation, async (current) => {
    const { decision, writes } = await judge(await pendingOf(current, now))
    const at = new Date(now).toISOString()
    return {
      changes: Claim.enqueue(now),
      writes: [Pending.decide(current.id, digest, { ...decision, at }), ...writes],
      answer: (conversation) => ({ conversation }),
      refused: () => new VisibleError('approval.notPending'),
    }
  })
}

/** Throws `approval.stale` if the decision names another proposal than the waiting one. */
export function refuseStale(pending: Pick<Pending.Pending, 'digest'>, given: { digest: string }): void {
  if (pending.digest !== given.digest) throw new VisibleError('approval.stale')
}

/**
 * Returns the answer as one text: the chosen answers in their order, then the user's own words. Empty if the user gave
 * neither.
 */
function inWords(
  { choices, several, freeText }: Question,
  { choices: taken, text }: Pick<AnswerBody, 'choices' | 'text'>,
): string {
  const chosen = choices.filter((_, at) => taken.includes(at))
  const isKnown = taken.every((at) => at < choices.length) && (several || taken.length < 2)
  if (!isKnown) throw new VisibleError('request.invalid', { fields: { choices: 'positions of choices' } })
  const own = trimUnseen(text)
  if (own !== '' && !freeText)
    throw new VisibleError('request.invalid', { fields: { text: 'not asked for' } })
  return [...chosen, ...(own === '' ? [] : [own])].join('; ')
}

/** Returns the audit entries of a decision: conversation, run and records, without their contents. */
function audited(
  { uid }: Actor,
  conversationId: string,
  { runId, calls }: Pending.Pending,
  denied: ReadonlySet<string>,
): Audit.Audited[] {
  return (['approve', 'decline'] as const).flatMap((act) => {
    const meant = calls.filter(({ id }) => denied.has(id) === (act === 'decline'))
    if (meant.length === 0) return []
    const records = meant.flatMap(({ preview }) =>
      preview && preview.uid !== null ? [{ type: preview.table, uid: preview.uid }] : [],
    )
    const resources = [{ type: 'conversation', uid: conversationId }, ...records]
    return [{ act, uid, source: 'web', runId, resources }]
  })
}

/** Returns the proposal that waits for the user's decision. Rejects with `approval.notPending` if no proposal waits. */
export async function pendingOf(conversation: Conversation, now: number): Promise<Pending.Pending> {
  const isWaiting = conversation.status === 'awaiting_approval'
  const pending = isWaiting ? (await Transcript.beside(conversation)).pending : undefined
  if (!pending || pending.decision || now >= Date.parse(pending.until))
    throw new VisibleError('approval.notPending')
  return pending
}

/** Returns the question that waits for the user; undefined if the pending calls are a proposal. */
export function questionOf({ calls }: Pick<Pending.Pending, 'calls'>): Question | undefined {
  return calls.find(({ question }) => question)?.question
}
