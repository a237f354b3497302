import { watch } from 'node:fs'
import { type Lambda, type LambdaOptions, startLambda } from './lambda.ts'

/** A process of functions whose code may change: `replace` ends it and starts it again from the files as they are. */
export type Replaceable = Pick<Lambda, 'invoke' | 'stop'> & {
  /** Settles when the new process serves; rejects where it cannot load its modules, until a later replacement can. */
  replace(): Promise<void>
  /** Settles, with the signal or code, only when the process ended by itself. */
  crashed: Promise<string>
}

/** Starts the process. While it is being replaced, invocations wait; those under way may end within `graceMs`. */
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

/** How long a burst of changes, such as that of a checkout, is waited out, in milliseconds. */
const quietMs = 100

/** Calls `changed` once after each burst of changes below the folders, never two at once. Answers what ends it. */
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
