import type { ConversationAnswer } from '../../../core/chat/request.ts'
import type { Conversation } from './conversation.ts'
import { ask } from './load.ts'
import { attempt, publish } from './send.ts'
import type { State } from './state.ts'

/** Shows another version of an own message, with all that followed it; true when it is there. */
export async function choose(
  store: State,
  conversation: Conversation,
  sequence: number,
  version: number,
): Promise<boolean> {
  const body = { conversationId: conversation.id, sequence, version }
  const answer = await attempt(store, conversation, async () => {
    const chosen = await store.api.post<ConversationAnswer>('/conversations/version', body)
    await ask(store, conversation)
    return chosen
  })
  if (answer) publish(store, answer.conversation)
  store.changed()
  return answer !== null
}
