import type { ListAnswer } from '../../../core/chat/request.ts'
import type { Summary } from '../../../core/conversation/schema.ts'
import type { Api } from '../api.ts'
import { isBusy, newer } from './known-transcript.ts'

const pageSize = 50

/** The kind of a list: active conversations, active conversations that wait for the user, or archived conversations. */
export type ListingKind = 'active' | 'waiting' | 'archived'

/** A list of conversations of one kind: all of them, or the results of a search. */
export class Listing {
  readonly kind: ListingKind
  readonly search: string
  items: readonly Summary[] = []
  nextCursor: string | null = null
  /** Excerpts with the search matches, by id of the conversation. */
  excerpts: Readonly<Record<string, string>> = {}
  isLoaded = false
  #asked = 0
  #pages = 0
  #before: Listing | null

  /** `before` is the list that is drawn until the first page of this list is loaded. */
  constructor(kind: ListingKind, search = '', before: Listing | null = null) {
    this.kind = kind
    this.search = search
    this.#before = before?.drawn ?? null
  }

  /** The list to draw: this list, or the previous list until this list is loaded. */
  get drawn(): Listing {
    return this.isLoaded || !this.#before ? this : this.#before
  }

  /** Loads the shown pages again; drops the answers if a later load has begun. Returns true if they were used. */
  async load(api: Api): Promise<boolean> {
    const asked = ++this.#asked
    const fresh = new Listing(this.kind, this.search)
    do await fresh.more(api)
    while (asked === this.#asked && fresh.nextCursor && fresh.#pages < this.#pages)
    if (asked !== this.#asked) return false
    const { excerpts, nextCursor } = fresh
    // A summary that was noted meanwhile may be newer.
    const known = new Map(this.items.map((item) => [item.id, item]))
    const items = sorted(fresh.items.map((item) => newer(known.get(item.id) ?? null, item)))
    Object.assign(this, { items, excerpts, nextCursor, isLoaded: true })
    this.#pages = fresh.#pages
    this.#before = null
    return true
  }

  /** Loads the next page; drops the answer if the list was loaded again, or has this page already. */
  async more(api: Api): Promise<void> {
    const { nextCursor } = this
    const asked = this.#asked
    const query = { ...this.#query(), ...(nextCursor && { cursor: nextCursor }) }
    const answer = await api.get<ListAnswer>('/conversations', query)
    if (asked !== this.#asked || nextCursor !== this.nextCursor) return
    const known = new Set(this.items.map((item) => item.id))
    this.items = sorted([...this.items, ...answer.conversations.filter((item) => !known.has(item.id))])
    this.excerpts = { ...this.excerpts, ...answer.excerpts }
    this.nextCursor = answer.nextCursor
    this.#pages++
  }

  /** Stores the summary of a conversation, unless a newer summary is already stored. */
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

  /** Removes all conversations, and drops the answers that are on their way. */
  clear(): void {
    this.#asked++
    this.items = []
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
    // The stage has found this conversation by the search words.
    if (Object.hasOwn(this.excerpts, summary.id)) return true
    const title = summary.title.toLowerCase()
    return this.search
      .toLowerCase()
      .split(/\s+/u)
      .every((word) => title.includes(word))
  }

  #query() {
    const { archived, kind, search } = this
    return {
      archived,
      ...(kind === 'waiting' && { waiting: true }),
      limit: pageSize,
      ...(search && { search }),
    }
  }
}

/** Sorts like the stage: pinned conversations first, then the latest change first. */
function sorted(items: readonly Summary[]): Summary[] {
  return items.toSorted((a, b) => Number(b.pinned) - Number(a.pinned) || inOrder(b.updatedAt, a.updatedAt))
}

/** Compares two times in UTC as text. The first call of the browser's locale-aware comparison takes milliseconds. */
const inOrder = (a: string, b: string): number => Number(a > b) - Number(a < b)

/** The conversations that the user has ticked for one common action. */
export class Selected {
  /** The ids, in the order in which the user ticked them. */
  ids: ReadonlySet<string>
  /** The failures of the last action with their reasons, in a sentence; empty without failures. */
  left: string
  isActing = false

  constructor(ids: Iterable<string> = [], left = '') {
    this.ids = new Set(ids)
    this.left = left
  }
}
