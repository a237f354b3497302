import type { Conversation } from './conversation.ts'
import { ask } from './load.ts'
import { listIntervalMs, pollDelay, startPolling } from './poll.ts'
import type { State } from './state.ts'
import { isBusy } from './transcript.ts'

/**
 * Polls exactly the shown conversations that are busy, waiting, or newer on the stage than here. Polls the list now and
 * then while another conversation is busy. Called after every change.
 */
export class Poller {
  readonly #store: State
  #list: ReturnType<typeof setTimeout> | undefined

  constructor(store: State) {
    this.#store = store
  }

  update(conversations: Iterable<Conversation>, shown: ReadonlySet<Conversation>): void {
    const store = this.#store
    const canAsk = store.phase === 'ready' && store.retryAt === null
    // No user sees the conversation of a hidden page: the list tells when the turn ends, for the page's title.
    const seen = store.page.isVisible() ? shown : new Set<Conversation>()
    for (const conversation of conversations)
      this.#poll(conversation, canAsk && seen.has(conversation) && needsPolling(conversation))
    const elsewhere = store.active.busyIds.some(
      (id) => ![...seen].some((conversation) => conversation.id === id),
    )
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

  #poll(conversation: Conversation, isDue: boolean): void {
    if (isDue === (conversation.stopPolling !== null)) return
    if (!isDue) {
      conversation.stopPolling?.()
      conversation.stopPolling = null
      return
    }
    const store = this.#store
    const { locks } = store.page
    const interval = () => store.status?.pollIntervalMs ?? 1_500
    const stop = startPolling({
      ask: (signal) => ask(store, conversation, signal),
      delayMs: () =>
        pollDelay(
          conversation.status,
          Date.now() - conversation.runningSince,
          interval(),
          Math.random(),
          conversation.transcript.pollAfterMs,
        ),
      failed: (error) => {
        if (conversation.stopPolling === stop) conversation.stopPolling = null
        store.caught(error)
      },
      lock: locks ? { locks, name: `aic:poll:${store.user?.uid}:${conversation.id}` } : undefined,
    })
    conversation.stopPolling = stop
  }
}

function needsPolling({ isFresh, isGone, isBehind, status }: Conversation): boolean {
  return !isFresh && !isGone && (isBehind || isBusy(status) || status === 'awaiting_approval')
}
