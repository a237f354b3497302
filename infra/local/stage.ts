import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Settings } from '../../core/stage/settings/schema.ts'
import { type FunctionName, routes } from '../../functions/http/routes.ts'
import { cleanupIntervalMs, processTimeoutSeconds, requestTimeoutMs, usualLoad } from '../limits.ts'
import { StageError, withFile } from './damage.ts'
import { removeExpired, startDynamo } from './dynamo.ts'
import {
  type Endpoints,
  endpointsFile,
  names,
  running,
  secretFile,
  secrets,
  stageSecret,
  withoutKey,
  withoutProfile,
} from './environment.ts'
import { startQueueAndStore } from './fauxqs.ts'
import { startGateway } from './gateway.ts'
import { type LambdaOptions, openLog, type Replaceable, reporter, startReplaceable } from './lambda.ts'
import { lock, lockFile } from './lock.ts'
import { startMapping } from './queue.ts'
import { type Clients, connect, createResources } from './resources.ts'
import { serveStore } from './store-gateway.ts'

/** Options of a start of the stage. */
export type StageOptions = {
  /** Port of the gateway; 0 takes a free port. */
  port: number
  /** Folder of all data; it is created if it does not exist. */
  folder: string
  /** `exec`: the queue starts the consumer for each turn. `worker`: a command in another terminal does the work. */
  processing: 'exec' | 'worker'
  /** Checked settings, applied at this start. */
  settings: Settings
  /** Folder of the built pages. */
  pages: string
  /** Gets a sentence about each failure that does not stop the stage. */
  warn(sentence: string): void
  /** Port for a debugger of the web functions; the debugger of the consumer uses the next port. Absent: no debugger. */
  inspect?: number
}

/** A running stage. `crashed` resolves with a sentence, only if a part of the stage ended by itself. */
export type Stage = {
  origin: string
  logFile: string
  crashed: Promise<string>
  /** Starts functions and consumer again with the current code; rejects if the code does not load. */
  reload(): Promise<void>
  stop(): Promise<void>
}

const module = (path: string) => new URL(`../../${path}`, import.meta.url)
const web = [...new Set(routes.map((route): FunctionName => route.function))]
const functions = Object.fromEntries(web.map((name) => [name, module(`functions/${name}.ts`)])) as Record<
  FunctionName,
  URL
>
const prepare = module('infra/local/prepare.ts')
const consumer = module('functions/process.ts')
const cleanup = module('functions/cleanup.ts')

/** The time in which running turns have to hand over their work when the stage stops, in milliseconds. */
const graceMs = 5_000

/**
 * Starts the stage and resolves when it is ready for requests. Throws StageError if its folder is in use or damaged.
 */
export async function startStage(options: StageOptions): Promise<Stage> {
  const { folder } = options
  await withFile(folder, () => mkdir(folder, { recursive: true, mode: 0o700 }))
  const locked = await withFile(lockFile(folder), () => lock(folder))
  if (!locked) {
    const at = running(folder)?.origin ?? 'another address'
    throw new StageError(`A stage already runs on ${folder}, at ${at}. Stop it, or set AI_CHAT_DATA.`)
  }
  const undo: (() => unknown)[] = [() => locked.release()]
  const stop = async () => {
    for (const step of undo.splice(0).reverse()) await step()
  }
  try {
    return await start(options, undo, stop)
  } catch (error) {
    await stop()
    throw error
  }
}

async function start(
  options: StageOptions,
  undo: (() => unknown)[],
  stop: () => Promise<void>,
): Promise<Stage> {
  const { folder } = options
  const { log, logFile, report, gateway, store, dynamo } = await startEmulators(options, undo)
  const named = names({ origin: gateway.origin, dynamodb: dynamo.endpoint, queueAndStore: store.endpoint })
  const secret = await withFile(secretFile(folder), () => stageSecret(folder))
  const env = { ...named, ...secrets(secret) }
  const clients = connect(env)
  const { settings, secrets: keys } = withoutKey(options.settings)
  const childEnv = { ...withoutProfile(process.env), ...env, ...keys }
  const [{ pages, work }] = await Promise.all([
    startFunctions({ env: childEnv, log }, options.inspect, undo),
    createResources(clients, env),
  ])
  await withFile(folder, () => work.invoke(prepare, { settings }, 120_000))

  const files = { client: clients.s3, bucket: env.AI_CHAT_BUCKET ?? '', now: Date.now }
  gateway.open({
    pages: options.pages,
    embedOrigins: options.settings.embedOrigins,
    invoke: (name, event) => pages.invoke(functions[name], event, requestTimeoutMs),
    store: (request, path, body) => serveStore(files, request, path, body),
  })
  if (options.processing === 'exec') undo.push(consume(clients, env, work, report))
  const removal = () => removeExpired(clients.dynamo, env.AI_CHAT_TABLE ?? '', Date.now())
  undo.push(
    every(cleanupIntervalMs, () => work.invoke(cleanup, {}, cleanupIntervalMs), report),
    every(3_600_000, removal, report),
  )
  const endpoints: Endpoints = { origin: gateway.origin, pid: process.pid, env: named }
  const file = endpointsFile(folder)
  await withFile(file, () => writeFile(file, `${JSON.stringify(endpoints, null, 2)}\n`, { mode: 0o600 }))
  undo.push(() => rm(file, { force: true }))

  let isStopping = false
  return {
    origin: gateway.origin,
    logFile,
    crashed: firstCrash({ dynamo, pages, work }, () => isStopping),
    reload: async () => {
      await Promise.all([pages.replace(), work.replace()])
    },
    stop: () => {
      isStopping = true
      return stop()
    },
  }
}

