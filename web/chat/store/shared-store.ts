import { Api } from '../api.ts'
import type { Statement } from '../bearer.ts'
import { ChatStore } from './chat-store.ts'
import { storageOf } from './storage.ts'

const stores = new Map<string, ChatStore>()
const quietMs = 2_000

/**
 * The store of a stage on this page, the same for all elements, whatever tokens they were given one after the other. A
 * page of another site asks nothing before it has a token or a way to get one.
 */
export function storeOf(origin: string, token: string | null, statement: Statement | null): ChatStore {
  const isGuest = origin !== location.origin || token !== null || statement !== null
  const key = `${origin} ${isGuest}`
  const known = stores.get(key)
  const store = known ?? create(new Api(origin, isGuest))
  stores.set(key, store)
  const { bearer } = store.api
  const isOther = bearer?.take(token, statement)
  // A new element after a logout: a user may have logged in since.
  if (known?.phase === 'expired') void store.resume()
  else if (isOther || (!known && !bearer)) void store.start()
  return store
}

function create(api: Api): ChatStore {
  const storage = storageOf('localStorage')
  const store = new ChatStore(api, {
    isVisible: () => document.visibilityState === 'visible',
    storage,
    tab: storageOf('sessionStorage'),
    // A browser that forbids the storage refuses every lock, too.
    locks: storage && 'locks' in navigator ? navigator.locks : undefined,
  })
  followPage(store)
  return store
}

/** Asks again when the user comes back or the connection does, and keeps what was typed when the page goes. */
function followPage(store: ChatStore): void {
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
