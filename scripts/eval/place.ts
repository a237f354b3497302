import { randomBytes } from 'node:crypto'
import { startDynamo } from '../../infra/local/dynamo.ts'
import { names, secrets } from '../../infra/local/environment.ts'
import { startQueueAndStore } from '../../infra/local/fauxqs.ts'
import { connect, createResources } from '../../infra/local/resources.ts'

/**
 * Starts emulators in memory, creates tables, bucket and queues, and sets the environment of this process; to be awaited
 * before anything of the product is called. With `keepsCredentials` the AWS credentials of the environment stay, for a
 * provider that needs them; the emulators take any. The answer stops the emulators.
 */
export async function openPlace(keepsCredentials: boolean): Promise<() => Promise<void>> {
  const [dynamo, store] = await Promise.all([startDynamo(), startQueueAndStore()])
  const addresses = { dynamodb: dynamo.endpoint, queueAndStore: store.endpoint }
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, ...own } = secrets(randomBytes(32).toString('hex'))
  const { AWS_REGION: region, ...named } = names({ origin: 'http://127.0.0.1:3000', ...addresses })
  const local = { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION: region }
  const { AWS_REGION = region } = process.env
  Object.assign(process.env, named, own, keepsCredentials ? { AWS_REGION } : local)
  // A turn that failed is in the report; its log would run through the progress.
  process.env.POWERTOOLS_LOG_LEVEL ??= 'SILENT'
  const env = { ...named, ...local } as Record<string, string>
  await createResources(connect(env), env)
  return async () => {
    await dynamo.stop()
    await store.stop()
  }
}
