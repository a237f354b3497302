import type { SendBody } from './conversation.ts'

/** A message that did not go out, with the key under which it may be sent again without harm. */
export type Unsent = {
  key: string
  /** null: the first message of a new conversation. */
  conversationId: string | null
  body: SendBody
  at: number
}

/** What outlives a reload, for one user in one browser. Never titles, answers or file names. */
export type Memory = {
  open: boolean
  size: 'bar' | 'half' | 'full' | 'custom'
  /** Of the work area, 0.2 to 1; counts with size `custom`. */
  share: number
  /** Shown last, in panel or module; null: a new one. */
  conversationId: string | null
  /** Where the log stood: the message at the top edge, and how far it reached above it. */
  anchor: { conversationId: string; sequence: number; offset: number } | null
  /** By conversation; `new` for the one that has no id yet. */
  drafts: Record<string, string>
  unsent: Unsent[]
  /** Enter alone sends; else only with Ctrl or Cmd. */
  enterSends: boolean
  shortcuts: boolean
  /** The browser tells what ended while no page was in view. */
  notifies: boolean
}

/** What is remembered of a user who was never here. */
export const blankMemory: Memory = {
  open: false,
  size: 'half',
  share: 0.5,
  conversationId: null,
  anchor: null,
  drafts: {},
  unsent: [],
  enterSends: true,
  shortcuts: true,
  notifies: false,
}

const maxDraft = 20_000
const lastUser = 'aic:v1:user'
const keyOf = (uid: number) => `aic:v1:${uid}`

/** The user of this browser's last page, so that the panel is drawn before the session is known; undefined: no user. */
export function lastUid(storage: Storage): number | undefined {
  const uid = Number(read(storage, lastUser))
  return Number.isInteger(uid) && uid > 0 ? uid : undefined
}

/** What the browser remembers of a user; blank where it remembers nothing that is whole. */
export function recall(storage: Storage, uid: number): Memory {
  try {
    const found: unknown = JSON.parse(read(storage, keyOf(uid)) ?? '{}')
    return parse(found)
  } catch {
    return { ...blankMemory }
  }
}

/** Keeps the memory of a user, and that they were the last. A full or forbidden storage is no error. */
export function remember(storage: Storage, uid: number, memory: Memory): void {
  const drafts = Object.fromEntries(
    Object.entries(memory.drafts).flatMap(([id, text]) => (text ? [[id, text.slice(0, maxDraft)]] : [])),
  )
  try {
    storage.setItem(lastUser, String(uid))
    storage.setItem(keyOf(uid), JSON.stringify({ ...memory, drafts }))
  } catch {
    // The browser keeps nothing: the chat works without.
  }
}

/** The drafts that were last written in this tab, an empty one where its text went out; none of another user. */
export function recallDrafts(tab: Storage, uid: number): Record<string, string> {
  try {
    const found: unknown = JSON.parse(read(tab, `${keyOf(uid)}:drafts`) ?? '{}')
    const entries = typeof found === 'object' && found !== null ? Object.entries(found) : []
    return Object.fromEntries(entries.filter(([, text]) => typeof text === 'string'))
  } catch {
    return {}
  }
}

/** Keeps the drafts of this tab. */
export function rememberDrafts(tab: Storage, uid: number, drafts: Record<string, string>): void {
  try {
    tab.setItem(`${keyOf(uid)}:drafts`, JSON.stringify(drafts))
  } catch {
    // The browser keeps nothing: the chat works without.
  }
}

/** Wipes all that the chat ever kept in this browser, of every user. */
export function wipe(storage: Storage): void {
  try {
    const keys = Array.from({ length: storage.length }, (_, index) => storage.key(index) ?? '')
    for (const key of keys) if (key.startsWith('aic:v1:')) storage.removeItem(key)
  } catch {
    // Nothing was kept where nothing can be read.
  }
}

function read(storage: Storage, key: string): string | null {
  try {
    return storage.getItem(key)
  } catch {
    return null
  }
}

function parse(found: unknown): Memory {
  if (typeof found !== 'object' || found === null) return { ...blankMemory }
  const memory: Record<string, unknown> = { ...blankMemory }
  for (const [name, value] of Object.entries(found)) {
    const blank = (blankMemory as Record<string, unknown>)[name]
    if (blank === undefined) continue
    if (blank === null ? isAnchorOrId(name, value) : typeof value === typeof blank && value !== null)
      memory[name] = value
  }
  if (!Array.isArray(memory.unsent)) memory.unsent = []
  const share = Number(memory.share)
  memory.share = share >= 0.2 && share <= 1 ? share : blankMemory.share
  return memory as Memory
}

function isAnchorOrId(name: string, value: unknown): boolean {
  if (value === null) return true
  if (name === 'conversationId') return typeof value === 'string'
  const anchor = value as Record<string, unknown>
  return typeof anchor.conversationId === 'string' && typeof anchor.sequence === 'number'
}
