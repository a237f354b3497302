import { open } from 'node:fs/promises'
import { Writable } from 'node:stream'

/**
 * Opens the log of the stage. What cannot be written is lost, and reported once: a full disk must stop neither the stage nor
 * the processes that write into it. Throws where the file cannot be opened.
 */
export async function openLog(file: string, lost: (error: Error) => void): Promise<Writable> {
  const handle = await open(file, 'a')
  let isReported = false
  return new Writable({
    write: (chunk: Buffer, _, done) => {
      handle
        .appendFile(chunk)
        .catch((error: Error) => {
          if (!isReported) lost(error)
          isReported = true
        })
        .finally(() => done())
    },
    final: (done) => {
      handle.close().then(() => done(), done)
    },
  })
}
