import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmod, copyFile, mkdir, readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { config } from '../../../core/base/config.ts'
import type { Handler } from '../../../functions/http/route.ts'
import { runtimeClient } from '../../../infra/platform.ts'
import { compile } from './compile.ts'
import { type Compile, folderOf } from './rpc.ts'
import { startRuntimeApi } from './runtime-api.ts'
import type { Synth } from './synth.ts'

/** A function that runs what a deploy would pack of it, under AWS's own runtime client. */
export type Running = {
  /** The answer of its handler to an event. Throws with the function's own message. */
  invoke(event: unknown): Promise<unknown>
  handler: Handler
  /** Ends the function. */
  stop(): Promise<Ended>
}

/** What is known of a function that has ended. */
export type Ended = {
  log: string
  /** The most memory that it and its sandbox held, and what the plan gives it, in bytes; 0 where the machine does not say. */
  memory: { peak: number; limit: number }
  /** Files of its code that it has made, changed or removed. */
  touched: string[]
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

const readOnly = 0o555

/** Makes a folder of AWS's runtime client, as a function finds it in `/var/runtime`. */
export async function runtimeIn(folder: string): Promise<string> {
  const client = join(folder, 'index.mjs')
  // Node loads a folder of this name as it would load the addon.
  await mkdir(join(folder, 'rapid-client.node'), { recursive: true })
  await copyFile(await runtimeClient(), client)
  await copyFile('test/support/synth/rapid-client.cjs', join(folder, 'rapid-client.node/index.js'))
  return client
}

/**
 * Starts a function of the plan from where it was packed, its code read-only, with the heap that Lambda gives its memory. Nothing
 * is in its environment beyond what Lambda and the plan put there. Settles when it asks for its first event.
 */
export async function run(plan: Synth, work: string, client: string, name: string): Promise<Running> {
  const build = plan.builds.find(({ handler }) => handler === `functions/${name}.handler`)
  const made = plan.all('aws:lambda/function:Function').find((it) => String(it.name).endsWith(`-${name}`))
  if (!build || !made) throw new Error(`The plan has no function ${name}`)
  const { memorySize, timeout, handler, environment } = made as unknown as Planned
  const code = folderOf(work, build.functionID)
  await setModes(code, readOnly)
  const before = await listed(code)

  const api = await startRuntimeApi()
  const [program = '', ...args] = [...withoutRoot(), process.execPath, ...heap(memorySize), client]
  const child = spawn(program, args, {
    cwd: code,
    env: {
      ...ofLambda(),
      AWS_LAMBDA_RUNTIME_API: api.address,
      AWS_LAMBDA_FUNCTION_NAME: `test-${name}`,
      AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(memorySize),
      LAMBDA_TASK_ROOT: code,
      _HANDLER: handler,
      ...environment.variables,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = once(child, 'exit')
  const logged = Promise.all([text(child.stdout), text(child.stderr)])
  ended.then(async ([code, signal]) =>
    api.close(new Error(`${name} ended (${signal ?? code})\n${(await logged).join('').slice(-2_000)}`)),
  )
  await api.started
  const invoke = (event: unknown) => api.invoke(event, timeout * 1_000)
  return {
    invoke,
    handler: (event) => invoke(event) as ReturnType<Handler>,
    stop: async () => {
      const peak = await peakOf(child)
      child.kill('SIGKILL')
      await ended
      const after = await listed(code)
      await setModes(code, 0o755)
      const touched = [...new Set([...before, ...after])].filter((it) => !before.has(it) || !after.has(it))
      return { log: (await logged).join(''), memory: { peak, limit: memorySize * 1_048_576 }, touched }
    },
  }
}

/** What a function's resource says. */
type Planned = {
  memorySize: number
  timeout: number
  handler: string
  environment: { variables: Record<string, string> }
}

/** What Lambda itself gives a function, with the emulators in place of AWS. */
function ofLambda(): Record<string, string> {
  const { endpoints, region } = config()
  return {
    PATH: process.env.PATH ?? '',
    LANG: 'en_US.UTF-8',
    TZ: ':UTC',
    AWS_REGION: region,
    AWS_DEFAULT_REGION: region,
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
    AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
    AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
    AWS_LAMBDA_LOG_GROUP_NAME: 'test',
    AWS_LAMBDA_LOG_STREAM_NAME: 'test',
    AWS_LAMBDA_NODEJS_USE_ALTERNATIVE_CLIENT_1: 'true',
    AWS_ENDPOINT_URL_DYNAMODB: endpoints.dynamodb ?? '',
    AWS_ENDPOINT_URL_SQS: endpoints.sqs ?? '',
    AWS_ENDPOINT_URL_S3: endpoints.s3 ?? '',
  }
}

/** Lambda starts Node with nine tenths of the function's memory as old space, and a twentieth for each half of the young one. */
const heap = (megabytes: number) => [
  '--expose-gc',
  `--max-semi-space-size=${Math.floor(megabytes / 20)}`,
  `--max-old-space-size=${Math.floor((megabytes * 9) / 10)}`,
]

async function setModes(folder: string, mode: number): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const own = entries.filter((it) => !it.isSymbolicLink()).map((it) => join(it.parentPath, it.name))
  await Promise.all([folder, ...own].map((path) => chmod(path, mode)))
}

/** What is in a folder, with size and time of the last change. */
async function listed(folder: string): Promise<Set<string>> {
  const names = await readdir(folder, { recursive: true })
  const lines = names.map(async (name) => {
    const { size, mtimeMs } = await stat(join(folder, name))
    return `${name} ${size} ${mtimeMs}`
  })
  return new Set(await Promise.all(lines))
}

/** The highest resident memory of a process and of those that it has started, as the kernel of Linux counts it, in bytes. */
async function peakOf({ pid }: ChildProcess): Promise<number> {
  const read = (file: string) => readFile(`/proc/${file}`, 'utf8').catch(() => '')
  const children = (await read(`${pid}/task/${pid}/children`)).split(' ').filter(Boolean)
  const status = await Promise.all([pid, ...children].map((id) => read(`${id}/status`)))
  return status.reduce((sum, it) => sum + Number(/^VmHWM:\s+(\d+) kB/m.exec(it)?.[1] ?? 0) * 1_024, 0)
}

/** The command that takes from root its right to write in read-only folders; empty for another user, and without `setpriv`. */
function withoutRoot(): string[] {
  const drop = ['setpriv', '--bounding-set=-dac_override', '--inh-caps=-dac_override']
  const [program = '', ...args] = [...drop, 'true']
  return process.getuid?.() === 0 && spawnSync(program, args).status === 0 ? drop : []
}