/** Starts the web functions and the consumer, each in a process of its own. */
async function startFunctions(
  options: Pick<LambdaOptions, 'env' | 'log'>,
  inspect: number | undefined,
  undo: (() => unknown)[],
) {
  const start = (modules: URL[], nth: number) =>
    startReplaceable({ ...options, modules, ...(inspect && { inspect: inspect + nth }) }, graceMs)
  const [pages, work] = await Promise.all([
    start(Object.values(functions), 0),
    start([prepare, consumer, cleanup], 1),
  ])
  undo.push(
    () => pages.stop(graceMs),
    () => work.stop(graceMs),
  )
  return { pages, work }
}

/**
 * Opens the log of the stage and starts gateway, queue, store and table. For each part, adds a function to `undo` that
 * ends the part.
 */
async function startEmulators(options: StageOptions, undo: (() => unknown)[]) {
  const { folder } = options
  const logFile = join(folder, 'stage.log')
  const lost = ({ message }: Error) => options.warn(`The log is not written any more: ${message}`)
  const log = await withFile(logFile, () => openLog(logFile, lost))
  undo.push(() => new Promise<void>((done) => log.end(() => done())))
  const report = reporter(log)

  const gateway = await startGateway(options.port, report)
  undo.push(() => gateway.close())
  const storeFolder = join(folder, 'store')
  const store = await withFile(storeFolder, () => startQueueAndStore(storeFolder))
  undo.push(() => store.stop())
  const tableFile = join(folder, 'table.sqlite')
  const dynamo = await withFile(tableFile, () => startDynamo(tableFile))
  undo.push(() => dynamo.stop())
  return { log, logFile, report, gateway, store, dynamo }
}

type Parts = { dynamo: Awaited<ReturnType<typeof startDynamo>>; pages: Replaceable; work: Replaceable }

/** Resolves with a sentence about the first part that ends by itself while the stage is not stopping. */
function firstCrash({ dynamo, pages, work }: Parts, isStopping: () => boolean): Promise<string> {
  const ends = {
    'The DynamoDB emulator': new Promise<string>((ended) =>
      dynamo.process?.once('exit', (code, signal) => ended(String(signal ?? code))),
    ),
    'The web functions': pages.crashed,
    'The consumer': work.crashed,
  }
  return new Promise((tell) => {
    for (const [name, end] of Object.entries(ends))
      end.then((how) => isStopping() || tell(`${name} ended by itself (${how})`))
  })
}

/**
 * Starts to take messages from the queue. Returns a function that stops this: running turns end when the consumer's
 * process gets its signal to stop.
 */
function consume(
  { sqs }: Clients,
  env: Record<string, string>,
  work: Replaceable,
  report: (error: unknown) => void,
): () => unknown {
  const stopMapping = startMapping({
    sqs,
    queueUrl: env.AI_CHAT_QUEUE_URL ?? '',
    concurrency: usualLoad.turns,
    invoke: (event) => work.invoke(consumer, event, processTimeoutSeconds * 1000),
    report,
  })
  return async () => {
    const stopped = stopMapping()
    await work.stop(graceMs)
    await stopped
  }
}

/**
 * Runs `act` every `intervalMs`, never twice at once. A failure is reported, and the next run starts all the same.
 * Returns a function that ends this.
 */
export function every(
  intervalMs: number,
  act: () => Promise<unknown>,
  report: (error: unknown) => void,
): () => void {
  let isRunning = false
  const timer = setInterval(() => {
    if (isRunning) return
    isRunning = true
    act()
      .catch(report)
      .finally(() => {
        isRunning = false
      })
  }, intervalMs)
  return () => clearInterval(timer)
}
