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
