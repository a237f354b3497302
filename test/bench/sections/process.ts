import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { handler as send } from '../../../functions/send.ts'
import { buildCommands } from '../../../infra/local/command-bundle.ts'
import { compiledFolder } from '../../../infra/local/compiled.ts'
import { openBed } from '../bed.ts'
import { grow } from '../history.ts'
import { figure } from '../result-table.ts'
import { inTurns } from '../sample.ts'
import { section } from '../section.ts'
import { call, seedSite, visitor } from '../site.ts'

/** The number of measured processes of each kind. */
const processes = 7

const fileOf = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const launch = fileOf('../../../scripts/launch.ts')
const sdk = fileOf('../floor/sdk.ts')

/** Measures the bundle of `ai-chat:process` for one turn, the load of its code only, and the AWS SDK only. */
section(async () => {
  await buildCommands()
  await openBed()
  const editor = await seedSite()
  const { post } = await visitor(editor.uid)
  const measure = {
    turn: async () => {
      const conversationId = await grow(editor, 10, Date.now())
      await call(send, post('/ai-chat/conversations/send', { content: 'Help', conversationId }))
      return spent(launch, 'process', '--conversation', conversationId)
    },
    // An empty id is refused, so the process ends after it has loaded its code.
    code: async () => spent(launch, 'process', '--conversation', ''),
    sdk: async () => spent(sdk),
  }
  // The first process stores its compiled code for the next ones.
  const found = await inTurns(['turn', 'code', 'sdk'] as const, processes, (name) => measure[name](), 1)
  const unit = 'ms processor time'
  const ratios = found('code').map((ms, at) => ms / (found('sdk')[at] ?? Number.NaN))
  return [
    figure('a process per turn (ai-chat:process)', found('turn'), unit, {
      note: 'with a turn of one model call',
    }),
    figure('a process that loads the code of a turn', found('code'), unit, {
      most: 170,
      note: 'Node included',
    }),
    figure('a process that loads the SDK of AWS alone', found('sdk'), unit),
    figure('the code of a turn against the SDK alone', ratios, 'times the processor time'),
  ]
})

/**
 * Returns the processor time of a script in a new process, in milliseconds, with the compile cache that package.json
 * sets.
 */
function spent(script: string, ...args: string[]): number {
  const { stdout, stderr } = spawnSync(process.execPath, ['--no-warnings', counting, script, ...args], {
    env: { ...process.env, NODE_COMPILE_CACHE: compiledFolder },
  })
  const found = /cpu=(\d+)/.exec(String(stdout))?.[1]
  if (!found) throw new Error(String(stderr).slice(-2_000))
  return Number(found)
}

/** Makes a process print its processor time at its end. */
const counting = `--import=data:text/javascript,${encodeURIComponent(`
  import { writeSync } from 'node:fs'
  process.on('exit', () => {
    const { user, system } = process.cpuUsage()
    writeSync(1, 'cpu=' + Math.round((user + system) / 1000))
  })`)}`
