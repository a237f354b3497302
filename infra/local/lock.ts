import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** The lock of a data folder, which only one stage can hold. */
export type Lock = { release(): void }

/** Returns the file whose lock shows that a stage uses the folder. */
export const lockFile = (folder: string) => join(folder, 'lock.sqlite')

/**
 * Locks the folder for this process; undefined if another stage holds the lock. The operating system holds the lock on
 * an SQLite file and releases it at any end of the process: no stale lock can remain.
 */
export function lock(folder: string): Lock | undefined {
  const database = new DatabaseSync(lockFile(folder))
  try {
    database.exec('PRAGMA busy_timeout = 0; BEGIN EXCLUSIVE')
    return { release: () => database.close() }
  } catch (error) {
    database.close()
    if (error instanceof Error && /locked/.test(error.message)) return undefined
    throw error
  }
}
