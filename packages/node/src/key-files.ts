import { createHash, randomUUID } from 'node:crypto'
import { link, mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { KeyStore } from './adapter.ts'

/** The number of new keys after which expired keys are deleted again. */
const sweepEach = 500

/**
 * Returns a key store in the files of a folder: for a CMS on one machine without a database table for keys. The
 * modification time of a file is its expiry.
 */
export function keyFiles(folder: string): KeyStore {
  const fileOf = (name: string) => join(folder, createHash('sha256').update(name).digest('hex'))
  let count = 0
  /** Writes a temporary file and then moves it, so that a file always has its complete text and time. */
  const write = async (text: string, end: Date, putInPlace: (part: string) => Promise<void>) => {
    const part = join(folder, `${randomUUID()}.part`)
    await writeFile(part, text, { mode: 0o600 })
    await utimes(part, end, end)
    await putInPlace(part).finally(() => rm(part, { force: true }))
  }
  const sweep = async () => {
    for (const file of (await readdir(folder)).map((name) => join(folder, name))) {
      const { mtimeMs } = await stat(file).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }))
      // A file that a request is writing has the present time until it gets its end.
      if (mtimeMs < Date.now() - 60_000) await rm(file, { force: true })
    }
  }
  return {
    async add(name, text, until) {
      await mkdir(folder, { recursive: true })
      if (count++ % sweepEach === 0) await sweep()
      try {
        await write(text, new Date(until), (part) => link(part, fileOf(name)))
        return true
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
        throw error
      }
    },
    read: (name) => readFile(fileOf(name), 'utf8').catch(nothingIfMissing),
    async set(name, text) {
      const { mtime } = await stat(fileOf(name))
      await write(text, mtime, (part) => rename(part, fileOf(name)))
    },
    remove: (name) => rm(fileOf(name), { force: true }),
  }
}

function nothingIfMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}
