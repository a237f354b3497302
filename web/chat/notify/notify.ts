import type { Status, Summary } from '../../../core/conversation/schema.ts'
import { type ChangedDetail, sendChatEvent } from '../events.ts'
import type { RecordChange } from '../store/channel.ts'
import type { ChatStore } from '../store/chat-store.ts'
import { isBusy } from '../store/known-transcript.ts'
import type { Conversation } from '../store/open-conversation.ts'
import type { View } from '../view/view.ts'

/**
 * Notifies the user through the browser that a turn has ended or waits for a decision. It does so only if no page with
 * the chat is visible and the user asked for it. A notification contains no message text, only the title of the
 * conversation.
 */

/** A visible page has this long to report that its user has seen the end, in milliseconds. */
const graceMs = 1_000
/**
 * Another page may notice an end this much later than the first one, because a hidden page polls rarely. In
 * milliseconds.
 */
const laterMs = 180_000

/** The states in which a page saw its conversations last, whichever element looked. */
const seen = new WeakMap<ChatStore, Map<string, Status>>()

/** Tells the page around what the chat changed, and the user what ended; called after each change of the store. */
export function tellNews(view: View): void {
  tellChanges(view)
  noteUnread(view)
  if (view.store.memory.notifies) notify(view)
}

/** Compares the conversations with those at the last look, after each change; tells what ended or waits since. */
function notify(view: View): void {
  const { store } = view
  if (!store.user) return
  const statuses = seen.get(store) ?? new Map<string, Status>()
  seen.set(store, statuses)
  for (const summary of store.active.items) {
    const before = statuses.get(summary.id)
    statuses.set(summary.id, summary.status)
    if (before !== undefined && isBusy(before) && !isBusy(summary.status)) announceEnd(view, store, summary)
  }
}

function announceEnd(view: View, store: ChatStore, summary: Summary): void {
  const tell = async () => {
    if ((await isFirst(store, summary)) && !store.page.isVisible()) showNotification(view, summary)
  }
  setTimeout(() => void tell(), store.page.isVisible() ? 0 : graceMs)
}

/** True if this page is the first of its browser to announce an end, or to show it; false in all others for a while. */
function isFirst({ page: { locks }, user }: ChatStore, { id, version }: Summary): Promise<boolean> {
  if (!locks) return Promise.resolve(true)
  return new Promise((resolve) => {
    const held = (lock: Lock | null) => {
      resolve(lock !== null)
      return lock && new Promise((done) => setTimeout(done, laterMs))
    }
    void locks.request(`aic:told:${user?.uid}:${id}:${version}`, { ifAvailable: true }, held)
  })
}

function showNotification(view: View, { id, title, status }: Summary): void {
  const { t, store } = view
  const done = status === 'failed' ? 'failed' : 'ready'
  const end = status === 'awaiting_approval' ? 'waits' : done
  // If several pages announce the same at once, the browser shows one.
  const notification = notificationOf(title || t('app.new'), { body: t(`notify.${end}`), tag: `aic ${id}` })
  if (!notification) {
    store.keep({ notifies: false })
    return
  }
  notification.onclick = () => {
    notification.close()
    window.focus()
    if ('toggle' in view && typeof view.toggle === 'function') view.toggle(true)
    view.show(id)
    view.focusMessage()
  }
}

/** Shows a notification; null in Chrome on Android, which lets only a service worker show one, and says so now only. */
function notificationOf(title: string, options: NotificationOptions): Notification | null {
  try {
    return new Notification(title, options)
  } catch (error) {
    if (error instanceof TypeError) return null
    throw error
  }
}

/** Switches the notifications on, which asks the browser's permission, or off; says what came of it. */
export async function toggleNotify(view: View): Promise<void> {
  const { store, t, announcer } = view
  const isOn = !store.memory.notifies && (await Notification.requestPermission()) === 'granted'
  if (isOn) announcer.say(t('notify.on'))
  else announcer.say(t(store.memory.notifies ? 'notify.off' : 'notify.denied'))
  if (!isOn && !store.memory.notifies) view.conversation.remark = { kind: 'info', text: t('notify.denied') }
  store.keep({ notifies: isOn })
  store.flush()
  store.changed()
}

/** The changes that a page knows; its module and panel share a store, so the page hears of a change once. */
const knownTo = new WeakMap<ChatStore, Set<string>>()

