import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { limitTime } from '../../base/clock.ts'
import type { SandboxedFormat } from '../format.ts'
import type { Limits } from './excerpt.ts'
import type { ImageLimits } from './image.ts'
import { type ProcessKind, prepareSpare, startChild, takeSpare } from './process.ts'

/**
 * Parses untrusted files, each in a separate process. The process does not get this environment, reads only its own
 * code, and writes nothing. It starts no process and, for documents, loads no native code. Code inside it cannot lift
 * its four limits: processor time, wall-clock time, the JavaScript heap, and the memory of the whole process. Two
 * processes run at a time, at most one for each user; other jobs wait for their turn. Node 24 cannot block the network
 * or signals. After the first file, one process waits for the next (`process.ts`); it too handles only one file. The
 * child is `sandbox-child.ts` next to this file. In a bundle it is `sandbox-child.mjs` next to the bundle;
 * `infra/bundle.ts` builds it together with the function.
 */

/** The job of a child for the bytes that it gets. */
export type Job =
  | { kind: 'document'; format: SandboxedFormat; limits: Limits }
  | { kind: 'image'; limits: ImageLimits }
  /** Draws these pages of a PDF as SVG. */
  | { kind: 'pages'; pages: number[] }
  /** Converts drawn pages to pictures of at most `bytes` bytes each. */
  | { kind: 'drawings'; bytes: number }

/** The messages of a child: the first confirms its job, the second is its answer. */
export type Said = { begun: true } | { answer: unknown }

/** The child's answer, unparsed; or the reason why there is no answer. */
export type Outcome = { ended: 'answered'; answer: unknown } | { ended: 'tooSlow' | 'tooLarge' | 'broken' }

export type SandboxOptions = {
  /** Processor time that the child may use for the job, in milliseconds. */
  processorMs?: number
  /** Time limit in milliseconds from the start of the child to its end, also on a busy machine. */
  wallClockMs?: number
  /** Bytes of memory of the whole child. */
  memoryBytes?: number
  /** Uid of the owner. Each user has one place at a time. If absent, the job counts as that of a further user. */
  user?: number
  /** Aborts the child, or the wait for a place; the promise then rejects with the signal's reason. */
  signal?: AbortSignal
}

const processorMs = 20_000
/** The time limit of a job. It is generous, so that a busy machine refuses no good file. */
const wallClockMs = 120_000
const memoryBytes = 512 * 1024 ** 2
const watchEveryMs = 10
/**
 * A number of places that users share fairly. Each user holds at most one place. Waiting users are served in turn: a
 * user waits for at most one document of each other user.
 */
export class Places {
  readonly #atOnce: number
  readonly #holding = new Set<unknown>()
  /** Waiting callers by user, in the order in which the users are served. */
  readonly #waiting = new Map<unknown, (() => void)[]>()

  constructor(atOnce: number) {
    this.#atOnce = atOnce
  }

