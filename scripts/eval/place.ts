import { randomBytes } from 'node:crypto'
import { config, secret } from '../../core/base/config.ts'
import type { UserId } from '../../core/cms/user-number/schema.ts'
import { mistakeLines } from '../../core/stage/settings/check.ts'
import type { Settings } from '../../core/stage/settings/schema.ts'
import { joinConnection } from '../../infra/local/connection.ts'
import { startDynamo } from '../../infra/local/dynamo.ts'
import { dataFolder, names, secrets } from '../../infra/local/environment.ts'
import { startQueueAndStore } from '../../infra/local/fauxqs.ts'
import { connect, createResources } from '../../infra/local/resources.ts'
import { loadSettings, stageSettings } from '../../infra/local/stage-settings.ts'
import { UsageError } from '../command.ts'
import type { Destination } from './visit.ts'

/**
 * Starts emulators in memory, creates tables, bucket and queues, and sets the environment of this process. Await it
 * before any call of the product. With `keepsCredentials` the AWS credentials of the environment stay, for a provider
 * that needs them; the emulators accept any credentials. Returns a function that stops the emulators.
 */
export async function openPlace(keepsCredentials: boolean): Promise<() => Promise<void>> {
  const [dynamo, store] = await Promise.all([startDynamo(), startQueueAndStore()])
  const addresses = { dynamodb: dynamo.endpoint, queueAndStore: store.endpoint }
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, ...own } = secrets(randomBytes(32).toString('hex'))
  const { AWS_REGION: region, ...named } = names({ origin: 'http://127.0.0.1:3000', ...addresses })
  const local = { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION: region }
  const { AWS_REGION = region } = process.env
  Object.assign(process.env, named, own, keepsCredentials ? { AWS_REGION } : local)
  // The report contains failed turns; their log lines would disturb the printed progress.
  process.env.POWERTOOLS_LOG_LEVEL ??= 'SILENT'
  const env = { ...named, ...local } as Record<string, string>
  await createResources(connect(env), env)
  return async () => {
    await dynamo.stop()
    await store.stop()
  }
}

/**
 * Returns the CMS that the stage is connected to, with the user. Throws UsageError if the stage is connected to no CMS.
 */
export async function destinationOf(stage: string, user: UserId, folder: string): Promise<Destination> {
  if (stage === 'local') joinConnection(dataFolder())
  const { cms } = config()
  const key = secret('cms')
  if (!cms || !key)
    throw new UsageError(
      'This stage is connected to no CMS: without --cms the tasks run on a copy of the seeded site.',
    )
  // The environment must be set before the bridge is imported, as before the import of the evaluation.
  const { bridge } = await import('../../core/cms/bridge/bridge.ts')
  return { cms: bridge({ ...cms, secret: key }), url: cms.url, user: String(user), folder }
}

/** Returns the settings of a stage. Throws UsageError if they are not valid. */
export async function settingsOfStage(stage: string): Promise<Settings> {
  const loaded = stage === 'local' ? await loadSettings(process.env) : await stageSettings(stage, process.env)
  if (loaded.settings) return loaded.settings
  throw new UsageError(`The settings in ${loaded.file} are not valid:\n${mistakeLines(loaded.mistakes)}`)
}
