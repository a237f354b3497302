import * as Run from '../agent/run-record.ts'
import * as Table from '../base/aws/table.ts'
import * as Metric from '../base/metric/metric.ts'
import { metrics } from '../base/metric/name.ts'
import type { Conversation } from '../conversation/item.ts'
import { codec, key } from '../user/feedback.ts'
import type { Feedback } from '../user/schema.ts'
import type { Acting } from './conversation.ts'
import type { FeedbackBody } from './request.ts'

/** Returns the actor's feedback on the answer of a run, or null. Rejects with `run.notFound`. */
export async function read(
  { actor, now }: Acting,
  conversation: Conversation,
  runId: string,
): Promise<Feedback | null> {
  await Run.ofConversation(actor.uid, conversation.id, runId, now)
  const row = await Table.get(key(Run.partition({ owner: actor.uid, runId })))
  if (!row) return null
  const { verdict, reason = null, words } = codec.decode(row)
  return { verdict, reason, words }
}

/**
 * Stores the actor's feedback on the answer of a run and replaces earlier feedback. Adds the model and the prompt
 * version of the run, but no text of the conversation. Returns null after a removal. Rejects with `run.notFound`.
 */
export async function say(
  { actor, now }: Acting,
  conversation: Conversation,
  { runId, verdict, reason, words }: FeedbackBody,
): Promise<Feedback | null> {
  const run = await Run.ofConversation(actor.uid, conversation.id, runId, now)
  const place = key(Run.partition(run))
  if (verdict === null) {
    await Table.remove(place)
    return null
  }
  const [before, steps] = await Promise.all([Table.get(place), Run.steps(run)])
  const detail = steps.findLast(({ detail }) => Run.modelOf(detail) !== '')?.detail ?? {}
  const promptVersion = typeof detail.promptVersion === 'string' ? detail.promptVersion : ''
  const feedback = { verdict, reason: reason ?? undefined, words }
  const known = { model: Run.modelOf(detail), promptVersion, at: new Date(now).toISOString() }
  await Table.put({ ...place, ...codec.encode({ ...feedback, ...known, expiresAt: run.expiresAt }) })
  if (!before || codec.decode(before).verdict !== verdict)
    Metric.count(verdict === 'helpful' ? metrics.answersHelpful : metrics.answersNotHelpful)
  return { verdict, reason, words }
}
