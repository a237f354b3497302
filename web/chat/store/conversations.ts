import { Conversation } from './conversation.ts'

/** The conversations that this page has open, and the one that is still to be started. */
export class Conversations {
  blank = new Conversation(null)
  readonly #known = new Map<string, Conversation>()

  /** The conversation of an id, if it is open here. */
  find(id: string): Conversation | undefined {
    return this.#known.get(id)
  }

  /** Puts a conversation under its id; the next new one starts empty. */
  put(id: string, conversation: Conversation): Conversation {
    this.#known.set(id, conversation)
    if (conversation === this.blank) this.blank = new Conversation(null)
    return conversation
  }

  /** All that are open, the one without an id first. */
  all(): Conversation[] {
    return [this.blank, ...this.#known.values()]
  }

  /** Leaves nothing of them. */
  clear(): void {
    for (const conversation of this.#known.values()) conversation.stopPolling?.()
    this.#known.clear()
    this.blank = new Conversation(null)
  }
}
