/**
 * The child process of `lambda.ts`: loads the modules named as arguments, then runs their `handler` for each event that
 * it gets. It ends as soon as its parent is gone, for whatever reason.
 */
import { keepCompiled, nameSources, quickest } from './compiled.ts'
import type { Invocation, LambdaReport } from './lambda.ts'

type Handler = (event: unknown, context: unknown) => Promise<unknown>

const running = new Set<Promise<void>>()
let isStopping = false

process.on('disconnect', () => process.exit(0))
process.on('message', (message: Invocation | 'stop') => {
  if (message === 'stop') return void stop()
  const run = invoke(message).finally(() => running.delete(run))
  running.add(run)
})

keepCompiled()
nameSources()
/**
 * The modules by the address of their source. As on Lambda, they keep the code that they had when the process started.
 */
const loaded = new Map(
  await Promise.all(
    process.argv.slice(2).map(async (module) => [module, await import(quickest(module))] as const),
  ),
)
// On Lambda, an uncaught error ends an instance that handles one request. In this process it would end all running
// requests. It is only logged; the request that caused it fails at its deadline.
process.on('uncaughtException', (error) => logFailure('An error had no owner', error))
await report({ ready: true })

async function invoke({ id, module, event, timeoutMs }: Invocation): Promise<void> {
  try {
    const { handler } = (loaded.get(module) ?? (await import(module))) as { handler: Handler }
    // JSON has no undefined, and the parent needs a `result` in each answer.
    await report({ id, result: (await handler(event, context(timeoutMs))) ?? null })
  } catch (error) {
    const { name, message } = logFailure('Function failed', error, module)
    await report({ id, error: `${name}: ${message}` })
  }
}

function logFailure(message: string, thrown: unknown, module?: string): Error {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown))
  process.stderr.write(`${JSON.stringify({ level: 'ERROR', message, module, stack: error.stack })}\n`)
  return error
}

/** Returns the part of Lambda's context that functions use; its remaining time is 0 as soon as the stage stops. */
function context(timeoutMs: number) {
  const deadline = performance.now() + timeoutMs
  return {
    getRemainingTimeInMillis: () => (isStopping ? 0 : Math.max(0, deadline - performance.now())),
  }
}

async function stop(): Promise<void> {
  isStopping = true
  await Promise.allSettled(running)
  process.exit(0)
}

/** Resolves when the message is sent, so that the end of the process afterwards does not lose it. */
function report(message: LambdaReport): Promise<void> {
  return new Promise((done) => {
    process.send?.(message, () => done())
  })
}
