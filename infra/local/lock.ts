import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** One stage per data folder. */
export type Lock = { release(): void }

/** The file whose lock says that a stage has the folder. */
export const lockFile = (folder: string) => join(folder, 'lock.sqlite')

/**
 * Takes the folder for this process; undefined when another stage has it. The lock is the operating system's, on an
 * SQLite file: it ends with the process, however that ends, and no stale number of a process can hold it.
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
