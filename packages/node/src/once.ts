import type { PutAnswer } from '../../../core/cms/cms.ts'

/** The answer to a put that was never made. */
export const voided: PutAnswer = { state: 'void' }

/** The period in which a put without a transaction has to end, in milliseconds; then its key counts as abandoned. */
const patienceMs = 60_000

/** A put under its key; the outcome is absent while it is made. */
export type KeptPut = { outcome?: PutAnswer | undefined; begunAt: number }

/** The puts of a CMS by their keys. */
export type PutStore = {
  read(key: string): Promise<KeptPut | undefined>
  /** Stores `void` under a key; false where the key is there. */
  addVoid(key: string): Promise<boolean>
  /** Ends a put that was abandoned as `void`. */
  abandon(key: string): Promise<void>
}

/** The end of the put with a key; undefined: the key is not known. Waits for a put that is still made. */
export async function outcomeOf(store: PutStore, key: string): Promise<PutAnswer | undefined> {
  for (;;) {
    const kept = await store.read(key)
    if (!kept || kept.outcome) return kept?.outcome
    // The process that made it has died meanwhile; only a put without a transaction leaves such a row.
    if (Date.now() - kept.begunAt > patienceMs) {
      await store.abandon(key)
      return voided
    }
    await new Promise((done) => setTimeout(done, 50))
  }
}

/** The end of the put with a key; a key that is not known is `void` from then on. */
export async function settleKey(store: PutStore, key: string): Promise<PutAnswer> {
  const known = await outcomeOf(store, key)
  if (known || (await store.addVoid(key))) return known ?? voided
  return (await outcomeOf(store, key)) ?? voided
}

const queues = new WeakMap<object, Promise<unknown>>()

/** The most attempts of a write on a busy database. */
const maxAttempts = 20

/**
 * Runs the writes to a database one after the other in this process, and again while another connection keeps it busy:
 * SQLite has one writer, and does not wait for it.
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
