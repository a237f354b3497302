/**
 * `npm start`: builds the pages, starts the local stage, and runs until Ctrl-C. Ends with code 1 when it cannot start
 * or when a part of it crashes.
 */
import { parseArgs, styleText } from 'node:util'
import type { Settings } from '../core/settings/schema.ts'
import { resolve } from '../core/settings/settings.ts'
import { buildPages, pagesFolder } from '../infra/local/build.ts'
import { StageError, shown } from '../infra/local/damage.ts'
import { dataFolder } from '../infra/local/environment.ts'
import { loadSettings } from '../infra/local/settings.ts'
import { type Stage, startStage } from '../infra/local/stage.ts'
import { complain, print, requireNode } from './command.ts'

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { 'no-build': { type: 'boolean', default: false } } })
  const settings = await readSettings()
  const port = readPort()
  const processing = readProcessing()
  const folder = dataFolder()
  if (!values['no-build']) await buildPages()
  const stage = await startStage({ port, folder, processing, settings, pages: pagesFolder, warn: complain })
  untilStopped(stage)
  tell(stage, settings, processing, folder)
  print(`ready ${stage.origin}/backend`)
}

/** npm hands Ctrl-C on to a process that has it from the terminal already; only a later one is impatience. */
const echoMs = 1_000

function untilStopped(stage: Stage): void {
  let stoppingSince: number | undefined
  const end = async (code: number) => {
    stoppingSince = performance.now()
    await stage.stop()
    process.exit(code)
  }
  const onSignal = () => {
    if (stoppingSince !== undefined) {
      if (performance.now() - stoppingSince > echoMs) process.exit(130)
      return
    }
    print(dim('\n  Stopping …'))
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

async function readSettings(): Promise<Settings> {
  const loaded = await loadSettings(process.env)
  if (loaded.settings) return loaded.settings
  const lines = loaded.mistakes.map(({ path, message }) => `  ${path}: ${message}`)
  throw new StageError(
    `The settings in ${loaded.file} are not valid, nothing was changed:\n${lines.join('\n')}`,
  )
}

function readPort(): number {
  const port = Number(process.env.PORT || 3000)
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port
  throw new StageError(`PORT is ${process.env.PORT}, which is no port.`)
}

function readProcessing(): 'exec' | 'worker' {
  const mode = process.env.AI_CHAT_PROCESSING || 'exec'
  if (mode === 'exec' || mode === 'worker') return mode
  throw new StageError(`AI_CHAT_PROCESSING is ${mode}; it can be exec or worker.`)
}

function tell(stage: Stage, settings: Settings, processing: 'exec' | 'worker', folder: string): void {
  const rows = {
    Pages: `${stage.origin}/backend`,
    Model: describeModel(settings),
    Turns: processing === 'exec' ? 'run as they are queued' : 'wait for: npm run ai-chat:worker',
    Data: `${shown(folder)}, delete it to start afresh`,
    Log: shown(stage.logFile),
    Users: 'admin, editor, autorin, guest; the password is demo',
  }
  print(`\n  ${styleText('bold', 'AI Chat')} ${dim('on this machine, stop it with Ctrl-C')}\n`)
  for (const [name, value] of Object.entries(rows)) print(`  ${dim(name.padEnd(7))} ${value}`)
  print('')
}

function describeModel(settings: Settings): string {
  const { resolved, missing } = resolve(settings, { groups: [], isAdmin: true })
  if (missing !== undefined) return `none: ${missing}`
  const { provider, model } = resolved
  if (provider.adapter !== 'demo') return `${model.modelId}, ${provider.name}`
  return 'demo, a fixed script and no AI; set ANTHROPIC_API_KEY for a real one'
}

const dim = (text: string) => styleText('dim', text)

function fail(error: unknown): void {
  complain(sentence(error))
  process.exit(1)
}

function sentence(error: unknown): string {
  if (error instanceof StageError) return error.message
  if (!(error instanceof Error)) return String(error)
  if ('code' in error && error.code === 'EADDRINUSE')
    return `Port ${process.env.PORT || 3000} is in use. Choose another one with PORT, or 0 for a free one.`
  return error.stack ?? error.message
}

requireNode()
main().catch(fail)
