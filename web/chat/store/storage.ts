import type { MentionName, ViewContext } from '../../../core/conversation/schema.ts'
import type { SendBody } from './conversation.ts'

/** A message that did not go out, with the key under which it may be sent again without harm. */
export type Unsent = {
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

/** More than the stage takes of any message, in units of UTF-16: 50,000 characters of two. */
const maxDraft = 100_000
const lastUser = 'aic:v1:user'
const keyOf = (uid: number) => `aic:v1:${uid}`

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
  const uid = Number(read(storage, lastUser))
  return Number.isInteger(uid) && uid > 0 ? uid : undefined
}

/** Reads what the browser remembers of a user; each entry is blank that is not whole. */
export function recall(storage: Storage | undefined, uid: number): Memory {
  try {
    const found: unknown = JSON.parse(read(storage, keyOf(uid)) ?? '{}')
    return parse(found)
  } catch {
    return { ...blankMemory }
  }
}

/** Keeps the memory of a user, and that they were the last. A full or forbidden storage is no error. */
export function remember(storage: Storage | undefined, uid: number, memory: Memory): void {
  const drafts = Object.fromEntries(
    Object.entries(memory.drafts).flatMap(([id, text]) => (text ? [[id, text.slice(0, maxDraft)]] : [])),
  )
  try {
    storage?.setItem(lastUser, String(uid))
    const unsent = Object.values(memory.unsent).filter((one) => one !== null)
    storage?.setItem(keyOf(uid), JSON.stringify({ ...memory, drafts, unsent }))
  } catch {
    // The browser keeps nothing: the chat works without.
  }
}

/** The drafts that were last written in this tab, an empty one where its text went out; none of another user. */
export function recallDrafts(tab: Storage | undefined, uid: number): Record<string, string> {
  try {
    return draftsOf(JSON.parse(read(tab, `${keyOf(uid)}:drafts`) ?? '{}'))
  } catch {
    return {}
  }
}

/** Keeps the drafts of this tab. */
export function rememberDrafts(tab: Storage | undefined, uid: number, drafts: Record<string, string>): void {
  try {
    tab?.setItem(`${keyOf(uid)}:drafts`, JSON.stringify(drafts))
  } catch {
    // The browser keeps nothing: the chat works without.
  }
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

function read(storage: Storage | undefined, key: string): string | null {
  try {
    return storage?.getItem(key) ?? null
  } catch {
    return null
  }
}

const isObject = (found: unknown): found is Record<string, unknown> =>
  typeof found === 'object' && found !== null
const isText = (found: unknown): found is string => typeof found === 'string'
const isNumber = (found: unknown): found is number => typeof found === 'number'

/** Another release, or another script of the page's origin, may have written it: each entry is checked by itself. */
function parse(found: unknown): Memory {
  if (!isObject(found)) return { ...blankMemory }
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
