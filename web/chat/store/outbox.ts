import type {
  ConversationAnswer,
  SendAnswer,
  Summary,
  ViewContext,
} from '../../../core/conversation/schema.ts'
import { ApiError } from '../api.ts'
import type { Transcript } from './known-transcript.ts'
import { type Conversation, type Pending, type SendBody, storedFile } from './open-conversation.ts'
import type { StoreState } from './state.ts'
import type { Attached } from './storage.ts'

/** The age up to which a key is used again, in milliseconds: the stage forgets an idempotency key after a day. */
const keyLifeMs = 23 * 3_600_000

/** Shows the draft as a message in the conversation at once, and sends it. */
export async function sendMessage(
  store: StoreState,
  conversation: Conversation,
  viewContext: ViewContext | null,
): Promise<void> {
  const written = takeDraft(store, conversation, viewContext)
  const pending = { ...firstState, ...written, key: crypto.randomUUID(), at: Date.now() }
  conversation.pending = [...conversation.pending, pending]
  conversation.remark = null
  await sendWaiting(store, conversation)
}

/** The state of a message that waits to be sent. */
export const firstState = { state: 'unsent', reason: null, goesAgain: true, sequence: null } as const

/**
 * Empties the field. Returns the body of a request with the draft, and its file and mentions as the user sees them. A
 * second file stays for the next message.
 */
export function takeDraft(store: StoreState, conversation: Conversation, viewContext: ViewContext | null) {
  const { draft: content, attachments, mentions } = conversation
  const ready = attachments.filter(({ state }) => state === 'ready')
  const body: SendBody = { content, ...attachedTo(conversation), ...(viewContext ? { viewContext } : {}) }
  conversation.attachments = ready.slice(1)
  conversation.mentions = []
  draft(store, conversation, '')
  return { body, attachments: ready.slice(0, 1), mentions }
}

/** Returns the first uploaded file and the mentions of a draft. The stage reads the titles of mentions from the CMS. */
export function attachedTo({ attachments, mentions }: Conversation): Attached {
  const ready = attachments.find(({ state }) => state === 'ready')
  const names = mentions.map(({ kind, table, uid }) => ({ kind, table, uid }))
  return { ...(ready?.fileUid && { fileUid: ready.fileUid }), ...(names.length > 0 && { mentions: names }) }
}

/** Returns a stored file and mentions for the view. The browser stores no file name and no title of a mention. */
function withoutNames({ fileUid, mentions = [] }: Attached) {
  return { attachments: storedFile(fileUid), mentions: mentions.map((name) => ({ ...name, title: '' })) }
}

/**
 * Sends a message that had not reached the stage, after the messages that wait before it. The key stays the same: the
 * stage remembers no key of a refused message.
 */
export async function sendAgain(
  store: StoreState,
  conversation: Conversation,
  pending: Pending,
): Promise<void> {
  if (pending.state !== 'unsent') return
  if (Date.now() - pending.at > keyLifeMs) {
    settleRequest(store, pending.key)
    Object.assign(pending, { key: crypto.randomUUID(), at: Date.now() })
  }
  pending.goesAgain = true
  await sendWaiting(store, conversation)
}

/**
 * Sends the messages that wait for the connection or the session, in their order. The first begins a turn; with
 * `isFollowing`, a turn has begun, and the messages are queued after it.
 */
export async function sendWaiting(
  store: StoreState,
  conversation: Conversation,
  isFollowing = false,
): Promise<void> {
  const { pending } = conversation
  const next = pending.find(({ goesAgain, at }) => goesAgain && Date.now() - at < keyLifeMs)
  if (!next || pending.some(({ state }) => state === 'sending')) return
  if (isFollowing) next.body.act = 'add'
  await deliver(store, conversation, next)
  if (!next.goesAgain) await sendWaiting(store, conversation, isFollowing || next.state === 'sent')
}

