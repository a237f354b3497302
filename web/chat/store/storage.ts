import type { MentionName, ViewContext } from '../../../core/conversation/schema.ts'
import type { Pending } from './open-conversation.ts'

/** A message that has not reached the stage; its key makes a repetition harmless. */
type Unsent = Pick<Pending, 'key' | 'body' | 'at'> & {
  /** The conversation; null for the first message of a new conversation. */
  conversationId: string | null
}

const isObject = (found: unknown): found is Record<string, unknown> =>
  typeof found === 'object' && found !== null
const isText = (found: unknown): found is string => typeof found === 'string'
const isNumber = (found: unknown): found is number => typeof found === 'number'

/** The file and the mentions of a message, in the form of its request. */
export type Attached = Pick<Pending['body'], 'fileUid' | 'mentions'>

type Anchor = { conversationId: string; sequence: number; offset: number }

const isAnchor = (found: unknown): found is Anchor =>
  isObject(found) && isText(found.conversationId) && isNumber(found.sequence) && isNumber(found.offset)

const flag = (usual: boolean) => (found: unknown) => (typeof found === 'boolean' ? found : usual)
const sizes = ['bar', 'half', 'full', 'custom'] as const

/**
 * The state that survives a reload, for one user in one browser, with the function that reads each stored value. It
 * never contains titles, answers or file names. Another release or another script of the origin may have written an
 * invalid value. The default replaces each invalid value.
 */
const entries = {
  open: flag(false),
  size: (found: unknown) => sizes.find((size) => size === found) ?? 'half',
  /** The share of the work area, 0.2 to 1; used with size `custom`. */
  share: (found: unknown) => (isNumber(found) && found >= 0.2 && found <= 1 ? found : 0.5),
  /** The conversation shown last, in panel or module; null for a new one. */
  conversationId: (found: unknown) => (isText(found) ? found : null),
  /**
   * The scroll position of the log: the message at the top edge of the log, and its distance from this edge, in pixels.
   */
  anchor: (found: unknown) => (isAnchor(found) ? found : null),
  /** The drafts by conversation; `new` for the conversation without an id. */
  drafts: (found: unknown) => recordOf(found, isText),
  /** The uploaded file and the mentions of each draft, by conversation as in `drafts`. */
  attached: (found: unknown) => recordOf(found, isAttached),
  /** The messages by key; null for a message that was sent or discarded. */
  unsent: unsentOf,
  /** True if Enter without another key sends; else only Ctrl or Cmd with Enter sends. */
  enterSends: flag(true),
  shortcuts: flag(true),
  /** True if the browser shows a notification when a turn ends while no page with the chat is visible. */
  notifies: flag(false),
}
export type Memory = { [Name in keyof typeof entries]: ReturnType<(typeof entries)[Name]> }

function parseMemory(stored: unknown): Memory {
  const found = isObject(stored) ? stored : {}
  return Object.fromEntries(
    Object.entries(entries).map(([name, read]) => [name, read(found[name])]),
  ) as Memory
}

/** The memory of a user about whom nothing is stored. */
export const blankMemory: Memory = parseMemory(null)

/** The maximum length of a stored draft, in UTF-16 units: more than the stage accepts for any message. */
const maxDraft = 100_000
const lastUser = 'aic:v1:user'
const storageKey = (uid: number) => `aic:v1:${uid}`
/** The key of the drafts that the user wrote in one tab; a sent draft is stored as an empty text. */
const draftsKey = (uid: number) => `${storageKey(uid)}:drafts`

/** Returns a storage of this page; undefined if the browser forbids it, for example in a frame of another site. */
export function storageOf(name: 'localStorage' | 'sessionStorage'): Storage | undefined {
  try {
    return window[name]
  } catch {
    // The chat works without a storage.
    return undefined
  }
}

/**
 * Returns the uid of this browser's last user, or undefined. The panel uses it to draw itself before the session is
 * known.
 */
