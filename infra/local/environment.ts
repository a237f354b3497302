import { createHmac, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import * as z from 'zod'
import { secretVariable } from '../../core/base/secret-name.ts'
import type { Settings } from '../../core/stage/settings/schema.ts'
import { joinConnection } from './connection.ts'
import { StageError, shown } from './damage.ts'

/**
 * The content of the file in which a running stage stores its addresses for commands in other terminals. The file
 * contains no secret.
 */
export const Endpoints = z.object({
  origin: z.url(),
  /** Process of the stage. */
  pid: z.int(),
  /** Environment of functions and commands, without the secrets. */
  env: z.record(z.string(), z.string()),
})
export type Endpoints = z.infer<typeof Endpoints>

/** Returns the folder of all local data, absolute, from `AI_CHAT_DATA`. */
export function dataFolder(env: NodeJS.ProcessEnv = process.env): string {
  return resolve(env.AI_CHAT_DATA || '.local')
}

/** Returns the file with the endpoints while the stage runs. */
export const endpointsFile = (folder: string) => join(folder, 'endpoints.json')

/** Returns the file with the secret of the stage; only its owner can read it. */
export const secretFile = (folder: string) => join(folder, 'secret')

/** Addresses of the emulators and of the gateway. */
export type Addresses = { origin: string; dynamodb: string; queueAndStore: string }

/** Names and addresses of the stage as functions and commands read them. */
export function names({ origin, dynamodb, queueAndStore }: Addresses): Record<string, string> {
  const queue = (name: string) => `${queueAndStore}/000000000000/${name}`
  return {
    AI_CHAT_STAGE: 'local',
    AI_CHAT_LOCAL: 'true',
    AI_CHAT_TABLE: 'chat',
    AI_CHAT_CMS_TABLE: 'cms',
    AI_CHAT_BUCKET: 'files',
    AI_CHAT_QUEUE_URL: queue('process'),
    AI_CHAT_DLQ_URL: queue('process-dead'),
    AI_CHAT_ORIGIN: origin,
    AWS_REGION: 'us-east-1',
    DYNAMODB_ENDPOINT: dynamodb,
    SQS_ENDPOINT: queueAndStore,
    S3_ENDPOINT: queueAndStore,
    S3_PUBLIC_ENDPOINT: `${origin}/store`,
  }
}

/**
 * Returns the secrets of the stage: its own secret, the key that signs addresses of the store, and the provider's key.
 * The last comes from `ANTHROPIC_API_KEY`, is passed on and never stored.
 */
export function secrets(secret: string, env: NodeJS.ProcessEnv = process.env): Record<string, string> {
  return {
    AI_CHAT_SECRET: secret,
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: createHmac('sha256', secret).update('store').digest('hex'),
    ...(env.ANTHROPIC_API_KEY && { AI_CHAT_SECRET_ANTHROPIC: env.ANTHROPIC_API_KEY }),
  }
}

const leastSecretLength = 32

/**
 * Returns the secret of the stage in a folder; the first start creates it. Throws StageError if the file holds no
 * secret.
 */
export async function stageSecret(folder: string): Promise<string> {
  const file = secretFile(folder)
  try {
    await writeFile(file, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600, flag: 'wx' })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  const secret = (await readFile(file, 'utf8')).trim()
  if (secret.length >= leastSecretLength) return secret
  throw new StageError(
    `${shown(file)} holds no secret of ${leastSecretLength} characters. Delete it: the next start makes one, and everybody logs in again.`,
  )
}

/**
 * If the settings contain the exchange key itself, returns settings with a secret's name in its place. Returns the key
 * as that secret. The key is passed on and never stored. If the environment has a secret with the name in the settings,
 * returns the settings unchanged and no secret.
 */
export function withoutKey(
  settings: Settings,
  env: NodeJS.ProcessEnv = process.env,
): { settings: Settings; secrets: Record<string, string> } {
  const { exchange } = settings
  if (!exchange || env[secretVariable(exchange.key)]) return { settings, secrets: {} }
  const name = 'exchange'
  return {
    settings: { ...settings, exchange: { ...exchange, key: name } },
    secrets: { [secretVariable(name)]: exchange.key },
  }
}

/**
 * Returns the environment without variables that would lead the AWS SDK to other credentials than those of the stage.
 */
export function withoutProfile(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { AWS_PROFILE, AWS_SESSION_TOKEN, AWS_ENDPOINT_URL, ...rest } = env
  return rest
}

/**
 * Gives a command the environment of the local stage that runs on its data folder. Changes nothing if the environment
 * already names a table, or if SST has linked one as on a deployed stage. Throws a sentence for a person if no stage
 * runs.
 */
export function joinStage(): void {
  if (process.env.AI_CHAT_TABLE || process.env.SST_RESOURCE_App) return
  const folder = dataFolder()
  const endpoints = running(folder)
  if (!endpoints) throw new Error(`No local stage runs on ${folder}. Start one with: npm start`)
  const secret = readFileSync(secretFile(folder), 'utf8').trim()
  for (const name of ['AWS_PROFILE', 'AWS_SESSION_TOKEN', 'AWS_ENDPOINT_URL']) delete process.env[name]
  Object.assign(process.env, endpoints.env, secrets(secret))
  joinConnection(folder)
}

/** Returns the endpoints of the stage that runs on the folder; undefined if no stage runs. */
export function running(folder: string): Endpoints | undefined {
  try {
    const endpoints = Endpoints.parse(JSON.parse(readFileSync(endpointsFile(folder), 'utf8')))
    process.kill(endpoints.pid, 0)
    return endpoints
  } catch {
    // The file is missing, incomplete, or left behind by a killed stage: no stage runs.
    return undefined
  }
}
