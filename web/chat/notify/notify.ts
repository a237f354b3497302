import type { Status, Summary } from '../../../core/conversation/schema.ts'
import type { ChatStore } from '../store/chat-store.ts'
import { isBusy } from '../store/known-transcript.ts'
import type { View } from '../view/view.ts'
import { noteUnread, tellChanges } from './news.ts'

/**
 * Notifies the user through the browser that a turn has ended or waits for a decision. It does so only if the user
 * asked for it and no page with the chat is visible. A notification has the conversation's title, but no message text.
 */

/**
 * A hidden page waits this long before it announces the end of a turn, in milliseconds. So a visible page that shows
 * the end comes first.
 */
const graceMs = 1_000
/**
 * For this many milliseconds after a page announces or shows the end of a turn, no other page announces it. The time is
 * long because hidden pages poll rarely.
 */
const laterMs = 180_000

/** The last known status of each conversation, shared by all elements of a store. */
const seen = new WeakMap<ChatStore, Map<string, Status>>()

/**
 * Tells the page which records the chat changed, and the user which turns ended; called after each change of the store.
 */
export function tellNews(view: View): void {
  tellChanges(view)
  noteUnread(view)
  if (view.store.memory.notifies) notify(view)
}

/** Compares each conversation's status with its last known status, and announces turns that have ended or now wait. */
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

/**
 * True if this page is the first page of the browser that announces or shows an end; false in other pages for a while.
 */
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
  // If several pages announce the same conversation at once, the browser shows one notification.
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

/**
 * Shows a notification. Returns null in Chrome on Android, where only a service worker may show notifications; the
 * browser reports this only here.
 */
function notificationOf(title: string, options: NotificationOptions): Notification | null {
  try {
    return new Notification(title, options)
  } catch (error) {
    if (error instanceof TypeError) return null
    throw error
  }
}

/** Turns notifications on, after the browser's permission, or off; announces the result. */
export async function toggleNotify(view: View): Promise<void> {
  const { store, t, announcer } = view
  const isOn = !store.memory.notifies && (await Notification.requestPermission()) === 'granted'
  if (isOn) announcer.say(t('notify.on'))
  else if (store.memory.notifies) announcer.say(t('notify.off'))
  else view.conversation.remark = { kind: 'info', text: t('notify.denied') }
  store.keep({ notifies: isOn })
  store.flush()
  store.changed()
}
