import type { ConversationAnswer, NextMessage, ViewContext } from '../../../core/conversation/schema.ts'
import type { Conversation } from './open-conversation.ts'
import { act, draft, namesOf } from './outbox.ts'
import type { StoreState } from './state.ts'

/** The last message of each conversation that could not be queued: the same content again is sent with the same key. */
const unanswered = new WeakMap<Conversation, { words: string; key: string }>()

/**
 * Queues the draft after the running turn; it becomes the draft again if the stage refuses. `begun` resolves when the
 * stage has received the message that begins the turn, or to false if that failed.
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

/** Puts a text back into the field, before text that the user wrote there meanwhile. */
export function giveBack(store: StoreState, conversation: Conversation, words: string): void {
  draft(store, conversation, [words, conversation.draft].filter(Boolean).join('\n\n'))
  store.changed()
}

type QueueAnswer = ConversationAnswer & { next: NextMessage[] }

/** Changes the waiting messages; resolves to true if the stage accepted the change. */
export async function changeQueue(
  store: StoreState,
  conversation: Conversation,
  body: Record<string, unknown> & { act: string },
  key: string = crypto.randomUUID(),
): Promise<boolean> {
  const replaced = ({ next }: QueueAnswer) => ({ next })
  return (await act(store, conversation, 'next', body, { key, replaced })) !== null
}
