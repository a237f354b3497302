import { type ChildProcess, fork } from 'node:child_process'
import { watch } from 'node:fs'
import { open } from 'node:fs/promises'
import { Writable } from 'node:stream'

/** Asks for one invocation of the `handler` that `module` defines. */
export type Invocation = { id: number; module: string; event: unknown; timeoutMs: number }

/** A message of the process: its modules are loaded, or one invocation has ended. */
export type LambdaReport =
  | { ready: true }
  | { id: number; result: unknown }
  | { id: number; error: { name: string; message: string } }

/** A warm process that runs functions as Lambda does, with an event, an answer, a deadline and an environment. */
export type Lambda = {
  process: ChildProcess
  /**
   * Returns the handler's answer. Throws FunctionError if the handler throws or its process ends, and TimeoutError if
   * the handler is late.
   */
  invoke(module: URL, event: unknown, timeoutMs: number): Promise<unknown>
  /** Tells running invocations that their time is up, waits for them for at most `graceMs`, and ends the process. */
  stop(graceMs: number): Promise<void>
}

/** Thrown if the handler threw or its process died: Lambda's `FunctionError`. */
export class FunctionError extends Error {}

/** Thrown if the handler did not answer in its time. */
export class TimeoutError extends Error {}

/** Options of a process that runs functions. */
export type LambdaOptions = {
  env: NodeJS.ProcessEnv
  /** The working folder; absent: that of this process. */
  cwd?: string
  /** Modules to load before the first invocation. */
  modules: URL[]
  /** Receives the output of the process. */
  log: Writable
  /** Port on loopback for a debugger; absent: no debugger can connect. */
  inspect?: number
}

/** Starts the process and resolves when its modules are loaded. It ends when this process ends, for whatever reason. */
export async function startLambda({ env, cwd, modules, log, inspect }: LambdaOptions): Promise<Lambda> {
  const child = fork(
    new URL('./lambda-child.ts', import.meta.url),
    modules.map((module) => module.href),
    {
      env,
      ...(cwd && { cwd }),
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
  let count = 0

  await awaitModules(child, running)

  async function invoke(module: URL, event: unknown, timeoutMs: number): Promise<unknown> {
    const id = ++count
    let timer: NodeJS.Timeout | undefined
    try {
      return await new Promise((done, failed) => {
        timer = setTimeout(() => failed(new TimeoutError(`Timed out after ${timeoutMs} ms`)), timeoutMs)
        running.set(id, (report) => {
          if ('result' in report) return done(report.result)
          if ('error' in report) failed(new FunctionError(`${report.error.name}: ${report.error.message}`))
        })
        const invocation: Invocation = { id, module: module.href, event, timeoutMs }
        child.send(invocation, (error) => error && failed(new FunctionError('The process is gone')))
      })
    } finally {
      clearTimeout(timer)
      running.delete(id)
    }
  }

  async function stop(graceMs: number): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = new Promise((done) => child.once('exit', done))
    const timer = setTimeout(() => child.kill('SIGKILL'), graceMs)
    child.send('stop', () => {})
    await ended
    clearTimeout(timer)
  }

  return { process: child, invoke, stop }
}

/** The invocations that have no report yet, by their id. */
type Running = Map<number, (report: LambdaReport) => void>

/** Resolves when the process has loaded its modules; from then on passes its reports to their invocations. */
function awaitModules(child: ChildProcess, running: Running): Promise<void> {
  return new Promise<void>((done, failed) => {
    let output = ''
    child.stderr?.on('data', (data) => {
      output = `${output}${data}`.slice(-2_000)
    })
    child.on('error', (error) => failed(error))
    child.once('exit', (code, signal) => {
      const message = `The process of the functions ended (${signal ?? code})`
      for (const [id, settle] of running) settle({ id, error: { name: 'Exit', message } })
      failed(new Error(`${message}\n${output}`))
    })
    child.on('message', (report: LambdaReport) => {
      if ('ready' in report) return done()
      running.get(report.id)?.(report)
    })
  })
}

/**
 * Opens the log of the stage. Lines that cannot be written are lost, and this is reported once: a full disk must stop
 * neither the stage nor the processes that write into the log. Throws if the file cannot be opened.
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

/** Writes errors of the stage itself into its log. */
export function reporter(log: Writable): (error: unknown) => void {
  return (error) => {
    const message = error instanceof Error ? (error.stack ?? error.message) : String(error)
    log.write(`${JSON.stringify({ level: 'ERROR', timestamp: new Date().toISOString(), message })}\n`)
  }
}

/** A process of functions whose code may change: `replace` ends it and starts it again with the current files. */
export type Replaceable = Pick<Lambda, 'invoke' | 'stop'> & {
  /**
   * Resolves when the new process is ready. Rejects if it cannot load its modules; invocations then fail until a later
   * replacement succeeds.
   */
  replace(): Promise<void>
  /** Resolves, with the signal or exit code, only if the process ended by itself. */
  crashed: Promise<string>
}

/** Starts the process. During a replacement, new invocations wait, and running invocations have `graceMs` to end. */
export async function startReplaceable(options: LambdaOptions, graceMs: number): Promise<Replaceable> {
  const crash = Promise.withResolvers<string>()
  const expected = new Set<Lambda>()
  const begin = async () => {
    const lambda = await startLambda(options)
    lambda.process.once('exit', (code, signal) => {
      if (!expected.has(lambda)) crash.resolve(String(signal ?? code))
    })
    return lambda
  }
  const end = async (lambda: Lambda | undefined, ms: number) => {
    if (!lambda) return
    expected.add(lambda)
    await lambda.stop(ms)
  }
  const loaded = (lambda: Promise<Lambda>) => lambda.catch(() => undefined)

  let current = Promise.resolve(await begin())
  return {
    crashed: crash.promise,
    invoke: async (...invocation) => (await current).invoke(...invocation),
    stop: async (ms) => end(await loaded(current), ms),
    replace: async () => {
      const before = current
      current = loaded(before)
        .then((lambda) => end(lambda, graceMs))
        .then(begin)
      await current
    },
  }
}

/** Time without changes after which a burst of changes is over, such as that of a checkout, in milliseconds. */
const quietMs = 100

/**
 * Calls `changed` once after each burst of changes below the folders, never two calls at once. Returns a function that
 * ends this.
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
