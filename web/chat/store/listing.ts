import type { ListAnswer } from '../../../core/chat/request.ts'
import type { Summary } from '../../../core/conversation/schema.ts'
import type { Api } from '../api.ts'
import { isBusy } from './known-transcript.ts'

const pageSize = 50

/** The conversations of a list: the active ones, those of them that wait for the user, or the archived ones. */
export type ListingKind = 'active' | 'waiting' | 'archived'

/** One list of conversations of a kind: all of them, or those that a search finds. */
export class Listing {
  readonly kind: ListingKind
  readonly search: string
  items: readonly Summary[] = []
  nextCursor: string | null = null
  /** Excerpts with the matches of a search, by id of the conversation. */
  excerpts: Readonly<Record<string, string>> = {}
  isLoaded = false
  #asked = 0
  #before: Listing | null

  /** `before` is drawn until the first page of this list is there. */
  constructor(kind: ListingKind, search = '', before: Listing | null = null) {
    this.kind = kind
    this.search = search
    this.#before = before?.drawn ?? null
  }

  /** The list to draw: this one, or the one before it while nothing of this one is known. */
  get drawn(): Listing {
    return this.isLoaded || !this.#before ? this : this.#before
  }

  /** Asks for the first page again; an answer that was overtaken by a later question is dropped. */
  async load(api: Api): Promise<boolean> {
    const asked = ++this.#asked
    const answer = await api.get<ListAnswer>('/conversations', this.#query())
    if (asked !== this.#asked) return false
    this.items = sorted(answer.conversations)
    this.excerpts = answer.excerpts ?? {}
    this.nextCursor = answer.nextCursor
    this.isLoaded = true
    this.#before = null
    return true
  }

  /** Asks for the next page; its answer is dropped where the first page was asked for again meanwhile. */
  async more(api: Api): Promise<void> {
    if (!this.nextCursor) return
    const asked = this.#asked
    const answer = await api.get<ListAnswer>('/conversations', { ...this.#query(), cursor: this.nextCursor })
    if (asked !== this.#asked) return
    const known = new Set(this.items.map((item) => item.id))
    this.items = sorted([...this.items, ...answer.conversations.filter((item) => !known.has(item.id))])
    this.excerpts = { ...this.excerpts, ...answer.excerpts }
    this.nextCursor = answer.nextCursor
  }

  /** Stores the summary of a conversation, unless a newer one is already stored. */
  note(summary: Summary): void {
    const known = this.items.find((item) => item.id === summary.id)
    if (known && known.version > summary.version) return
    const rest = this.items.filter((item) => item.id !== summary.id)
    const isOfKind =
      summary.archived === this.archived &&
      (this.kind !== 'waiting' || summary.status === 'awaiting_approval')
    const belongs = isOfKind && this.#matches(summary)
    this.items = belongs ? sorted([...rest, summary]) : rest
  }

  drop(id: string): void {
    this.items = this.items.filter((item) => item.id !== id)
  }

  get archived(): boolean {
    return this.kind === 'archived'
  }

  get busyIds(): string[] {
    return this.items.filter((item) => isBusy(item.status)).map((item) => item.id)
  }

  /** The number of conversations that wait for a decision of the user. */
  get waitingCount(): number {
    return this.items.filter((item) => item.status === 'awaiting_approval').length
  }

  #matches(summary: Summary): boolean {
    // The stage has already found the search words.
    if (Object.hasOwn(this.excerpts, summary.id)) return true
    const title = summary.title.toLowerCase()
    return this.search
      .toLowerCase()
      .split(/\s+/u)
      .every((word) => title.includes(word))
  }

  #query() {
    return {
      archived: this.archived,
      ...(this.kind === 'waiting' ? { waiting: true } : {}),
      limit: pageSize,
      ...(this.search ? { search: this.search } : {}),
    }
  }
}

/** Pinned first, then newest change first: the order of the stage. */
function sorted(items: readonly Summary[]): Summary[] {
  return items.toSorted((a, b) => Number(b.pinned) - Number(a.pinned) || inOrder(b.updatedAt, a.updatedAt))
}

/** Times in UTC have the order of their letters. The browser's own comparison of texts takes milliseconds to begin. */
function inOrder(a: string, b: string): number {
  return Number(a > b) - Number(a < b)
}

/** The conversations of the list that the user has ticked, to do the same to all of them. */
export class Selected {
  /** In the order in which they were ticked. */
  ids: ReadonlySet<string>
  /** The failures of the last act with their reasons, in a sentence; empty if there are none. */
  left: string
  isActing = false

  constructor(ids: Iterable<string> = [], left = '') {
    this.ids = new Set(ids)
    this.left = left
  }
}
