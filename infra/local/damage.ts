import { relative } from 'node:path'
import { own } from '../../core/base/json.ts'

/** An error that ends the command; its message is a sentence for the person at the terminal. */
export class StageError extends Error {}

const wayOut = 'Mend it, move it away, or name another folder with AI_CHAT_DATA.'

const damageReasons: Record<string, string> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk space that you may use is full',
  EACCES: 'you may not read or write it',
  EPERM: 'you may not read or write it',
  EROFS: 'its disk can only be read',
  EEXIST: 'there is a file where a folder is expected',
  ENOTDIR: 'there is a file where a folder is expected',
  EISDIR: 'there is a folder where a file is expected',
  EMFILE: 'this process has too many files open',
  ENOENT: 'the folder that it is in does not exist',
}

/** Error messages of SQLite (https://sqlite.org/rescode.html) that the emulators pass on, with words for a person. */
const sqlite: [RegExp, string][] = [
  [/disk is full/i, 'the disk is full'],
  [/not a database|malformed|corrupt/i, 'it is damaged, or no database'],
  [/readonly/i, 'you may not write it'],
  [/unable to open/i, 'it cannot be opened as a database file'],
]

/** Runs an action on a file or folder of the stage. Throws StageError with a sentence if the file cannot be used. */
export async function withFile<T>(path: string, act: () => T | Promise<T>): Promise<T> {
  try {
    return await act()
  } catch (error) {
    if (error instanceof StageError || isPort(error)) throw error
    throw new StageError(`${shown(path)} cannot be used: ${reasonOf(error)}. ${wayOut}`, { cause: error })
  }
}

/** Returns a path as a person would type it in the current folder. */
export function shown(path: string): string {
  const short = relative(process.cwd(), path)
  return short.startsWith('..') ? path : short || '.'
}

const isPort = (error: unknown) => codeOf(error) === 'EADDRINUSE'

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}

function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  const known = own(damageReasons, codeOf(error)) ?? sqlite.find(([pattern]) => pattern.test(message))?.[1]
  return known ?? (message.split('\n')[0] ?? '').replace(/\.$/, '')
}
