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

/** The browser's memory of the user; it writes nothing while no user is logged in. */
export class Persistence {
  memory: Memory = { ...blankMemory }
  readonly #storage: Storage | undefined
  readonly #tab: Storage | undefined
  #uid: number | null = null
  #unkept: Partial<Memory> = {}
  #timer: ReturnType<typeof setTimeout> | undefined

  /** `tab` is of one tab alone: what was typed there counts there before what another tab wrote later. */
  constructor(storage: Storage | undefined, tab: Storage | undefined) {
    this.#storage = storage
    this.#tab = tab
  }

  /** Begins for a user: their stored memory applies, and the changes since the page opened. */
  enter(uid: number): void {
    this.#uid = uid
    const kept = merge(recall(this.#storage, uid), { drafts: recallDrafts(this.#tab, uid) })
    this.memory = merge(kept, this.#unkept)
    // The time to write it may have come while the user was not known yet.
    if (Object.keys(this.#unkept).length > 0) this.#writeSoon()
  }

  /** The user is gone; what is written stays. */
  leave(): void {
    this.#uid = null
    this.#unkept = {}
    this.memory = { ...blankMemory }
  }

  /** Keeps something; written soon. Drafts and unsent messages are added to those that are there. */
  keep(change: Partial<Memory>): void {
    this.memory = merge(this.memory, change)
    this.#unkept = merge({ drafts: {}, unsent: {}, ...this.#unkept }, change)
    this.#writeSoon()
  }

  /** Writes pending changes over the browser's stored state, so that two tabs do not overwrite each other. */
  flush(): void {
    if (this.#uid === null) this.#flushEarly()
    if (this.#uid === null || Object.keys(this.#unkept).length === 0) return
    remember(this.#storage, this.#uid, merge(recall(this.#storage, this.#uid), this.#unkept))
    const { drafts } = this.#unkept
    if (drafts) rememberDrafts(this.#tab, this.#uid, { ...recallDrafts(this.#tab, this.#uid), ...drafts })
    this.#unkept = {}
  }

  #writeSoon(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.flush(), soonMs)
  }

  /** Before the session is known, stores the panel's size for the last user, but no drafts. */
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
}

/** A memory with a change; what has an entry for each conversation or message keeps the entries that do not change. */
function merge<M extends Pick<Memory, 'drafts' | 'unsent'>>(memory: M, change: Partial<Memory>): M {
  const drafts = { ...memory.drafts, ...change.drafts }
  const unsent = { ...memory.unsent, ...change.unsent }
  return { ...memory, ...change, drafts, unsent }
}
