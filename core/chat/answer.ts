import { VisibleError } from '../base/error.ts'
import * as Claim from '../conversation/claim.ts'
import type { Question } from '../conversation/schema.ts'
import * as Pending from '../conversation/transcript/pending.ts'
import { pendingOf, questionOf } from './approve.ts'
import { own } from './own.ts'
import type { AnswerBody } from './request.ts'
import { type ReadAlong, refuseBusy, replayed, restart, type Starter } from './start.ts'
import { ConversationAnswer } from './start-request.ts'

/**
 * Records the user's answer to a question of the assistant and queues the conversation. It is the decision on that
 * question: accepted once, for the question that was shown, within its seven days.
 */
export async function answer(
  starter: Starter,
  body: AnswerBody,
  rows: ReadAlong,
): Promise<ConversationAnswer> {
  const { actor, now } = starter
  const known = replayed(starter, ConversationAnswer, rows.known)
  if (known) return known
  const it = own(actor, body.conversationId, rows.conversation)
  return restart(starter, it, ConversationAnswer, async (current) => {
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
