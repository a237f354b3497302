import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { SandboxedFormat } from '../file/format.ts'
import type { ImageLimits } from './image.ts'
import { Places } from './places.ts'
import type { Limits } from './schema.ts'

/**
 * Where files of strangers are parsed: a process of its own for each, without the environment of this one, without
 * reading anything but its own code, without writing, starting processes or (for documents) native code, and with three
 * limits that nothing inside can lift: a wall clock, the heap of JavaScript, and the memory of the whole process. Two at
 * a time, one of each user; others wait for their turn. Node 24 withholds neither the network nor signals.
 *
 * The child is `sandbox-child.ts` beside this file. In a bundle it is `sandbox-child.mjs` beside the bundle, made by
 * `infra/sandbox.ts` together with the function.
 */

/** What a child is asked to do with the bytes that it gets. */
export type Job =
  | { kind: 'document'; format: SandboxedFormat; limits: Limits }
  | { kind: 'image'; limits: ImageLimits }

/** The child's answer, unparsed; or what became of a child that gave none. */
export type Outcome = { ended: 'answered'; answer: unknown } | { ended: 'tooSlow' | 'tooLarge' | 'broken' }

export type SandboxOptions = {
  /** Milliseconds from the start of the child to its end. */
  wallClockMs?: number
  /** Bytes of memory of the whole child. */
  memoryBytes?: number
  /** Whose document it is: each user has one place at a time. Without it, a document counts as one of another user. */
  user?: number
  /** Ends the child, or the wait for one; the outcome is then rejected with the signal's reason. */
  signal?: AbortSignal
}

/** A checkout runs the sources; a deployed function has them in a bundle. */
const isSource = import.meta.url.endsWith('.ts')

const wallClockMs = 20_000
const memoryBytes = 512 * 1024 ** 2
const heapMegabytes = 256
const watchEveryMs = 10
const places = new Places(2)

/** Runs one job on unparsed bytes in the child. Never throws for what the bytes do to the child. */
export async function run(job: Job, bytes: Uint8Array, options: SandboxOptions = {}): Promise<Outcome> {
  const leave = await places.take(options.user ?? Symbol(), options.signal)
  try {
    options.signal?.throwIfAborted()
    return await runChild(start(job), bytes, options)
  } finally {
    leave()
  }
}

function start(job: Job): ChildProcess {
  const child = fileURLToPath(
    new URL(isSource ? './sandbox-child.ts' : './sandbox-child.mjs', import.meta.url),
  )
  return spawn(process.execPath, [...flags(job.kind), child, JSON.stringify(job)], {
    env: {},
    stdio: ['pipe', 'ignore', 'ignore', 'ipc'],
  })
}

/** How Node is started for a kind of job: what the child may not do, no code in it can do. */
export function flags(kind: Job['kind']): string[] {
  return [
    `--max-old-space-size=${heapMegabytes}`,
    '--permission',
    ...readable().map((path) => `--allow-fs-read=${path}`),
    ...(kind === 'image' ? ['--allow-addons'] : []),
  ]
}

/** The code of the child and of its libraries: no data, no configuration, nothing below `/proc`. */
function readable(): string[] {
  const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))
  if (!isSource) return [here('./sandbox-child.mjs'), here('./node_modules/*')]
  return ['../*', '../../node_modules/*', '../../package.json'].map(here)
}

async function runChild(child: ChildProcess, bytes: Uint8Array, options: SandboxOptions): Promise<Outcome> {
  let outcome: Outcome | undefined
  const end = (reason: Outcome) => {
    outcome ??= reason
    child.kill('SIGKILL')
  }
  const clock = setTimeout(() => end({ ended: 'tooSlow' }), options.wallClockMs ?? wallClockMs)
  const abort = () => child.kill('SIGKILL')
  options.signal?.addEventListener('abort', abort)
  child.on('error', () => end({ ended: 'broken' }))
  child.on('message', (answer) => end({ ended: 'answered', answer }))
  // A child that dies while it reads breaks its pipe; its exit code tells how it ended.
  child.stdin?.on('error', () => {})
  child.stdin?.end(bytes)
  const closed = once(child, 'close')
  const watch = watchMemory(child, options.memoryBytes ?? memoryBytes, () => end({ ended: 'tooLarge' }))
  try {
    const [, signal] = await closed
    options.signal?.throwIfAborted()
    // V8 aborts when the heap is full.
    return outcome ?? { ended: signal === 'SIGABRT' || signal === 'SIGKILL' ? 'tooLarge' : 'broken' }
  } finally {
    clearTimeout(clock)
    clearInterval(watch)
    options.signal?.removeEventListener('abort', abort)
  }
}

/**
 * Looks at what the system counts for the child, since typed arrays are in no limit of V8's. Read at once: on a busy
 * machine, each step of an asynchronous read would wait its turn while the child grows. Linux only.
 */
function watchMemory(child: ChildProcess, limit: number, exceeded: () => void): NodeJS.Timeout {
  return setInterval(() => {
    if (residentBytes(child.pid) > limit) exceeded()
  }, watchEveryMs)
}

function residentBytes(pid: number | undefined): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0) * 1024
  } catch {
    return 0
  }
}