/** Discards a message that had not reached the stage; with `isKept`, it goes back to the draft. */
export function discard(
  store: StoreState,
  conversation: Conversation,
  pending: Pending,
  isKept: boolean,
): void {
  conversation.pending = conversation.pending.filter((one) => one !== pending)
  if (isKept) giveBack(store, conversation, pending.body.content, pending)
  settleRequest(store, pending.key)
  store.changed()
}

/** Stores the draft. */
export function draft(store: StoreState, conversation: Conversation, text: string): void {
  conversation.draft = text
  conversation.isWritten = true
  store.keep({ drafts: { [conversation.id ?? 'new']: text } })
}

/** Puts a text, files and mentions back into the field, before the draft that is there meanwhile. */
export function giveBack(
  store: StoreState,
  conversation: Conversation,
  words: string,
  { attachments, mentions }: Partial<Pick<Pending, 'attachments' | 'mentions'>> = {},
): void {
  conversation.attachments = [...(attachments ?? []), ...conversation.attachments]
  conversation.mentions = [...(mentions ?? []), ...conversation.mentions]
  draft(store, conversation, [words, conversation.draft].filter(Boolean).join('\n\n'))
  store.changed()
}

/**
 * Moves the draft and the unsent messages of a deleted conversation to the draft of another one; returns false if there
 * is nothing to move.
 */
export function moveWritten(store: StoreState, gone: Conversation, to: Conversation): boolean {
  for (const one of gone.pending.toReversed()) if (one.state === 'unsent') discard(store, gone, one, true)
  const { attachments } = gone
  const { body, mentions } = takeDraft(store, gone, null)
  if (!body.content && attachments.length + mentions.length === 0) return false
  giveBack(store, to, body.content, { attachments, mentions })
  return true
}

/** Restores what the user left or reloaded the page with: the draft's file and mentions, and unsent messages. */
export function restore(store: StoreState, conversation: Conversation): void {
  const attached = store.memory.attached[conversation.id ?? 'new']
  if (attached && !conversation.isWritten) Object.assign(conversation, withoutNames(attached))
  for (const one of Object.values(store.memory.unsent)) {
    const { pending, id } = conversation
    if (one?.conversationId !== id || pending.some(({ key }) => key === one.key)) continue
    conversation.pending = [...pending, { ...firstState, ...one, ...withoutNames(one.body) }]
  }
  if (store.phase === 'ready' && store.retryAt === null) void sendWaiting(store, conversation)
}

type ActOptions<Answer> = {
  /** The idempotency key, which makes a repetition of the request harmless. */
  key?: string
  /** The part of the transcript that the answer replaces. */
  replaced?: (answer: Answer) => Partial<Transcript>
}

/**
 * Sends an action on a conversation, and polls the conversation afterwards. After a refusal, a message is shown above
 * the composer, and the result is null.
 */
export async function sendAction<Answer extends ConversationAnswer>(
  store: StoreState,
  conversation: Conversation,
  verb: string,
  body: Record<string, unknown> = {},
  { key, replaced }: ActOptions<Answer> = {},
): Promise<Answer | null> {
  const answer = await changeConversation<Answer>(store, conversation, verb, body, key)
  if (!answer) return null
  if (replaced) conversation.take({ ...conversation.transcript, ...replaced(answer) }, Date.now())
  store.look(conversation)
  return answer
}

/**
 * Sends an action on a conversation, and reports its new state to the lists and the other tabs. After a refusal, a
 * message is shown above the composer, and the result is null.
 */
export async function changeConversation<Answer extends ConversationAnswer>(
  store: StoreState,
  conversation: Conversation,
  verb: string,
  body: Record<string, unknown>,
  key?: string,
): Promise<Answer | null> {
  const answer = await tryRequest(store, conversation, () =>
    store.api.post<Answer>(`/conversations/${verb}`, { conversationId: conversation.id, ...body }, key),
  )
  if (answer) publish(store, answer.conversation)
  return answer
}