export function lastUid(storage: Storage | undefined): number | undefined {
  const uid = readStored(storage, lastUser)
  return Number.isInteger(uid) && Number(uid) > 0 ? Number(uid) : undefined
}

/** Reads the stored memory of a user; an invalid entry gets its value from `blankMemory`. */
export function recall(storage: Storage | undefined, uid: number): Memory {
  return parseMemory(readStored(storage, storageKey(uid)))
}

/** Stores the memory of a user, and marks this user as the last user. */
export function remember(storage: Storage | undefined, uid: number, memory: Memory): void {
  const drafts = Object.fromEntries(
    Object.entries(memory.drafts).flatMap(([id, text]) => (text ? [[id, text.slice(0, maxDraft)]] : [])),
  )
  const attached = Object.fromEntries(
    Object.entries(memory.attached).flatMap(([id, one]) => (one.fileUid || one.mentions ? [[id, one]] : [])),
  )
  const unsent = Object.values(memory.unsent).filter((message) => message !== null)
  writeStored(storage, lastUser, uid)
  writeStored(storage, storageKey(uid), { ...memory, drafts, attached, unsent })
}

/** Removes everything that the chat stored in this browser, for all users. */
export function wipe(storage: Storage | undefined): void {
  if (!storage) return
  try {
    const keys = Array.from({ length: storage.length }, (_, index) => storage.key(index) ?? '')
    for (const key of keys) if (key.startsWith('aic:v1:')) storage.removeItem(key)
  } catch {
    // If the storage cannot be read, the chat has stored nothing in it.
  }
}

/** Returns the parsed value under a key; null if there is no value or it cannot be parsed. */
export function readStored(storage: Storage | undefined, key: string): unknown {
  try {
    return JSON.parse(storage?.getItem(key) ?? 'null')
  } catch {
    return null
  }
}

/** Stores a value under a key. A full or forbidden storage is no error: the chat works without it. */
export function writeStored(storage: Storage | undefined, key: string, value: unknown): void {
  try {
    storage?.setItem(key, JSON.stringify(value))
  } catch {
    // The browser does not store the value.
  }
}

/** Returns the valid values of a stored record. */
function recordOf<T>(found: unknown, isValid: (value: unknown) => value is T): Record<string, T> {
  return Object.fromEntries(
    Object.entries(isObject(found) ? found : {}).flatMap(([id, value]) =>
      isValid(value) ? [[id, value]] : [],
    ),
  )
}

function unsentOf(found: unknown): Record<string, Unsent | null> {
  const messages = Array.isArray(found) ? found.flatMap((one, at) => messageOf(one, at) ?? []) : []
  return Object.fromEntries(messages.map((message) => [message.key, message]))
}

/**
 * Parses an unsent message. If other fields are damaged, the text is kept, but the message is not sent automatically.
 */
function messageOf(found: unknown, place: number): Unsent | null {
  if (!isObject(found) || !isObject(found.body)) return null
  const { key, at, body, conversationId } = found
  const { act, content, fileUid, mentions, viewContext } = body
  if (!isText(content)) return null
  const isWhole =
    isText(key) && isNumber(at) && isAttached(body) && (viewContext === undefined || isContext(viewContext))
  return {
    key: isText(key) ? key : `damaged ${place}`,
    conversationId: isText(conversationId) ? conversationId : null,
    // Time 0 marks the key as too old to be used again.
    at: isWhole ? at : 0,
    body: {
      content,
      ...(act === 'add' && { act }),
      ...(isNumber(fileUid) && { fileUid }),
      ...(isMentions(mentions) && { mentions }),
      ...(isContext(viewContext) && { viewContext }),
    },
  }
}

function isAttached(found: unknown): found is Attached {
  if (!isObject(found)) return false
  const { fileUid, mentions } = found
  return (fileUid === undefined || isNumber(fileUid)) && (mentions === undefined || isMentions(mentions))
}

