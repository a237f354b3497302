import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { watch } from 'node:fs'
import { open } from 'node:fs/promises'
import { Writable } from 'node:stream'
import { limitTime } from '../../core/base/clock.ts'

/** Asks for one invocation of the `handler` that `module` defines. */
export type Invocation = { id: number; module: string; event: unknown; timeoutMs: number }

/** A message of the process: its modules are loaded, or one invocation has ended with an answer or an error. */
export type LambdaReport = { ready: true } | { id: number; result: unknown } | { id: number; error: string }

/** A warm process that runs functions as Lambda does, with an event, an answer, a deadline and an environment. */
export type Lambda = {
  process: ChildProcess
  /**
   * Returns the handler's answer. Throws FunctionError if the handler throws or its process ends, and TimeoutError if
   * the handler takes longer than `timeoutMs`.
   */
  invoke(module: URL, event: unknown, timeoutMs: number): Promise<unknown>
  /** Tells running invocations that their time is up, waits for them for at most `graceMs`, and ends the process. */
  stop(graceMs: number): Promise<void>
  /** Resolves, with the signal or exit code, only if the process ended by itself. */
  crashed: Promise<string>
}

/** Thrown if the handler threw or its process died: Lambda's `FunctionError`. */
export class FunctionError extends Error {}

/** Thrown if the handler did not answer in its time. */
export class TimeoutError extends Error {}

/** Options of a process that runs functions. */
export type LambdaOptions = {
  env: NodeJS.ProcessEnv
  /** Modules to load before the first invocation. */
  modules: URL[]
  /** Receives the output of the process. */
  log: Writable
  /** Port on loopback for a debugger; absent: no debugger can connect. */
  inspect?: number
}

/** Starts the process and resolves when its modules are loaded. It ends when this process ends, for whatever reason. */
export async function startLambda({ env, modules, log, inspect }: LambdaOptions): Promise<Lambda> {
  const child = fork(
    new URL('./lambda-child.ts', import.meta.url),
    modules.map((module) => module.href),
    {
      env,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      detached: true,
      execArgv: inspect ? [`--inspect=127.0.0.1:${inspect}`] : [],
    },
  )
  for (const output of [child.stdout, child.stderr]) {
    // A broken pipe means that the process ended; its exit code says how.
    output?.on('error', () => {})
    output?.pipe(log, { end: false })
  }
  const running: Running = new Map()
  const crash = Promise.withResolvers<string>()
  let count = 0
  let isStopping = false

  await awaitModules(child, running)
  child.once('exit', (code, signal) => isStopping || crash.resolve(String(signal ?? code)))

  function invoke(module: URL, event: unknown, timeoutMs: number): Promise<unknown> {
    const invocation: Invocation = { id: ++count, module: module.href, event, timeoutMs }
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    const late = new TimeoutError(`Timed out after ${timeoutMs} ms`)
    const timer = limitTime(timeoutMs, () => reject(late))
    running.set(invocation.id, { resolve, reject })
    child.send(invocation, (error) => error && reject(new FunctionError('The process is gone')))
    return promise.finally(() => {
      clearTimeout(timer)
      running.delete(invocation.id)
    })
  }

  async function stop(graceMs: number): Promise<void> {
    isStopping = true
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    const timer = setTimeout(() => child.kill('SIGKILL'), graceMs)
    child.send('stop', () => {})
    await ended
    clearTimeout(timer)
  }

  return { process: child, crashed: crash.promise, invoke, stop }
}

/** The invocations that have no report yet, by their id. */
type Running = Map<number, Pick<PromiseWithResolvers<unknown>, 'resolve' | 'reject'>>

/** Resolves when the process has loaded its modules; from then on passes its reports to their invocations. */
function awaitModules(child: ChildProcess, running: Running): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  let output = ''
  child.stderr?.on('data', (data) => {
    output = `${output}${data}`.slice(-2_000)
  })
  child.on('error', reject)
  child.once('exit', (code, signal) => {
    const message = `The process of the functions ended (${signal ?? code})`
    for (const invocation of running.values()) invocation.reject(new FunctionError(message))
    reject(new Error(`${message}\n${output}`))
  })
  child.on('message', (report: LambdaReport) => {
    if ('ready' in report) return resolve()
    const invocation = running.get(report.id)
    if ('error' in report) invocation?.reject(new FunctionError(report.error))
    else invocation?.resolve(report.result)
  })
  return promise
}

/**
 * Opens the log of the stage. Lines that cannot be written, or come after its end, are lost, and this is reported. A
 * full disk must stop neither the stage nor the processes that write into the log. Throws if the file cannot be opened.
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
  }).on('error', lost)
}

/** Writes errors of the stage itself into its log. */
export function reporter(log: Writable): (error: unknown) => void {
  return (error) => {
    const message = error instanceof Error ? (error.stack ?? error.message) : String(error)
    log.write(`${JSON.stringify({ level: 'ERROR', timestamp: new Date().toISOString(), message })}\n`)
  }
}

/** A process of functions whose code may change: `replace` ends it and starts it again with the current files. */
export type Replaceable = Omit<Lambda, 'process'> & {
  /**
   * Resolves when the new process is ready. Rejects if it cannot load its modules; invocations then fail until a later
   * replacement succeeds.
   */
  replace(): Promise<void>
}

/** Starts the process. During a replacement, new invocations wait, and running invocations have `graceMs` to end. */
export async function startReplaceable(options: LambdaOptions, graceMs: number): Promise<Replaceable> {
  const crash = Promise.withResolvers<string>()
  const begin = async () => {
    const lambda = await startLambda(options)
    lambda.crashed.then(crash.resolve, crash.reject)
    return lambda
  }
  // A process that could not load its modules has already ended.
  const stopped = (lambda: Promise<Lambda>, ms: number) => lambda.then(({ stop }) => stop(ms)).catch(() => {})

  let current = Promise.resolve(await begin())
  return {
    crashed: crash.promise,
    invoke: async (...invocation) => (await current).invoke(...invocation),
    stop: (ms) => stopped(current, ms),
    replace: async () => {
      current = stopped(current, graceMs).then(begin)
      await current
    },
  }
}

/** The time without changes after which a burst of changes, such as a checkout, counts as over, in milliseconds. */
const quietMs = 100

/**
 * Calls `changed` once after each burst of changes below the folders, never two calls at once. Returns a function that
 * stops the watching.
 */
export function watchFolders(folders: URL[], changed: () => Promise<void>): () => void {
  let timer: NodeJS.Timeout | undefined
  let last = Promise.resolve()
  const watchers = folders.map((folder) =>
    watch(folder, { recursive: true }, () => {
      clearTimeout(timer)
      timer = setTimeout(() => {
        last = last.then(changed)
      }, quietMs)
    }),
  )
  return () => {
    clearTimeout(timer)
    for (const watcher of watchers) watcher.close()
  }
}
