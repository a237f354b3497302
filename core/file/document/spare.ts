import type { ChildProcess } from 'node:child_process'
import { type ProcessKind, startChild } from './process.ts'

/**
 * One spare process of the sandbox, which waits for the next file. It has loaded the libraries for the kind of the
 * last file. It holds no file, does not keep this process alive, and exits with it.
 */

type Spare = { child: ChildProcess; kind: ProcessKind; tooOld: NodeJS.Timeout }

/** A spare process waits this long, in milliseconds: it takes memory that the next file may never need. */
const waitMs = 300_000

let spare: Spare | undefined

/** The process id of the spare process; undefined if there is none. */
export const waiting = (): number | undefined => spare?.child.pid

/** Starts a spare process for this kind of file; replaces one for another kind. */
export function prepare(kind: ProcessKind): void {
  if (spare?.kind === kind) return
  drop()
  const child = startChild(kind)
  const mine = { child, kind, tooOld: setTimeout(drop, waitMs).unref() }
  spare = mine
  hold(child, 'unref')
  const gone = () => {
    if (spare === mine) drop()
  }
  child.once('exit', gone)
  child.once('error', gone)
}

/** Hands the spare process to the caller alone; undefined if there is none, or only one with other permissions. */
export function takeSpare(kind: ProcessKind): ChildProcess | undefined {
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

/** Sets if the process and its pipes keep this process alive. */
function hold(child: ChildProcess, how: 'ref' | 'unref'): void {
  child[how]()
  child.channel?.[how]()
  // The pipe is a socket, but its type does not say so.
  ;(child.stdin as unknown as { ref(): void; unref(): void } | null)?.[how]()
}
