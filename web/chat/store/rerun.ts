import type { EditAnswer, ViewContext } from '../../../core/conversation/schema.ts'
import type { Message } from '../../../core/conversation/transcript/schema.ts'
import { type Conversation, type Pending, storedFile } from './open-conversation.ts'
import { firstState, sendAction } from './outbox.ts'
import type { StoreState } from './state.ts'

/** The turn that each conversation begins again, until the stage answers: a second click starts nothing. */
const beginning = new WeakMap<Conversation, string>()

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
  const { sequence, content: expectedContent } = message
  const body = { sequence, content, expectedContent, ...(viewContext && { viewContext }) }
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
  return begin(conversation, `${sequence} ${content}`, () =>
    sendAction<EditAnswer>(store, conversation, 'edit', body, { key, replaced }),
  )
}

/** Resumes a failed turn. */
export async function retry(store: StoreState, conversation: Conversation): Promise<void> {
  const key = crypto.randomUUID()
  await begin(conversation, 'retry', () => sendAction(store, conversation, 'retry', {}, { key }))
}

/**
 * Sends a request that begins a turn; null while the stage has not answered the same one. A different one is sent, and
 * the stage refuses it with a reason.
 */
async function begin<T>(conversation: Conversation, turn: string, request: () => Promise<T>) {
  if (beginning.get(conversation) === turn) return null
  beginning.set(conversation, turn)
  return request().finally(() => beginning.delete(conversation))
}