/** Tells the page which records the chat has changed in the conversation that the element shows, or in another tab. */
function tellChanges(from: View): void {
  const { store, conversation } = from
  tellPage(from, store.heard.splice(0))
  if (conversation.id) announce(from, newChanges(conversation))
}

/** Tells of changes the page around, and the pages in the user's other tabs. */
export function announce(from: View, changes: readonly RecordChange[]): void {
  const news = tellPage(from, changes)
  if (news.length > 0) from.store.tell({ type: 'records', changes: news })
}

/** Tells the page those changes that it does not know; answers these. */
function tellPage(from: View, changes: readonly RecordChange[]): RecordChange[] {
  const { store } = from
  if (changes.length === 0) return []
  const known = knownTo.get(store) ?? new Set()
  knownTo.set(store, known)
  const news = changes.filter(({ key }) => !known.has(key))
  for (const { key } of news) known.add(key)
  if (news.length > 0) sendChatEvent(from, 'ai-chat-changed', { records: recordsOf(news) })
  return news
}

/** Each record once. */
function recordsOf(changes: readonly RecordChange[]): ChangedDetail['records'] {
  const records = changes.map(({ table, uid }) => ({ table, uid }))
  return [...new Map(records.map((record) => [`${record.table}:${record.uid}`, record])).values()]
}

/**
 * The undone changes of a run. An undo uses the name of its change, because each change of a run is undone only once.
 */
export const undoneIn = (runId: string, records: ChangedDetail['records']): RecordChange[] =>
  records.map(({ table, uid }) => ({ key: `undone ${runId} ${table}:${uid}`, table, uid }))

/** The last searched message of each conversation, by sequence. */
const searched = new WeakMap<Conversation, number>()

/**
 * The chat's changes in a conversation since the last call: approved writes that are done, and turns undone in another
 * place. The content of the first load is not news.
 */
export function newChanges(conversation: Conversation): RecordChange[] {
  if (conversation.isFresh) return []
  const { messages } = conversation.transcript
  const known = searched.get(conversation) ?? (conversation.isNew ? -1 : undefined)
  searched.set(conversation, messages.at(-1)?.sequence ?? -1)
  if (known === undefined) return []
  return messages.flatMap(({ sequence, approved, outcome, notice, runId = '', toolCallId, records = [] }) => {
    if (sequence <= known) return []
    if (notice === 'undone') return conversation.undone.has(runId) ? [] : undoneIn(runId, records)
    if (!approved || outcome !== 'done') return []
    return records.map(({ table, uid }) => ({ key: `${runId} ${toolCallId} ${table}:${uid}`, table, uid }))
  })
}

/**
 * The conversations whose turn a page of this browser saw running and whose end no page has shown yet: their ids, for one
 * user. Every look reads the browser's storage, so that what one tab shows is read in the others.
 */

/** The most conversations that are remembered; the oldest are forgotten. */
const mostRemembered = 50

/** The ids of the conversations with an end that the user has not seen, and of those that still run. */
export function unreadIds({ page: { storage }, user }: ChatStore): readonly string[] {
  if (!user) return []
  try {
    const found: unknown = JSON.parse(storage?.getItem(unreadKey(user.uid)) ?? '[]')
    return Array.isArray(found) ? found.filter((id) => typeof id === 'string') : []
  } catch {
    // Another script wrote it, or the browser forbids it: nothing is remembered.
    return []
  }
}

/** Remembers the conversations that run, and forgets the one whose end the element shows. */
function noteUnread({ store, conversation, isShowing }: View): void {
  if (!store.user || store.phase !== 'ready') return
  const { id, status, transcript } = conversation
  const isSeen = isShowing && store.page.isVisible() && transcript.version >= 0 && !isBusy(status)
  const before = unreadIds(store)
  const running = new Set([...before, ...store.active.busyIds])
  if (isSeen && id) running.delete(id)
  const after = [...running].slice(-mostRemembered)
  if (String(after) === String(before)) return
  try {
    store.page.storage?.setItem(unreadKey(store.user.uid), JSON.stringify(after))
  } catch {
    // The browser keeps nothing: the chat works without.
  }
}

// A logout wipes all keys with this beginning.
const unreadKey = (uid: number) => `aic:v1:${uid}:unread`
