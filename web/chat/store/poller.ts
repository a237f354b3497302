import type { Conversation } from './conversation.ts'
import { ask } from './load.ts'
import { listIntervalMs, pollDelay, startPolling } from './poll.ts'
import type { State } from './state.ts'
import { isBusy } from './transcript.ts'

/**
 * Sees to it that just those conversations are polled that are shown and busy or waiting, and that the list is asked
 * for now and then while something is busy elsewhere. Called after every change.
 */
export class Poller {
  readonly #store: State
  #list: ReturnType<typeof setTimeout> | undefined

  constructor(store: State) {
    this.#store = store
  }

  update(talks: Iterable<Conversation>, shown: ReadonlySet<Conversation>): void {
    const store = this.#store
    const canAsk = store.phase === 'ready' && store.retryAt === null
    // No user sees what a hidden page has open: the list says when the turn is over, and so does the page's title.
    const seen = store.page.isVisible() ? shown : new Set<Conversation>()
    for (const talk of talks) this.#poll(talk, canAsk && seen.has(talk) && needsPolling(talk))
    const elsewhere = store.active.busyIds.some((id) => ![...seen].some((talk) => talk.id === id))
    if (canAsk && elsewhere)
      this.#list ??= setTimeout(() => {
        this.#list = undefined
        void store.refreshLists()
      }, listIntervalMs)
    else {
      clearTimeout(this.#list)
      this.#list = undefined
    }
  }

  #poll(talk: Conversation, isDue: boolean): void {
    if (isDue === (talk.stopPolling !== null)) return
    if (!isDue) {
      talk.stopPolling?.()
      talk.stopPolling = null
      return
    }
    const store = this.#store
    const { locks } = store.page
    const interval = () => store.status?.pollIntervalMs ?? 1_500
    const stop = startPolling({
      ask: (signal) => ask(store, talk, signal),
      delayMs: () => pollDelay(talk.status, Date.now() - talk.runningSince, interval(), Math.random()),
      failed: (error) => {
        if (talk.stopPolling === stop) talk.stopPolling = null
        store.caught(error)
      },
      lock: locks ? { locks, name: `aic:poll:${store.user?.uid}:${talk.id}` } : undefined,
    })
    talk.stopPolling = stop
  }
}

function needsPolling(talk: Conversation): boolean {
  return !talk.isFresh && (isBusy(talk.status) || talk.status === 'awaiting_approval')
}
