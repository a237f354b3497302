import type { ConversationAnswer, NextMessage, ViewContext } from '../../../core/conversation/schema.ts'
import type { Conversation } from './open-conversation.ts'
import { act, draft, namesOf } from './outbox.ts'
import type { StoreState } from './state.ts'

/** Messages without an answer when the connection was lost: the same words again are the same message. */
const unanswered = new WeakMap<Conversation, { words: string; key: string }>()

/**
 * Queues the draft behind the running turn; it becomes the draft again if the stage refuses. `begun` resolves when the
 * stage has the message that begins the turn, with false if it failed.
 */
export async function add(
  store: StoreState,
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
  if ((await begun) && (await changeQueue(store, conversation, body, key))) {
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
export function giveBack(store: StoreState, conversation: Conversation, words: string): void {
  draft(store, conversation, [words, conversation.draft].filter(Boolean).join('\n\n'))
  store.changed()
}

type QueueAnswer = ConversationAnswer & { next: NextMessage[] }

/** Changes the messages that wait; true when the stage took the change. */
export async function changeQueue(
  store: StoreState,
  conversation: Conversation,
  body: Record<string, unknown> & { act: string },
  key: string = crypto.randomUUID(),
): Promise<boolean> {
  const replaced = ({ next }: QueueAnswer) => ({ next })
  return (await act(store, conversation, 'next', body, { key, replaced })) !== null
}
