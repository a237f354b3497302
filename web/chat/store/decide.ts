import type { AmendAnswer } from '../../../core/chat/decision-request.ts'
import type { PendingApproval } from '../../../core/conversation/schema.ts'
import { type Conversation, decisionKey } from './conversation.ts'
import { act, attempt, taken } from './send.ts'
import type { State } from './state.ts'

/** What a user does about calls that wait: decide, put in other words, answer. */

/**
 * Decides on a proposal as it was shown, whatever has come since: the stage refuses a decision on an old one. Shown as
 * decided at once, and again as waiting when it was refused. True when the stage took the decision.
 */
export async function decide(
  store: State,
  conversation: Conversation,
  shown: PendingApproval,
  { approved, reason, denied = [] }: { approved: boolean; reason: string; denied?: string[] },
): Promise<boolean> {
  const body = {
    conversationId: conversation.id,
    digest: shown.digest,
    approve: approved,
    ...(reason ? { reason } : {}),
    ...(denied.length > 0 ? { denied } : {}),
  }
  const keys = shown.calls.map((call) => decisionKey(shown.runId, call.id))
  for (const [at, key] of keys.entries()) {
    const isDone = approved && !denied.includes(shown.calls[at]?.id ?? '')
    conversation.decisions.set(key, { approved: isDone, at: Date.now(), reason })
  }
  store.changed()
  const isDone = await act(store, conversation, '/conversations/approve', body, crypto.randomUUID())
  if (!isDone) for (const key of keys) conversation.decisions.delete(key)
  store.changed()
  return isDone
}

/** Answers a question as it was shown; shown as answered at once. True when the stage took the answer. */
export async function answer(
  store: State,
  conversation: Conversation,
  { digest, runId, calls }: PendingApproval,
  { choices, text, words }: { choices: number[]; text: string; words: string },
): Promise<boolean> {
  const key = decisionKey(runId, calls[0]?.id ?? '')
  conversation.decisions.set(key, { approved: true, at: Date.now(), reason: words })
  store.changed()
  const body = { conversationId: conversation.id, digest, choices, text }
  const isDone = await act(store, conversation, '/conversations/answer', body, crypto.randomUUID())
  if (!isDone) conversation.decisions.delete(key)
  store.changed()
  return isDone
}

/** Puts words of the user in the place of proposed ones; true when the stage took them. */
export async function amend(
  store: State,
  conversation: Conversation,
  { digest }: PendingApproval,
  words: { callId: string; field: string; value: string },
): Promise<boolean> {
  const body = { conversationId: conversation.id, digest, ...words }
  const answer = await attempt(store, conversation, () =>
    store.api.post<AmendAnswer>('/conversations/amend', body),
  )
  if (!answer) {
    store.changed()
    return false
  }
  conversation.take({ ...conversation.transcript, approval: answer.pendingApproval }, Date.now())
  taken(store, conversation, answer)
  store.changed()
  return true
}