  /** Waits for a place and returns the function that leaves it. Rejects with the signal's reason on abort. */
  async take(user: unknown, signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted()
    if (this.#holding.size >= this.#atOnce || this.#holding.has(user)) await this.#wait(user, signal)
    else this.#holding.add(user)
    return () => {
      this.#holding.delete(user)
      this.#serve()
    }
  }

  #wait(user: unknown, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        const rest = (this.#waiting.get(user) ?? []).filter((other) => other !== waiter)
        if (rest.length > 0) this.#waiting.set(user, rest)
        else this.#waiting.delete(user)
        reject(signal?.reason)
      }
      const waiter = () => {
        signal?.removeEventListener('abort', giveUp)
        resolve()
      }
      this.#waiting.set(user, [...(this.#waiting.get(user) ?? []), waiter])
      signal?.addEventListener('abort', giveUp, { once: true })
    })
  }

  /** Gives free places to the next users; a user with more to do goes to the end of the line. */
  #serve(): void {
    for (const [user, [first, ...rest]] of [...this.#waiting]) {
      if (this.#holding.size >= this.#atOnce) return
      if (this.#holding.has(user) || !first) continue
      this.#waiting.delete(user)
      if (rest.length > 0) this.#waiting.set(user, rest)
      this.#holding.add(user)
      first()
    }
  }
}

const places = new Places(2)

/** The number of running jobs. */
let running = 0

/**
 * Runs one job on unparsed bytes in the child. Rejects only on abort, or if no child can be started, whatever the bytes
 * do to the child.
 */
export async function run(job: Job, bytes: Uint8Array, options: SandboxOptions = {}): Promise<Outcome> {
  const leave = await places.take(options.user ?? Symbol(), options.signal)
  try {
    options.signal?.throwIfAborted()
    return await runAlone(job, bytes, options)
  } finally {
    leave()
  }
}

/**
 * Runs the job in the spare process, or in a new one. Afterwards it prepares the next spare, never next to a running
 * job, since their memory adds up.
 */
async function runAlone(job: Job, bytes: Uint8Array, options: SandboxOptions): Promise<Outcome> {
  running++
  try {
    const spare = takeSpare(kindOf(job))
    const outcome = spare && (await runChild(spare, job, bytes, options, spareMs))
    return outcome ?? ((await runChild(startChild(kindOf(job)), job, bytes, options)) as Outcome)
  } finally {
    running--
    if (running === 0) prepareSpare(kindOf(job))
  }
}

function kindOf(job: Job): ProcessKind {
  if (job.kind === 'document') return job.format
  return job.kind === 'pages' ? 'pdf' : 'image'
}

/** A spare process must begin within this many milliseconds; otherwise a new process gets the job. */
const spareMs = 2_000

/**
 * Runs a job in the child and returns its outcome; undefined if the child did not begin within `beginMs`, or exited
 * before.
 */
async function runChild(
  child: ChildProcess,
  job: Job,
  bytes: Uint8Array,
  options: SandboxOptions,
  beginMs?: number,
): Promise<Outcome | undefined> {
  let outcome: Outcome | undefined
  let hasBegun = beginMs === undefined
  const kill = () => child.kill('SIGKILL')
  const end = (reason: Outcome) => {
    outcome ??= reason
    kill()
  }
  const clock = limitTime(options.wallClockMs ?? wallClockMs, () => end({ ended: 'tooSlow' }))
  const begin = setTimeout(() => hasBegun || kill(), beginMs)
  options.signal?.addEventListener('abort', kill)
  child.on('message', (said: Said) => {
    // A busy parent may read this after it gave the child up; a new process has the job then.
    hasBegun ||= !child.killed
    if ('answer' in said) end({ ended: 'answered', answer: said.answer })
  })
  // A child that dies while it reads breaks its pipe; its exit code shows the cause.
  child.stdin?.on('error', () => {})
  child.send(job, () => {})
  child.stdin?.end(bytes)
  const closed = once(child, 'close')
  const watch = watchUse(child, { processorMs, memoryBytes, ...options }, (ended) => end({ ended }))
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
    options.signal?.removeEventListener('abort', kill)
  }
}

/**
 * Watches the memory and the processor time of the child as the system counts them. V8's limits leave out typed arrays.
 * It reads synchronously: on a busy machine, each step of an asynchronous read would wait while the child grows. It
 * works on Linux; on other systems, only the wall clock ends a slow job.
 */
function watchUse(
  { pid }: ChildProcess,
  limit: { processorMs: number; memoryBytes: number },
  exceeded: (limit: 'tooLarge' | 'tooSlow') => void,
): ReturnType<typeof setTimeout> {
  // A spare process has already spent time to load its libraries.
  const spent = usedMs(pid)
  return setInterval(() => {
    if (residentBytes(pid) > limit.memoryBytes) exceeded('tooLarge')
    else if (usedMs(pid) - spent > limit.processorMs) exceeded('tooSlow')
  }, watchEveryMs)
}

function residentBytes(pid: number | undefined): number {
  return Number(/^VmRSS:\s+(\d+)/m.exec(figures(pid, 'status'))?.[1] ?? 0) * 1024
}

/** The clock ticks of Linux on every architecture that Node runs on. */
const ticksPerSecond = 100

/**
 * Returns the processor time of a process. The file has the name of the process in parentheses, and the name may
 * contain spaces.
 */
function usedMs(pid: number | undefined): number {
  const fields = figures(pid, 'stat').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) * (1_000 / ticksPerSecond)
}

/** Returns the text of a file of the process in `/proc`; empty after the process has ended. */
function figures(pid: number | undefined, file: 'status' | 'stat'): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return ''
  }
}
