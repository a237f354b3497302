import type { EditAnswer, ViewContext } from '../../../core/conversation/schema.ts'
import type { Message } from '../../../core/conversation/transcript/schema.ts'
import { type Conversation, type Pending, storedFile } from './open-conversation.ts'
import { firstState, sendAction } from './outbox.ts'
import type { StoreState } from './state.ts'

/** The conversations in which a turn is about to run again, so that a second click starts nothing. */
const beginning = new WeakSet<Conversation>()

/**
 * Replaces a user's message and runs the turn again; the stage keeps the old message and its following messages as a
 * version. Returns null if the stage refused.
 */
export async function edit(
  store: StoreState,
  conversation: Conversation,
  message: Message,
  content: string,
  viewContext: ViewContext | null,
): Promise<EditAnswer | null> {
  const body = {
    sequence: message.sequence,
    content,
    expectedContent: message.content,
    ...(viewContext ? { viewContext } : {}),
  }
  const key = crypto.randomUUID()
  const replaced = ({ sequence }: EditAnswer) => {
    const { fileUid, fileName, mentions = [] } = message
    const edited: Pending = {
      ...firstState,
      state: 'sent',
      goesAgain: false,
      key,
      body: { content, ...(fileUid !== undefined && { fileUid }) },
      at: Date.now(),
      attachments: storedFile(fileUid, fileName),
      mentions,
      sequence,
    }
    const unsent = conversation.pending.filter(({ state }) => state === 'unsent')
    conversation.pending = [edited, ...unsent]
    const messages = conversation.transcript.messages.filter((one) => one.sequence < message.sequence)
    return { messages, activity: [], approval: null }
  }
  return begin(conversation, () =>
    sendAction<EditAnswer>(store, conversation, 'edit', body, { key, replaced }),
  )
}

/** Resumes a failed turn. */
export async function retry(store: StoreState, conversation: Conversation): Promise<void> {
  await begin(conversation, () => sendAction(store, conversation, 'retry', {}, { key: crypto.randomUUID() }))
}

/** Sends a request that begins a turn; null while the stage has not answered an earlier one. */
async function begin<T>(conversation: Conversation, request: () => Promise<T>): Promise<T | null> {
  if (beginning.has(conversation)) return null
  beginning.add(conversation)
  return request().finally(() => beginning.delete(conversation))
}
