import type { AmendAnswer } from '../../../core/chat/request.ts'
import type { PendingApproval } from '../../../core/conversation/schema.ts'
import { type Conversation, type Decision, decisionKey } from './open-conversation.ts'
import { sendAction } from './outbox.ts'
import type { StoreState } from './state.ts'

/**
 * Sends the decision on the proposal that was shown; the stage refuses a decision on a replaced proposal. The decision
 * is shown at once, and removed after a refusal. Resolves to true if the stage accepted it.
 */
export function decide(
  store: StoreState,
  conversation: Conversation,
  { digest, runId, calls }: PendingApproval,
  { approved, reason, denied = [] }: { approved: boolean; reason: string; denied?: string[] },
): Promise<boolean> {
  const body = { digest, approve: approved, ...(reason && { reason }), ...(denied.length > 0 && { denied }) }
  const at = Date.now()
  const decisions = calls.map(({ id }): [string, Decision] => [
    decisionKey(runId, id),
    { approved: approved && !denied.includes(id), at, reason },
  ])
  return sendDecision(store, conversation, 'approve', body, decisions)
}

/** Sends the answer to the shown question, and shows it at once. Resolves to true if the stage accepted it. */
export function answer(
  store: StoreState,
  conversation: Conversation,
  { digest, runId, calls }: PendingApproval,
  { choices, text, words }: { choices: number[]; text: string; words: string },
): Promise<boolean> {
  const decision = { approved: true, at: Date.now(), reason: words }
  return sendDecision(store, conversation, 'answer', { digest, choices, text }, [
    [decisionKey(runId, calls[0]?.id ?? ''), decision],
  ])
}

/**
 * Shows decisions by their keys, sends them, and removes them after a refusal. Resolves to true if the stage accepted
 * the decisions.
 */
async function sendDecision(
  store: StoreState,
  conversation: Conversation,
  verb: string,
  body: Record<string, unknown>,
  decisions: readonly [key: string, decision: Decision][],
): Promise<boolean> {
  for (const [key, decision] of decisions) conversation.decisions.set(key, decision)
  store.changed()
  const isTaken = (await sendAction(store, conversation, verb, body, { key: crypto.randomUUID() })) !== null
  if (!isTaken) for (const [key] of decisions) conversation.decisions.delete(key)
  store.changed()
  return isTaken
}

/** Replaces proposed words with the user's words; resolves to true if the stage accepted them. */
export async function amend(
  store: StoreState,
  conversation: Conversation,
  { digest }: PendingApproval,
  words: { callId: string; field: string; value: string },
): Promise<boolean> {
  const replaced = ({ pendingApproval: approval }: AmendAnswer) => ({ approval })
  const answer = await sendAction(store, conversation, 'amend', { digest, ...words }, { replaced })
  store.changed()
  return answer !== null
}
