import type { AmendAnswer } from '../../../core/chat/request.ts'
import type { PendingApproval } from '../../../core/conversation/schema.ts'
import { type Conversation, type Decision, decisionKey } from './open-conversation.ts'
import { act } from './outbox.ts'
import type { StoreState } from './state.ts'

/** The user's acts on pending calls: decide, change words, answer. */

/**
 * Decides on a proposal as it was shown, whatever has come since: the stage refuses a decision on an old one. Shown as
 * decided at once, and again as waiting when it was refused. True when the stage took the decision.
 */
export function decide(
  store: StoreState,
  conversation: Conversation,
  { digest, runId, calls }: PendingApproval,
  { approved, reason, denied = [] }: { approved: boolean; reason: string; denied?: string[] },
): Promise<boolean> {
  const body = {
    digest,
    approve: approved,
    ...(reason ? { reason } : {}),
    ...(denied.length > 0 ? { denied } : {}),
  }
  const at = Date.now()
  const decisions = calls.map(({ id }): [string, Decision] => [
    decisionKey(runId, id),
    { approved: approved && !denied.includes(id), at, reason },
  ])
  return sendDecision(store, conversation, 'approve', body, decisions)
}

/** Answers a question as it was shown; shown as answered at once. True when the stage took the answer. */
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

/** Shows decisions by their keys, sends them, and takes them back when the stage refused. True when it took them. */
async function sendDecision(
  store: StoreState,
  conversation: Conversation,
  verb: string,
  body: Record<string, unknown>,
  decisions: readonly [key: string, decision: Decision][],
): Promise<boolean> {
  for (const [key, decision] of decisions) conversation.decisions.set(key, decision)
  store.changed()
  const isTaken = (await act(store, conversation, verb, body, { key: crypto.randomUUID() })) !== null
  if (!isTaken) for (const [key] of decisions) conversation.decisions.delete(key)
  store.changed()
  return isTaken
}

/** Puts words of the user in the place of proposed ones; true when the stage took them. */
export async function amend(
  store: StoreState,
  conversation: Conversation,
  { digest }: PendingApproval,
  words: { callId: string; field: string; value: string },
): Promise<boolean> {
  const replaced = ({ pendingApproval: approval }: AmendAnswer) => ({ approval })
  const answer = await act(store, conversation, 'amend', { digest, ...words }, { replaced })
  store.changed()
  return answer !== null
}
