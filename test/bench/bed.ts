import { type ChildProcess, fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { names, secrets } from '../../infra/local/environment.ts'
import { connect, createResources } from '../../infra/local/resources.ts'

/** The test bed of a section: fresh in-memory emulators, and the environment variables of this process. */
export type Bed = { emulators: ChildProcess; env: Record<string, string>; close(): Promise<void> }

/**
 * Starts emulators, creates tables, bucket and queues, and sets the environment of this process. Await it before any
 * call of the product.
 */
export async function openBed(): Promise<Bed> {
  const emulators = fork(fileURLToPath(new URL('emulators.ts', import.meta.url)), {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const [addresses] = (await once(emulators, 'message')) as [{ dynamodb: string; queueAndStore: string }]
  const env = {
    ...names({ origin: 'http://127.0.0.1:3000', ...addresses }),
    ...secrets(randomBytes(32).toString('hex')),
    // Nothing reads the log, but the figures include the cost of writing it.
    POWERTOOLS_LOG_LEVEL: 'INFO',
  }
  Object.assign(process.env, env)
  await createResources(connect(env), env)
  return {
    emulators,
    env,
    close: async () => {
      const ended = once(emulators, 'exit')
      emulators.disconnect()
      await ended
    },
  }
}
