import {
  blankMemory,
  lastUid,
  type Memory,
  recall,
  recallDrafts,
  remember,
  rememberDrafts,
  wipe,
} from './storage.ts'

const soonMs = 300

/** What the browser remembers of the user who is logged in; without a user nothing is written. */
export class Persistence {
  memory: Memory = { ...blankMemory }
  readonly #storage: Storage
  readonly #tab: Storage
  #uid: number | null = null
  #unkept: Partial<Memory> = {}
  #timer: ReturnType<typeof setTimeout> | undefined

  /** `tab` is of one tab alone: what was typed there counts there before what another tab wrote later. */
  constructor(storage: Storage, tab: Storage) {
    this.#storage = storage
    this.#tab = tab
  }

  /** A user is known: what is remembered of them counts, and what was kept since the page began. */
  enter(uid: number): void {
    this.#uid = uid
    const memory = this.#merged()
    const drafts = { ...memory.drafts, ...recallDrafts(this.#tab, uid), ...this.#unkept.drafts }
    this.memory = { ...memory, drafts }
    // The time to write it may have come while the user was not known yet.
    if (Object.keys(this.#unkept).length > 0) this.#writeSoon()
  }

  /** The user is gone; what is written stays. */
  leave(): void {
    this.#uid = null
    this.#unkept = {}
    this.memory = { ...blankMemory }
  }

  /** Keeps something; written soon. Drafts are added to those that are there. */
  keep(change: Partial<Memory>): void {
    const drafts = { ...this.memory.drafts, ...change.drafts }
    this.memory = { ...this.memory, ...change, drafts }
    this.#unkept = { ...this.#unkept, ...change, drafts: { ...this.#unkept.drafts, ...change.drafts } }
    this.#writeSoon()
  }

  /** Writes what is not written yet over what the browser has, so that two tabs do not undo each other. */
  flush(): void {
    if (this.#uid === null) this.#flushEarly()
    if (this.#uid === null || Object.keys(this.#unkept).length === 0) return
    remember(this.#storage, this.#uid, this.#merged())
    const { drafts } = this.#unkept
    if (drafts) rememberDrafts(this.#tab, this.#uid, { ...recallDrafts(this.#tab, this.#uid), ...drafts })
    this.#unkept = {}
  }

  #writeSoon(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.flush(), soonMs)
  }

  /** Before the session is known, how the panel stands is kept for the last user; nothing that was typed is. */
  #flushEarly(): void {
    const uid = lastUid(this.#storage)
    const { open, size, share } = this.#unkept
    const stand = Object.entries({ open, size, share }).filter(([, value]) => value !== undefined)
    if (uid === undefined || stand.length === 0) return
    remember(this.#storage, uid, { ...recall(this.#storage, uid), ...Object.fromEntries(stand) })
  }

  /** Removes everything of every user. */
  wipe(): void {
    clearTimeout(this.#timer)
    this.leave()
    wipe(this.#storage)
    wipe(this.#tab)
  }

  #merged(): Memory {
    const kept = recall(this.#storage, this.#uid ?? 0)
    return { ...kept, ...this.#unkept, drafts: { ...kept.drafts, ...this.#unkept.drafts } }
  }
}
