import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { SandboxedFormat } from '../file/format.ts'
import type { ImageLimits } from './image.ts'
import { Places } from './places.ts'
import { type Kind, start } from './process.ts'
import type { Limits } from './schema.ts'
import * as Spare from './spare.ts'

/**
 * Where files of strangers are parsed: a process of its own for each, without the environment of this one, without
 * reading anything but its own code, without writing, starting processes or (for documents) native code, and with three
 * limits that nothing inside can lift: a wall clock, the heap of JavaScript, and the memory of the whole process. Two at
 * a time, one of each user; others wait for their turn. Node 24 withholds neither the network nor signals. After the
 * first file, one process waits for the next (spare.ts); it too serves one file.
 *
 * The child is `sandbox-child.ts` beside this file. In a bundle it is `sandbox-child.mjs` beside the bundle, made by
 * `infra/sandbox.ts` together with the function.
 */

/** What a child is asked to do with the bytes that it gets. */
export type Job =
  | { kind: 'document'; format: SandboxedFormat; limits: Limits }
  | { kind: 'image'; limits: ImageLimits }

/** What a child says: that it has its job, then its answer. */
export type Said = { begun: true } | { answer: unknown }

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

const wallClockMs = 20_000
const memoryBytes = 512 * 1024 ** 2
const watchEveryMs = 10
const places = new Places(2)

/** Jobs under way. */
let running = 0

/** Runs one job on unparsed bytes in the child. Never throws for what the bytes do to the child. */
export async function run(job: Job, bytes: Uint8Array, options: SandboxOptions = {}): Promise<Outcome> {
  const leave = await places.take(options.user ?? Symbol(), options.signal)
  try {
    options.signal?.throwIfAborted()
    return await runAlone(job, bytes, options)
  } finally {
    leave()
  }
}

/** Runs the job in the process that waits, or in a new one; another waits then, never beside a job: their memory adds up. */
async function runAlone(job: Job, bytes: Uint8Array, options: SandboxOptions): Promise<Outcome> {
  running++
  try {
    const spare = Spare.take(kindOf(job))
    const outcome = spare && (await runChild(spare, job, bytes, options, spareMs))
    return outcome ?? ((await runChild(start(kindOf(job)), job, bytes, options)) as Outcome)
  } finally {
    running--
    if (running === 0) Spare.prepare(kindOf(job))
  }
}

const kindOf = (job: Job): Kind => (job.kind === 'image' ? 'image' : job.format)

/** How long a process that waited may take to begin, in milliseconds, until a new one gets the job. */
const spareMs = 2_000

/** What became of the job; undefined when the child did not begin with it within `beginMs`, or ended before. */
async function runChild(
  child: ChildProcess,
  job: Job,
  bytes: Uint8Array,
  options: SandboxOptions,
  beginMs?: number,
): Promise<Outcome | undefined> {
  let outcome: Outcome | undefined
  let hasBegun = beginMs === undefined
  const end = (reason: Outcome) => {
    outcome ??= reason
    child.kill('SIGKILL')
  }
  const clock = setTimeout(() => end({ ended: 'tooSlow' }), options.wallClockMs ?? wallClockMs)
  const begin = setTimeout(() => hasBegun || child.kill('SIGKILL'), beginMs)
  const abort = () => child.kill('SIGKILL')
  options.signal?.addEventListener('abort', abort)
  child.on('error', () => end({ ended: 'broken' }))
  child.on('message', (said: Said) => {
    hasBegun = true
    if ('answer' in said) end({ ended: 'answered', answer: said.answer })
  })
  // A child that dies while it reads breaks its pipe; its exit code tells how it ended.
  child.stdin?.on('error', () => {})
  child.send(job, () => {})
  child.stdin?.end(bytes)
  const closed = once(child, 'close')
  const watch = watchMemory(child, options.memoryBytes ?? memoryBytes, () => end({ ended: 'tooLarge' }))
  try {
    const [, signal] = await closed
    options.signal?.throwIfAborted()
    if (!outcome && !hasBegun) return undefined
    // V8 aborts when the heap is full.
    return outcome ?? { ended: signal === 'SIGABRT' || signal === 'SIGKILL' ? 'tooLarge' : 'broken' }
  } finally {
    clearTimeout(clock)
    clearTimeout(begin)
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