const isMentions = (found: unknown): found is MentionName[] =>
  Array.isArray(found) &&
  found.every((one) => isObject(one) && isText(one.kind) && isText(one.table) && isId(one.uid))
const isId = (found: unknown) => isNumber(found) || isText(found)
const isContext = (found: unknown): found is ViewContext =>
  isObject(found) && isNumber(found.pageId) && isText(found.module)

const soonMs = 300

/** The state that this browser keeps for the user across reloads. It writes nothing before a user is known. */
export class Persistence {
  memory: Memory = { ...blankMemory }
  readonly #storage: Storage | undefined
  readonly #tab: Storage | undefined
  #uid: number | null = null
  #unkept: Partial<Memory> = {}
  #timer: ReturnType<typeof setTimeout> | undefined

  /** `tab` is the storage of this tab only. A draft in `tab` takes precedence over a later draft of another tab. */
  constructor(storage: Storage | undefined, tab: Storage | undefined) {
    this.#storage = storage
    this.#tab = tab
  }

  /**
   * Loads the stored memory of a user, and adds the changes since the page was loaded. Stores the last user at once:
   * other tabs learn of a logout when this value is removed.
   */
  enter(uid: number): void {
    this.#uid = uid
    writeStored(this.#storage, lastUser, uid)
    const drafts = recordOf(readStored(this.#tab, draftsKey(uid)), isText)
    const kept = mergeMemory(recall(this.#storage, uid), { drafts })
    this.memory = mergeMemory(kept, this.#unkept)
    // If the delayed write ran before the user was known, it could store only a part of the changes.
    if (Object.keys(this.#unkept).length > 0) this.#writeSoon()
  }

  /** Clears the memory after the user has left; the stored state stays. */
  leave(): void {
    this.#uid = null
    this.#unkept = {}
    this.memory = { ...blankMemory }
  }

  /**
   * Changes the memory, and stores it after a short delay. Drafts, their files and mentions, and unsent messages are
   * added to the existing ones.
   */
  keep(change: Partial<Memory>): void {
    this.memory = mergeMemory(this.memory, change)
    this.#unkept = mergeMemory(this.#unkept, change)
    this.#writeSoon()
  }

  /**
   * Writes only the pending changes over the stored state, so that two tabs do not overwrite each other. Before the
   * session is known, it stores only the panel's state and size, for the last user.
   */
  flush(): void {
    const uid = this.#uid ?? lastUid(this.#storage)
    const unkept = this.#uid === null ? panelState(this.#unkept) : this.#unkept
    if (uid === undefined || Object.keys(unkept).length === 0) return
    remember(this.#storage, uid, mergeMemory(recall(this.#storage, uid), unkept))
    if (this.#uid === null) return
    const { drafts } = unkept
    const key = draftsKey(uid)
    if (drafts) writeStored(this.#tab, key, { ...recordOf(readStored(this.#tab, key), isText), ...drafts })
    this.#unkept = {}
  }

  #writeSoon(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.flush(), soonMs)
  }

  /** Removes the stored data of all users. */
  wipe(): void {
    clearTimeout(this.#timer)
    this.leave()
    wipe(this.#storage)
    wipe(this.#tab)
  }
}

/** Returns the changes of the panel's state and size. */
const panelState = (change: Partial<Memory>): Partial<Memory> =>
  Object.fromEntries(Object.entries(change).filter(([name]) => ['open', 'size', 'share'].includes(name)))

/** Returns a memory with a change. Records by conversation or key are merged by entry; other values are replaced. */
function mergeMemory<M extends Partial<Memory>>(memory: M, change: Partial<Memory>): M {
  const drafts = { ...memory.drafts, ...change.drafts }
  const attached = { ...memory.attached, ...change.attached }
  const unsent = { ...memory.unsent, ...change.unsent }
  return { ...memory, ...change, drafts, attached, unsent }
}
