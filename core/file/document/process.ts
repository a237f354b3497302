import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import * as Log from '../../base/log.ts'
import type { SandboxedFormat } from '../format.ts'

/** Starts the sandbox process and sets its permissions. */

/** The kind of file that a process handles; it loads the libraries for this kind while it waits for its job. */
export type ProcessKind = SandboxedFormat | 'image'

/** A checkout runs the sources; a deployed function has them in a bundle. */
const isSource = import.meta.url.endsWith('.ts')

/** The folder of character maps for East Asian text, which pdf.js reads for fonts that only name their map. */
export const characterMaps = fileURLToPath(
  new URL(isSource ? '../../../node_modules/pdfjs-dist/cmaps/' : './cmaps/', import.meta.url),
)

const heapMegabytes = 256

/** Starts a process that takes one job and its file. Throws if the system starts none. */
export function startChild(kind: ProcessKind): ChildProcess {
  const code = fileURLToPath(
    new URL(isSource ? './sandbox-child.ts' : './sandbox-child.mjs', import.meta.url),
  )
  const args = [...flags(kind === 'image' ? 'image' : 'document'), code, kind]
  const child = spawn(process.execPath, args, { env: {}, stdio: ['pipe', 'ignore', 'ignore', 'ipc'] })
  if (child.pid !== undefined) return child
  // Without a process, the child may lack its channel, and Node reports the reason later.
  child.on('error', (error) => Log.failure('The sandbox could not start a process', error))
  throw new Error('No process of the sandbox could be started')
}

/** Returns the Node flags of a child for a kind of job; no code in the child can lift these restrictions. */
export function flags(kind: 'document' | 'image'): string[] {
  return [
    `--max-old-space-size=${heapMegabytes}`,
    '--permission',
    ...readable().map((path) => `--allow-fs-read=${path}`),
    ...(kind === 'image' ? ['--allow-addons'] : []),
  ]
}

/**
 * Returns the paths that the child may read: its own code and libraries, no data, no configuration, nothing below
 * `/proc`.
 */
function readable(): string[] {
  const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))
  if (!isSource) return ['./sandbox-child.mjs', './cmaps/*', './node_modules/*'].map(here)
  return ['../../*', '../../../node_modules/*', '../../../package.json'].map(here)
}

/**
 * One spare process of the sandbox, which waits for the next file. It has loaded the libraries for the kind of the
 * last file. It holds no file, does not keep this process alive, and exits with it.
 */
type Spare = { child: ChildProcess; kind: ProcessKind; tooOld: ReturnType<typeof setTimeout> }

/** The lifetime of a spare process in milliseconds: it takes memory that the next file may never need. */
const waitMs = 300_000

let spare: Spare | undefined

/** Returns the process id of the spare process; undefined if no process waits. */
export const sparePid = (): number | undefined => spare?.child.pid

/** Starts a spare process for this kind of file, if the system can; replaces a spare process for another kind. */
export function prepareSpare(kind: ProcessKind): void {
  if (spare?.kind === kind) return
  drop()
  try {
    const child = startChild(kind)
    const mine = { child, kind, tooOld: setTimeout(drop, waitMs).unref() }
    spare = mine
    hold(child, 'unref')
    child.once('exit', () => spare === mine && drop())
  } catch (error) {
    Log.failure('The sandbox has no spare process', error)
  }
}

/**
 * Gives the caller the spare process; undefined if no process waits, or if it has other permissions than this kind
 * needs.
 */
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

/** Sets if the process and its pipes keep the current process alive. */
function hold(child: ChildProcess, how: 'ref' | 'unref'): void {
  child[how]()
  child.channel?.[how]()
  // The pipe is a socket, but its type does not say so.
  ;(child.stdin as unknown as { ref(): void; unref(): void } | null)?.[how]()
}
