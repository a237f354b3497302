import type { ConversationAnswer } from '../../../core/chat/start-request.ts'
import type { NextMessage, ViewContext } from '../../../core/conversation/schema.ts'
import type { Conversation } from './conversation.ts'
import { attempt, draft, namesOf, taken } from './send.ts'
import type { State } from './state.ts'

/** Messages without an answer when the connection was lost: the same words again are the same message. */
const unanswered = new WeakMap<Conversation, { words: string; key: string }>()

/**
 * Queues the draft behind the running turn; it becomes the draft again if the stage refuses. `begun` resolves when the
 * stage has the message that begins the turn, with false if it failed.
 */
export async function add(
  store: State,
  conversation: Conversation,
  viewContext: ViewContext | null,
  begun: Promise<boolean>,
): Promise<boolean> {
  const { draft: content, attachments, mentions } = conversation
  const file = attachments.find(({ state }) => state === 'ready')
  const body = {
    act: 'add',
    content,
    ...(file?.fileUid ? { fileUid: file.fileUid } : {}),
    ...namesOf(conversation),
    ...(viewContext ? { viewContext } : {}),
  }
  const words = JSON.stringify(body)
  const before = unanswered.get(conversation)
  const key = before?.words === words ? before.key : crypto.randomUUID()
  conversation.attachments = []
  conversation.mentions = []
  draft(store, conversation, '')
  store.changed()
  if ((await begun) && (await change(store, conversation, body, key))) {
    unanswered.delete(conversation)
    return true
  }
  unanswered.set(conversation, { words, key })
  conversation.attachments = [...attachments, ...conversation.attachments]
  conversation.mentions = [...mentions, ...conversation.mentions]
  giveBack(store, conversation, content)
  return false
}

/** Puts a text back into the field, before the text that was written there meanwhile. */
export function giveBack(store: State, conversation: Conversation, words: string): void {
  draft(store, conversation, [words, conversation.draft].filter(Boolean).join('\n\n'))
  store.changed()
}

/** Changes the messages that wait; true when the stage took the change. */
export async function change(
  store: State,
  conversation: Conversation,
  body: Record<string, unknown> & { act: string },
  key: string = crypto.randomUUID(),
): Promise<boolean> {
  const whole = { conversationId: conversation.id, ...body }
  const answer = await attempt(store, conversation, () =>
    store.api.post<ConversationAnswer & { next: NextMessage[] }>('/conversations/next', whole, key),
  )
  if (!answer) return false
  conversation.take({ ...conversation.transcript, next: answer.next }, Date.now())
  taken(store, conversation, answer)
  return true
}
