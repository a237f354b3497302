/**
 * `npm start`: builds the pages, starts the local stage, and runs until Ctrl-C. Exits with 1 if it cannot start or if a
 * part of it crashes. With `--watch` (`npm run dev`), it serves changed code at once, with the same data. With `--cms
 * wordpress`, it also runs WordPress from the machine's packages, with the chat in wp-admin; `--from FOLDER` uses
 * another WordPress.
 */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { styleText } from 'node:util'
import { secret } from '../core/base/config.ts'
import { type Inspected, inspect as inspectCms } from '../core/cms/bridge/hello.ts'
import type { Line } from '../core/cms/bridge/line.ts'
import { mistakeLines } from '../core/stage/settings/check.ts'
import type { Settings } from '../core/stage/settings/schema.ts'
import { resolve } from '../core/stage/settings/settings.ts'
import { type Connection, joinConnection, otherPort } from '../infra/local/connection.ts'
import { StageError, shown } from '../infra/local/damage.ts'
import { dataFolder } from '../infra/local/environment.ts'
import { freePort } from '../infra/local/free-port.ts'
import { watchFolders } from '../infra/local/lambda.ts'
import { buildPages, pagesFolder, watchPages } from '../infra/local/pages.ts'
import { type Stage, startStage } from '../infra/local/stage.ts'
import { loadSettings } from '../infra/local/stage-settings.ts'
import { startDemo } from '../packages/wordpress/site/demo.ts'
import { type Site, versionIn } from '../packages/wordpress/site/site.ts'
import { complain, dim, flag, print, runCommand, text, UsageError } from './command.ts'
import { untilWell } from './start/cms.ts'

/** The time between two checks of a CMS that has a problem, in milliseconds. */
const cmsLookMs = 5_000

const usage = 'npm start -- [--cms wordpress [--from FOLDER]] [--no-build] [--watch]'
const options = { 'no-build': flag, watch: flag, cms: text, from: text }

// A started stage runs until a signal or a crash ends the process.
runCommand(usage, { options }, ({ values }) => main(values).then(() => new Promise<never>(() => {}), fail))

type Given = { cms?: string | undefined; from?: string | undefined; 'no-build': boolean; watch: boolean }

async function main(values: Given): Promise<void> {
  if (values.from !== undefined && !values.cms) throw new UsageError('--from needs --cms wordpress.')
  const given = portIn('PORT', 'port', 0, 65_535) ?? usualPort
  const port = values.cms ? given || (await freePort('localhost')) : given
  const site = values.cms ? await startCms(values.cms, port, values.from) : undefined
  try {
    await startBeside(site, port, values)
  } catch (error) {
    await site?.close()
    throw error
  }
}

/**
 * Starts the CMS that `--cms` names, from the folder that `--from` names. The stage then has separate data for each
 * CMS, and for each version of that folder: users of two CMSs can have the same ids.
 */
async function startCms(name: string, port: number, from: string | undefined): Promise<Site> {
  if (name !== 'wordpress') throw new UsageError(`--cms is ${name}; it can be wordpress.`)
  const version = from === undefined ? undefined : versionIn(from)
  if (from !== undefined && version === undefined)
    throw new UsageError(`There is no WordPress in ${from}: it has no wp-includes/version.php.`)
  process.env.AI_CHAT_DATA = join(dataFolder(), version === undefined ? name : `${name}-${version}`)
  delete process.env.AI_CHAT_CMS_URL
  print('', dim('  WordPress starts …'))
  return startDemo(dataFolder(), `http://127.0.0.1:${port}`, from)
}

async function startBeside(
  site: Site | undefined,
  port: number,
  flags: { 'no-build': boolean; watch: boolean },
): Promise<void> {
  const connection = joinConnection(dataFolder())
  const settings = await readSettings(connection)
  const processing = readProcessing()
  const inspect = portIn('AI_CHAT_INSPECT', 'port for a debugger', 1, 65_534)
  const folder = dataFolder()
  const line = lineElsewhere()
  const asking = line ? `, and the CMS at ${line.url} is asked` : ''
  print(`${asking} …`, dim(flags['no-build'] ? '  The stage starts' : '  The pages are built'))
  const [seen] = await Promise.all([
    line && inspectCms(line),
    ...(flags['no-build'] ? [] : [buildPages(), bundleCommands()]),
  ])
  const given = { port, folder, processing, settings, pages: pagesFolder, warn: complain }
  const stage = await startStage({ ...given, ...(inspect !== undefined && { inspect }) })
  if (flags.watch) watchCode(stage)
  untilStopped(stage, site)
  tell(stage, settings, processing, folder, site)
  const astray = connection && otherPort(connection, stage.origin)
  if (astray) complain(astray)
  if (line && seen) followOutput(line, seen)
  print(`ready ${stage.origin}/backend`)
}

/**
 * Makes the bundles. Without them, for example on a full disk, the stage and its commands start more slowly from their
 * sources.
 */
async function bundleCommands(): Promise<void> {
  const { buildCommands } = await import('../infra/local/command-bundle.ts')
  await buildCommands().catch(({ message }: Error) => complain(`Commands run from their sources: ${message}`))
}

/**
 * npm sends a Ctrl-C again that the process already got from the terminal. A second signal within this time, in
 * milliseconds, is therefore ignored. A later signal ends the process at once.
 */