/** Runs a request, and shows its refusal above the composer; returns null after a refusal. */
export async function tryRequest<T>(
  store: StoreState,
  conversation: Conversation,
  ask: () => Promise<T>,
): Promise<T | null> {
  try {
    conversation.remark = null
    return await ask()
  } catch (error) {
    store.caught(error)
    if (error instanceof ApiError && (error.message || error.isTransient))
      conversation.remark = { kind: 'problem', text: error.message }
    store.look(conversation)
    return null
  }
}

/** Shows a notice above the composer. */
export function remark(
  store: StoreState,
  conversation: Conversation,
  kind: 'problem' | 'info',
  text: string,
): void {
  conversation.remark = { kind, text }
  store.changed()
}

/** Reports the new state of a conversation to the lists and the other tabs. */
export function publish(store: StoreState, summary: Summary): void {
  store.note(summary)
  store.tell({ type: 'changed', conversationId: summary.id })
}

async function deliver(store: StoreState, conversation: Conversation, pending: Pending): Promise<void> {
  pending.state = 'sending'
  pending.reason = null
  pending.goesAgain = false
  conversation.runningSince ||= Date.now()
  keepUnsent(store, conversation)
  store.changed()
  try {
    const path = `/conversations/${pending.body.act ? 'next' : 'send'}`
    const answer = await storeIn(store, conversation, (conversationId) => {
      const body = { ...pending.body, conversationId }
      return store.api.post<ConversationAnswer & Partial<SendAnswer>>(path, body, pending.key)
    })
    pending.state = 'sent'
    pending.sequence = answer.sequence ?? -1
    settleRequest(store, pending.key)
    publish(store, answer.conversation)
    store.look(conversation)
  } catch (error) {
    pending.state = 'unsent'
    if (!conversation.isBusy) conversation.runningSince = 0
    const isRefused = error instanceof ApiError && !error.isTransient && error.status !== 401
    // The stage has stored the message, sent on the other route, but its answer was lost.
    if (isRefused && error.code === 'request.keyReused') discard(store, conversation, pending, false)
    if (isRefused) pending.reason = error.message
    else pending.goesAgain = true
    store.caught(error)
    // The stage refused the message, so the state of the conversation is not the shown one.
    if (isRefused) store.look(conversation)
  }
  keepUnsent(store, conversation)
  store.changed()
}

/**
 * Sends a request with the id of a conversation. Without an id, the request creates the conversation, and a second
 * request waits for the id.
 */
export async function storeIn<Answer extends ConversationAnswer>(
  store: StoreState,
  conversation: Conversation,
  send: (id: string | undefined) => Promise<Answer>,
): Promise<Answer> {
  while (conversation.storing) await conversation.storing
  if (conversation.id) return send(conversation.id)
  const sent = send(undefined)
  conversation.storing = sent
    .then(({ conversation: summary }) => store.adopt(conversation, summary))
    .catch(() => undefined)
    .finally(() => {
      conversation.storing = undefined
    })
  await conversation.storing
  return sent
}

/** Stores messages so that they survive a reload, until the stage has accepted them or the user discards them. */
function keepUnsent(store: StoreState, { id: conversationId, pending }: Conversation): void {
  const own = pending
    .filter(({ state }) => state !== 'sent')
    .map(({ key, body, at }) => [key, { key, body, at, conversationId }])
  store.keep({ unsent: Object.fromEntries(own) })
  store.flush()
}

/** Marks a message as sent or discarded, so that no reload restores it and no other tab sends it. */
function settleRequest(store: StoreState, key: string): void {
  store.keep({ unsent: { [key]: null } })
  store.flush()
  store.tell({ type: 'settled', key })
}

/** Removes a message that another tab has sent or discarded. */
export function leaveOut(store: StoreState, conversations: Iterable<Conversation>, key: string): void {
  store.keep({ unsent: { [key]: null } })
  for (const conversation of conversations)
    conversation.pending = conversation.pending.filter((one) => one.key !== key || one.state !== 'unsent')
}
