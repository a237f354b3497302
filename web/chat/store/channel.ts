import type { MessagesAnswer } from '../../../core/chat/messages-request.ts'
import type { RecordId } from '../../../core/conversation/schema.ts'

/**
 * A record that the chat changed. `key` identifies the change, so that a page that receives it twice reports it once.
 */
export type RecordChange = { key: string; table: string; uid: RecordId }

/** A message between the tabs of one user. */
export type Word =
  /** An answer of a poll, for the tabs that show the same conversation. */
  | { type: 'answer'; conversationId: string; answer: MessagesAnswer }
  /** The conversation changed: a tab that shows it should poll it. */
  | { type: 'changed'; conversationId: string }
  /** A message that had not reached the stage was sent or discarded in another tab. */
  | { type: 'settled'; key: string }
  /** The chat changed records of the site. */
  | { type: 'records'; changes: RecordChange[] }
  /** The user logged out, or another user logged in. */
  | { type: 'left' }

/** The channel between the tabs of one user. */
export class Channel {
  readonly #wire: BroadcastChannel
  readonly #heard: (word: Word) => void
  #isOpen = true

  constructor(name: string, heard: (word: Word) => void) {
    this.#heard = heard
    this.#wire = new BroadcastChannel(name)
    this.#wire.onmessage = ({ data }: MessageEvent<unknown>) => {
      const word = wordOf(data)
      if (word?.type === 'answer') void this.#checkAnswer(word)
      else if (word) heard(word)
    }
  }

  say(word: Word): void {
    this.#wire.postMessage(word)
  }

  close(): void {
    this.#isOpen = false
    this.#wire.close()
  }

  /** Validates an answer before it is accepted; an answer of another release counts only as a hint to poll. */
  async #checkAnswer({ conversationId, answer: found }: Found): Promise<void> {
    const answer = await import('./parse-answer.ts')
      .then(({ parseAnswer }) => parseAnswer(found))
      .catch(() => undefined)
    if (!this.#isOpen) return
    this.#heard(answer ? { type: 'answer', conversationId, answer } : { type: 'changed', conversationId })
  }
}

/** An answer from another tab whose content is not validated yet. */
type Found = { type: 'answer'; conversationId: string; answer: unknown }

/**
 * Reads a message from the channel. Other scripts of the same origin can send, too, so unknown messages are dropped.
 */
export function wordOf(data: unknown): Exclude<Word, { type: 'answer' }> | Found | undefined {
  if (typeof data !== 'object' || data === null) return undefined
  const { type, changes, key, conversationId, answer } = data as Record<string, unknown>
  if (type === 'left') return { type }
  if (type === 'settled') return typeof key === 'string' ? { type, key } : undefined
  if (type === 'records')
    return Array.isArray(changes) && changes.every(isChange)
      ? { type, changes: changes.map(({ key, table, uid }) => ({ key, table, uid })) }
      : undefined
  if (typeof conversationId !== 'string') return undefined
  if (type === 'changed') return { type, conversationId }
  return type === 'answer' ? { type, conversationId, answer } : undefined
}

function isChange(change: unknown): change is RecordChange {
  if (typeof change !== 'object' || change === null) return false
  const { key, table, uid } = change as Record<string, unknown>
  return typeof key === 'string' && typeof table === 'string' && ['string', 'number'].includes(typeof uid)
}
