import type { ConversationAnswer, NextMessage, ViewContext } from '../../../core/conversation/schema.ts'
import type { Conversation } from './open-conversation.ts'
import { giveBack, sendAction, takeDraft } from './outbox.ts'
import type { StoreState } from './state.ts'

/**
 * The last message of each conversation that could not be queued. The same content gets the same key when it is sent
 * again.
 */
const unanswered = new WeakMap<Conversation, { words: string; key: string }>()

/**
 * Queues the draft, which is sent after the running turn; puts it back into the field if the stage refuses it. `begun`
 * resolves to true when the stage has received the message that begins the turn, to false if that failed.
 */
export async function add(
  store: StoreState,
  conversation: Conversation,
  viewContext: ViewContext | null,
  begun: Promise<boolean>,
): Promise<boolean> {
  const { body: written, attachments, mentions } = takeDraft(store, conversation, viewContext)
  const body = { act: 'add', ...written }
  const words = JSON.stringify(body)
  const before = unanswered.get(conversation)
  // The browser keeps the draft until the stage has it: an answer may take long, and the user may reload the page.
  const keep = (draft: string) => store.keep({ drafts: { [conversation.id ?? 'new']: draft } })
  keep(body.content)
  const key = before?.words === words ? before.key : crypto.randomUUID()
  store.changed()
  if ((await begun) && (await changeQueue(store, conversation, body, key))) {
    unanswered.delete(conversation)
    keep(conversation.draft)
    return true
  }
  unanswered.set(conversation, { words, key })
  giveBack(store, conversation, body.content, { attachments, mentions })
  return false
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
  return (await sendAction(store, conversation, 'next', body, { key, replaced })) !== null
}
