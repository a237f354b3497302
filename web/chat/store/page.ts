import { Api } from '../api.ts'
import { ChatStore } from './store.ts'

const stores = new Map<string, ChatStore>()
const quietMs = 2_000

/** The store of a stage on this page; module and panel with the same stage and token get the same one. */
export function storeOf(origin: string, token: string | null): ChatStore {
  const key = `${origin} ${token ?? ''}`
  const known = stores.get(key)
  // A new element after a logout: a user may have logged in since.
  if (known?.phase === 'expired') void known.resume()
  if (known) return known
  const store = new ChatStore(new Api(origin, token), {
    isVisible: () => document.visibilityState === 'visible',
    storage: localStorage,
    tab: sessionStorage,
    locks: 'locks' in navigator ? navigator.locks : undefined,
  })
  stores.set(key, store)
  follow(store)
  void store.start()
  return store
}

/** Asks again when the user comes back or the connection does, and keeps what was typed when the page goes. */
function follow(store: ChatStore): void {
  let askedAt = Date.now()
  const back = () => {
    store.changed()
    if (store.phase !== 'ready' || document.visibilityState !== 'visible') return
    if (Date.now() - askedAt < quietMs) return
    askedAt = Date.now()
    void store.refresh()
  }
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'hidden') store.flush()
    back()
  })
  addEventListener('focus', back)
  addEventListener('pageshow', back)
  addEventListener('pagehide', () => store.flush())
  addEventListener('online', () => void store.reconnect())
  addEventListener('offline', () => store.disconnected())
}
