import type { ChildProcess } from 'node:child_process'
import { type Kind, start } from './process.ts'

/**
 * One process of the sandbox that waits for the next file, with the libraries for files like the last one loaded. It
 * holds no file, keeps this process from no end, and ends with it.
 */

type Spare = { child: ChildProcess; kind: Kind; tooOld: NodeJS.Timeout }

/** So long a process waits, in milliseconds: it takes memory that the next file may never need. */
const waitMs = 300_000

let spare: Spare | undefined

/** The process id of the one that waits; undefined where none does. */
export const waiting = (): number | undefined => spare?.child.pid

/** Has a process wait for a file of this kind, in the place of one that waits for another kind. */
export function prepare(kind: Kind): void {
  if (spare?.kind === kind) return
  drop()
  const child = start(kind)
  const mine = { child, kind, tooOld: setTimeout(drop, waitMs).unref() }
  spare = mine
  hold(child, 'unref')
  const gone = () => {
    if (spare === mine) drop()
  }
  child.once('exit', gone)
  child.once('error', gone)
}

/** The process that waits, for the caller alone; undefined where none does, or not with the same rights. */
export function take(kind: Kind): ChildProcess | undefined {
  if (!spare || (spare.kind === 'image') !== (kind === 'image')) return undefined
  const { child, tooOld } = spare
  spare = undefined
  clearTimeout(tooOld)
  child.removeAllListeners()
  hold(child, 'ref')
  return child
}

function drop(): void {
  const { child, tooOld } = spare ?? {}
  spare = undefined
  clearTimeout(tooOld)
  child?.kill('SIGKILL')
}

/** Whether the process and the ways to it keep this process from its end. */
function hold(child: ChildProcess, how: 'ref' | 'unref'): void {
  child[how]()
  child.channel?.[how]()
  // The pipe is a socket, whose type says less.
  ;(child.stdin as unknown as { ref(): void; unref(): void } | null)?.[how]()
}
