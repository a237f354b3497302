import type { PutAnswer } from '../../../core/cms/cms.ts'

/** The answer for a put that was never made. */
export const voided: PutAnswer = { state: 'void' }

/**
 * The period in which a put without a transaction has to end, in milliseconds; after it, the put counts as abandoned.
 */
const patienceMs = 60_000

/** A stored put; the outcome is absent while the put is in progress. */
export type KeptPut = { outcome?: PutAnswer | undefined; begunAt: number }

/** The puts of a CMS by key. */
export type PutStore = {
  read(key: string): Promise<KeptPut | undefined>
  /** Stores `void` under a key; returns false if the key exists. */
  addVoid(key: string): Promise<boolean>
  /** Stores `void` as the outcome of an abandoned put. */
  abandon(key: string): Promise<void>
}

/** Returns the outcome of the put with a key; undefined if the key is unknown. Waits for a put in progress. */
export async function outcomeOf(store: PutStore, key: string): Promise<PutAnswer | undefined> {
  for (;;) {
    const kept = await store.read(key)
    if (!kept || kept.outcome) return kept?.outcome
    // The process of this put has died; only a put without a transaction leaves such a row.
    if (Date.now() - kept.begunAt > patienceMs) {
      await store.abandon(key)
      return voided
    }
    await new Promise((done) => setTimeout(done, 50))
  }
}

/** Returns the outcome of the put with a key; an unknown key becomes `void` permanently. */
export async function settleKey(store: PutStore, key: string): Promise<PutAnswer> {
  const known = await outcomeOf(store, key)
  if (known || (await store.addVoid(key))) return known ?? voided
  return (await outcomeOf(store, key)) ?? voided
}

const queues = new WeakMap<object, Promise<unknown>>()

/** The maximum number of attempts of a write on a busy database. */
const maxAttempts = 20

/**
 * Runs the writes to a database one after the other in this process. Repeats a write while another connection keeps the
 * database busy, because SQLite refuses a second writer instead of waiting.
 */
export function inTurn<T>(database: object, run: () => Promise<T>): Promise<T> {
  const mine = (queues.get(database) ?? Promise.resolve()).then(() => whenFree(run))
  queues.set(
    database,
    mine.catch(() => undefined),
  )
  return mine
}

async function whenFree<T>(run: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run()
    } catch (error) {
      if (attempt === maxAttempts || !isBusy(error)) throw error
      await new Promise((done) => setTimeout(done, 20 + 80 * Math.random()))
    }
  }
}

function isBusy(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return /SQLITE_BUSY|database is locked/.test(error.message) || isBusy(error.cause)
}
