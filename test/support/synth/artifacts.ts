import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { pathToFileURL } from 'node:url'
import { config } from '../../../core/stage/config.ts'
import type { Handler } from '../../../functions/route.ts'
import { processTimeoutSeconds } from '../../../infra/limits.ts'
import { startLambda } from '../../../infra/local/lambda.ts'
import { compile } from './compile.ts'
import { type Compile, folderOf } from './rpc.ts'
import type { Synth } from './synth.ts'

/** A function that runs what a deploy would pack of it, under the environment that a deploy would give it. */
export type Running = {
  /** The answer of its handler to an event. Throws with the function's own message. */
  invoke(event: unknown): Promise<unknown>
  handler: Handler
  /** Ends the function; what it has logged. */
  stop(): Promise<string>
}

/** Packs a function whose links name the resources of this test in place of those that a deploy would make. */
export function compileHere(over: Record<string, Record<string, string>>): Compile {
  return (build, folder) => {
    const links = Object.entries(build.links).map(([name, properties]) => [
      name,
      { ...properties, ...(name === 'Stage' ? names() : over[name]) },
    ])
    return compile({ ...build, links: Object.fromEntries(links) }, folder)
  }
}

function names(): Record<string, string | undefined> {
  const { table, cmsTable, bucket, queueUrl, dlqUrl, origin, region, endpoints } = config()
  // The SDK asks the address of a queue itself, and that of the emulator names no host.
  const queue = (url = '') => `${endpoints.sqs}/${url.split('/').slice(-2).join('/')}`
  return {
    AWS_REGION: region,
    AI_CHAT_TABLE: table,
    AI_CHAT_CMS_TABLE: cmsTable,
    AI_CHAT_BUCKET: bucket,
    AI_CHAT_QUEUE_URL: queue(queueUrl),
    AI_CHAT_DLQ_URL: queue(dlqUrl),
    AI_CHAT_ORIGIN: origin,
  }
}

/** Starts a function of the plan from where it was packed. Nothing is in its environment beyond what Lambda and the plan put there. */
export async function run({ builds, all }: Synth, work: string, name: string): Promise<Running> {
  const build = builds.find(({ handler }) => handler === `functions/${name}.handler`)
  if (!build) throw new Error(`The plan has no function ${name}`)
  const cwd = folderOf(work, build.functionID)
  const module = pathToFileURL(join(cwd, 'bundle.mjs'))
  const log = new PassThrough()
  const logged = text(log)
  const lambda = await startLambda({
    env: { ...ofLambda(), ...planned(all('aws:lambda/function:Function'), name) },
    cwd,
    modules: [module],
    log,
  })
  const invoke = (event: unknown) => lambda.invoke(module, event, processTimeoutSeconds * 1000)
  return {
    invoke,
    handler: (event) => invoke(event) as ReturnType<Handler>,
    stop: async () => {
      await lambda.stop(10_000)
      log.end()
      return logged
    },
  }
}

/** What Lambda itself gives a function, with the emulators in place of AWS. */
function ofLambda(): Record<string, string> {
  const { endpoints, region } = config()
  return {
    PATH: process.env.PATH ?? '',
    AWS_REGION: region,
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    AWS_ENDPOINT_URL_DYNAMODB: endpoints.dynamodb ?? '',
    AWS_ENDPOINT_URL_SQS: endpoints.sqs ?? '',
    AWS_ENDPOINT_URL_S3: endpoints.s3 ?? '',
  }
}

function planned(functions: Record<string, unknown>[], name: string): Record<string, string> {
  const made = functions.find((it) => String(it.name).endsWith(`-${name}`))
  if (!made) throw new Error(`The plan has no function ${name}`)
  return (made.environment as { variables: Record<string, string> }).variables
}
