import type { MessagesAnswer } from '../../../core/chat/request.ts'
import type { RecordId } from '../../../core/conversation/schema.ts'

/** A record that the chat changed; `key` names the change, so that a page that hears of it twice tells it once. */
export type Change = { key: string; table: string; uid: RecordId }

/** What the tabs of one user tell each other. */
export type Word =
  /** An answer of the poll, for the tabs that show the same conversation. */
  | { type: 'answer'; conversationId: string; answer: MessagesAnswer }
  /** Something changed here: ask, if you show it. */
  | { type: 'changed'; conversationId: string }
  /** The chat changed records of the site. */
  | { type: 'records'; changes: Change[] }
  /** The user logged out, or another one logged in. */
  | { type: 'left' }

/** The wire between the tabs of one user; silent where the browser has none. */
export class Channel {
  readonly #wire: BroadcastChannel | null

  constructor(name: string, heard: (word: Word) => void) {
    this.#wire = 'BroadcastChannel' in globalThis ? new BroadcastChannel(name) : null
    if (this.#wire) {
      this.#wire.onmessage = ({ data }: MessageEvent<unknown>) => {
        const word = wordOf(data)
        if (word) heard(word)
      }
    }
  }

  say(word: Word): void {
    this.#wire?.postMessage(word)
  }

  close(): void {
    this.#wire?.close()
  }
}

/** Other scripts of the same origin can speak here too: what does not look like ours is dropped. */
export function wordOf(data: unknown): Word | undefined {
  if (typeof data !== 'object' || data === null) return undefined
  const word = data as Record<string, unknown>
  if (word.type === 'left') return { type: 'left' }
  if (word.type === 'records')
    return Array.isArray(word.changes) && word.changes.every(isChange)
      ? { type: 'records', changes: word.changes.map(({ key, table, uid }) => ({ key, table, uid })) }
      : undefined
  if (typeof word.conversationId !== 'string') return undefined
  if (word.type === 'changed') return { type: 'changed', conversationId: word.conversationId }
  const answer = word.answer as MessagesAnswer | undefined
  const isAnswer = word.type === 'answer' && Array.isArray(answer?.messages) && Array.isArray(answer.activity)
  return isAnswer ? { type: 'answer', conversationId: word.conversationId, answer } : undefined
}

function isChange(change: unknown): change is Change {
  if (typeof change !== 'object' || change === null) return false
  const { key, table, uid } = change as Record<string, unknown>
  return typeof key === 'string' && typeof table === 'string' && ['string', 'number'].includes(typeof uid)
}
