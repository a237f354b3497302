import type { MentionName, ViewContext } from '../../../core/conversation/schema.ts'
import type { SendBody } from './open-conversation.ts'

/** A message that did not go out, with the key under which it may be sent again without harm. */
type Unsent = {
  key: string
  /** null: the first message of a new conversation. */
  conversationId: string | null
  body: SendBody
  at: number
}

/** The state that survives a reload, for one user in one browser. Never titles, answers or file names. */
export type Memory = {
  open: boolean
  size: 'bar' | 'half' | 'full' | 'custom'
  /** The share of the work area, 0.2 to 1; used with size `custom`. */
  share: number
  /** Shown last, in panel or module; null: a new one. */
  conversationId: string | null
  /** The scroll position of the log: the message at the top edge, and how far it reaches above it. */
  anchor: { conversationId: string; sequence: number; offset: number } | null
  /** By conversation; `new` for the one that has no id yet. */
  drafts: Record<string, string>
  /** By key; null: it was sent or discarded. */
  unsent: Record<string, Unsent | null>
  /** Enter alone sends; else only with Ctrl or Cmd. */
  enterSends: boolean
  shortcuts: boolean
  /** The browser tells what ended while no page was in view. */
  notifies: boolean
}

/** The memory of a new user. */
export const blankMemory: Memory = {
  open: false,
  size: 'half',
  share: 0.5,
  conversationId: null,
  anchor: null,
  drafts: {},
  unsent: {},
  enterSends: true,
  shortcuts: true,
  notifies: false,
}

/** The longest draft that is kept, in units of UTF-16: more than the stage takes of any message. */
const maxDraft = 100_000
const lastUser = 'aic:v1:user'
const storageKey = (uid: number) => `aic:v1:${uid}`
/** The drafts that were last written in one tab, with an empty one where its text went out. */
const draftsKey = (uid: number) => `${storageKey(uid)}:drafts`

/** Finds a storage of this page; undefined where the browser forbids it, as in a frame of another site. */
export function storageOf(name: 'localStorage' | 'sessionStorage'): Storage | undefined {
  try {
    return window[name]
  } catch {
    // The chat works without a memory.
    return undefined
  }
}

/** The user of this browser's last page, so that the panel is drawn before the session is known; undefined: no user. */
export function lastUid(storage: Storage | undefined): number | undefined {
  const uid = readStored(storage, lastUser)
  return Number.isInteger(uid) && Number(uid) > 0 ? Number(uid) : undefined
}

/** Reads what the browser remembers of a user; each entry is blank that is not whole. */
export function recall(storage: Storage | undefined, uid: number): Memory {
  return parseMemory(readStored(storage, storageKey(uid)))
}

/** Keeps the memory of a user, and that they were the last. */
export function remember(storage: Storage | undefined, uid: number, memory: Memory): void {
  const drafts = Object.fromEntries(
    Object.entries(memory.drafts).flatMap(([id, text]) => (text ? [[id, text.slice(0, maxDraft)]] : [])),
  )
  const unsent = Object.values(memory.unsent).filter((message) => message !== null)
  writeStored(storage, lastUser, uid)
  writeStored(storage, storageKey(uid), { ...memory, drafts, unsent })
}

/** Wipes all that the chat ever kept in this browser, of every user. */
export function wipe(storage: Storage | undefined): void {
  if (!storage) return
  try {
    const keys = Array.from({ length: storage.length }, (_, index) => storage.key(index) ?? '')
    for (const key of keys) if (key.startsWith('aic:v1:')) storage.removeItem(key)
  } catch {
    // Nothing was kept where nothing can be read.
  }
}

/** Parses what is stored under a key; null where nothing is, or nothing that can be read. */
function readStored(storage: Storage | undefined, key: string): unknown {
  try {
    return JSON.parse(storage?.getItem(key) ?? 'null')
  } catch {
    return null
  }
}

/** Stores a value under a key. A full or forbidden storage is no error: the chat works without. */
function writeStored(storage: Storage | undefined, key: string, value: unknown): void {
  try {
    storage?.setItem(key, JSON.stringify(value))
  } catch {
    // The browser keeps nothing.
  }
}

const isObject = (found: unknown): found is Record<string, unknown> =>
  typeof found === 'object' && found !== null
const isText = (found: unknown): found is string => typeof found === 'string'
const isNumber = (found: unknown): found is number => typeof found === 'number'