const echoMs = 1_000

function untilStopped(stage: Stage, site: Site | undefined): void {
  let stoppingSince: number | undefined
  const end = async (code: number) => {
    stoppingSince = performance.now()
    await Promise.all([stage.stop(), site?.close()])
    process.exit(code)
  }
  const onSignal = () => {
    if (stoppingSince !== undefined) {
      if (performance.now() - stoppingSince > echoMs) process.exit(130)
      return
    }
    print('', dim('\n  Stopping …'))
    end(0).catch(fail)
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal)
  stage.crashed
    .then((sentence) => {
      complain(`${sentence}. The log is ${shown(stage.logFile)}`)
      return end(1)
    })
    .catch(fail)
}

/** Restarts code of core and functions when it changes, and builds the pages again when their code changes. */
function watchCode(stage: Stage): void {
  const folders = ['core', 'functions'].map((name) => new URL(`../${name}/`, import.meta.url))
  watchFolders(folders, async () => {
    const startedAt = performance.now()
    await stage.reload().then(
      () => print('', dim(`  Changed code is served after ${Math.round(performance.now() - startedAt)} ms`)),
      (error: unknown) => complain(`The changed code does not load: ${(error as Error).message}`),
    )
  })
  const pages = watchPages().on('error', fail)
  process.once('exit', () => pages.kill())
}

async function readSettings(connection: Connection | undefined): Promise<Settings> {
  const loaded = await loadSettings(process.env, connection)
  if (loaded.settings) return loaded.settings
  throw new StageError(
    `The settings in ${loaded.file} are not valid, nothing was changed:\n${mistakeLines(loaded.mistakes)}`,
  )
}

const usualPort = 3000

/** Returns the port in an environment variable; undefined if it is not set. */
function portIn(name: string, kind: string, least: number, most: number): number | undefined {
  const given = process.env[name]
  if (!given) return undefined
  const port = Number(given)
  if (Number.isInteger(port) && port >= least && port <= most) return port
  throw new StageError(`${name} is ${given}, which is no ${kind}.`)
}

function readProcessing(): 'exec' | 'worker' {
  const mode = process.env.AI_CHAT_PROCESSING || 'exec'
  if (mode === 'exec' || mode === 'worker') return mode
  throw new StageError(`AI_CHAT_PROCESSING is ${mode}; it can be exec or worker.`)
}

function tell(
  stage: Stage,
  settings: Settings,
  processing: 'exec' | 'worker',
  folder: string,
  site: Site | undefined,
): void {
  const rows = {
    Pages: `${stage.origin}/backend`,
    Model: describeModel(settings),
    Turns: processing === 'exec' ? 'run as they are queued' : 'wait for: npm run ai-chat:worker',
    Data: `${shown(folder)}, delete it to start afresh`,
    Log: shown(stage.logFile),
    ...usersOf(process.env.AI_CHAT_CMS_URL, site),
  }
  print('\n', `\n  ${styleText('bold', 'AI Chat')} ${dim('on this machine, stop it with Ctrl-C')}`)
  for (const [name, value] of Object.entries(rows)) print(` ${value}`, `  ${dim(name.padEnd(7))}`)
  print('')
}

function usersOf(cms: string | undefined, site: Site | undefined): Record<string, string> {
  if (site) {
    const users = `${Object.keys(site.users).join(', ')}; the password is demo`
    return { CMS: `${site.origin}/wp-admin/, where the chat is opened`, Users: users }
  }
  if (!cms) return { Users: 'admin, editor, redakteurin, autorin, guest; the password is demo' }
  return { CMS: cms, Users: 'those of the CMS; the chat is opened there' }
}

/** Returns the connection to an external CMS; undefined if there is none. */
function lineElsewhere(): Line | undefined {
  const { AI_CHAT_CMS_URL: url, AI_CHAT_CMS_KEY: keyId = 'ai-chat' } = process.env
  return url ? { url, keyId, secret: secret('cms') ?? '', timeoutMs: 3_000 } : undefined
}

/**
 * Reports the problems of the connected CMS, and finally that the CMS works. The stage keeps running, because it
 * connects to the CMS again at each request.
 */
function followOutput(line: Line, seen: Inspected): void {
  const pause = () => sleep(cmsLookMs, undefined, { ref: false })
  untilWell(seen, () => inspectCms(line), { print, complain, pause }).catch(fail)
}

function describeModel(settings: Settings): string {
  const { resolved, missing } = resolve(settings, { groups: [], isAdmin: true })
  if (missing !== undefined) return `none: ${missing}`
  const { provider, model } = resolved
  if (provider.adapter !== 'demo') return `${model.modelId}, ${provider.name}`
  return 'demo, a fixed script and no AI; set ANTHROPIC_API_KEY for a real one'
}

function fail(error: unknown): never {
  if (error instanceof UsageError) throw error
  complain(sentence(error))
  process.exit(1)
}

function sentence(error: unknown): string {
  if (error instanceof StageError) return error.message
  if (!(error instanceof Error)) return String(error)
  if ('code' in error && error.code === 'EADDRINUSE')
    return `Port ${process.env.PORT || usualPort} is in use. Choose another one with PORT, or 0 for a free one.`
  return error.stack ?? error.message
}