/** Another release, or another script of the page's origin, may have written it: each entry is checked by itself. */
function parseMemory(stored: unknown): Memory {
  const found = isObject(stored) ? stored : {}
  const { share, size, anchor, conversationId } = found
  const flag = (name: 'open' | 'enterSends' | 'shortcuts' | 'notifies') =>
    typeof found[name] === 'boolean' ? found[name] : blankMemory[name]
  return {
    open: flag('open'),
    size: sizes.find((one) => one === size) ?? blankMemory.size,
    share: isNumber(share) && share >= 0.2 && share <= 1 ? share : blankMemory.share,
    conversationId: isText(conversationId) ? conversationId : null,
    anchor: isAnchor(anchor) ? anchor : null,
    drafts: draftsOf(found.drafts),
    unsent: unsentOf(found.unsent),
    enterSends: flag('enterSends'),
    shortcuts: flag('shortcuts'),
    notifies: flag('notifies'),
  }
}

const sizes = ['bar', 'half', 'full', 'custom'] as const

const isAnchor = (found: unknown): found is NonNullable<Memory['anchor']> =>
  isObject(found) && isText(found.conversationId) && isNumber(found.sequence) && isNumber(found.offset)

function draftsOf(found: unknown): Record<string, string> {
  const entries = Object.entries(isObject(found) ? found : {})
  return Object.fromEntries(entries.flatMap(([id, text]) => (isText(text) ? [[id, text]] : [])))
}

function unsentOf(found: unknown): Memory['unsent'] {
  const messages = Array.isArray(found) ? found.flatMap((one, at) => messageOf(one, at) ?? []) : []
  return Object.fromEntries(messages.map((message) => [message.key, message]))
}

/** Parses an unsent message. Its text survives damage in other fields; then only the user can send it. */
function messageOf(found: unknown, place: number): Unsent | null {
  if (!isObject(found) || !isObject(found.body)) return null
  const { key, at, body, conversationId } = found
  const { content, fileUid, mentions, viewContext } = body
  if (!isText(content)) return null
  const isWhole =
    isText(key) &&
    isNumber(at) &&
    (fileUid === undefined || isNumber(fileUid)) &&
    (mentions === undefined || isMentions(mentions)) &&
    (viewContext === undefined || isContext(viewContext))
  return {
    key: isText(key) ? key : `damaged ${place}`,
    conversationId: isText(conversationId) ? conversationId : null,
    // A key of no time is too old to be used again.
    at: isWhole ? at : 0,
    body: {
      content,
      ...(isText(conversationId) && { conversationId }),
      ...(isNumber(fileUid) && { fileUid }),
      ...(isMentions(mentions) && { mentions }),
      ...(isContext(viewContext) && { viewContext }),
    },
  }
}

const isMentions = (found: unknown): found is MentionName[] =>
  Array.isArray(found) &&
  found.every((one) => isObject(one) && isText(one.kind) && isText(one.table) && isId(one.uid))
const isId = (found: unknown) => isNumber(found) || isText(found)
const isContext = (found: unknown): found is ViewContext =>
  isObject(found) && isNumber(found.pageId) && isText(found.module)

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
    const drafts = draftsOf(readStored(this.#tab, draftsKey(uid)))
    const kept = mergeMemory(recall(this.#storage, uid), { drafts })
    this.memory = mergeMemory(kept, this.#unkept)
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
    this.memory = mergeMemory(this.memory, change)
    this.#unkept = mergeMemory({ drafts: {}, unsent: {}, ...this.#unkept }, change)
    this.#writeSoon()
  }

  /** Writes pending changes over the browser's stored state, so that two tabs do not overwrite each other. */
  flush(): void {
    const uid = this.#uid
    if (uid === null) {
      this.#flushEarly()
      return
    }
    if (Object.keys(this.#unkept).length === 0) return
    remember(this.#storage, uid, mergeMemory(recall(this.#storage, uid), this.#unkept))
    const { drafts } = this.#unkept
    const key = draftsKey(uid)
    if (drafts) writeStored(this.#tab, key, { ...draftsOf(readStored(this.#tab, key)), ...drafts })
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
function mergeMemory<M extends Pick<Memory, 'drafts' | 'unsent'>>(memory: M, change: Partial<Memory>): M {
  const drafts = { ...memory.drafts, ...change.drafts }
  const unsent = { ...memory.unsent, ...change.unsent }
  return { ...memory, ...change, drafts, unsent }
}
