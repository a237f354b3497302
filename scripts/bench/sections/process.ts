import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { handler as send } from '../../../functions/send.ts'
import { buildCommands } from '../../../infra/local/command-bundle.ts'
import { compiledFolder } from '../../../infra/local/compiled.ts'
import { openBed } from '../bed.ts'
import { grow } from '../history.ts'
import { figure } from '../result-table.ts'
import { median, spreadOf } from '../sample.ts'
import { section } from '../section.ts'
import { call, seedSite, visitor } from '../site.ts'

/** Processes of each kind that are measured. */
const processes = 7

const fileOf = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const launch = fileOf('../../launch.ts')
const sdk = fileOf('../floor/sdk.ts')

/** Measures `ai-chat:process` from its bundle, for one turn, to where its code is loaded, and for the AWS SDK alone. */
section(async () => {
  await buildCommands()
  await openBed()
  const editor = await seedSite()
  const { post } = await visitor(editor.uid)
  const spentBy = { turn: [] as number[], code: [] as number[], sdk: [] as number[] }
  for (let run = 0; run <= processes; run++) {
    const conversationId = await grow(editor, 10, Date.now())
    await call(send, post('/ai-chat/conversations/send', { content: 'Help', conversationId }))
    const turn = spent(launch, 'process', '--conversation', conversationId)
    // It ends where it reads its arguments: no id is empty.
    const loaded = { code: spent(launch, 'process', '--conversation', ''), sdk: spent(sdk) }
    // The first keeps its compiled code for the next ones.
    if (run === 0) continue
    spentBy.turn.push(turn)
    spentBy.code.push(loaded.code)
    spentBy.sdk.push(loaded.sdk)
  }
  const unit = 'ms processor time'
  const row = (what: string, of: keyof typeof spentBy, most?: number, note?: string) => ({
    ...figure(what, median(spentBy[of]), unit, most, note),
    spread: spreadOf(spentBy[of]),
  })
  const ratios = spentBy.code.map((ms, at) => ms / (spentBy.sdk[at] ?? Number.NaN))
  return [
    row('a process per turn (ai-chat:process)', 'turn', undefined, 'with a turn of one model call'),
    row('a process that loads the code of a turn', 'code', 170, 'Node included'),
    row('a process that loads the SDK of AWS alone', 'sdk'),
    {
      ...figure('the code of a turn against the SDK alone', median(ratios), 'times the processor time'),
      spread: spreadOf(ratios),
    },
  ]
})

/** Processor time of a script in a process of its own, in milliseconds; with the folder that package.json names. */
function spent(script: string, ...args: string[]): number {
  const { stdout, stderr } = spawnSync(process.execPath, ['--no-warnings', counting, script, ...args], {
    env: { ...process.env, NODE_COMPILE_CACHE: compiledFolder },
  })
  const found = /cpu=(\d+)/.exec(String(stdout))?.[1]
  if (!found) throw new Error(String(stderr).slice(-2_000))
  return Number(found)
}

/** Has a process print its processor time at its end. */
const counting = `--import=data:text/javascript,${encodeURIComponent(`
  import { writeSync } from 'node:fs'
  process.on('exit', () => {
    const { user, system } = process.cpuUsage()
    writeSync(1, 'cpu=' + Math.round((user + system) / 1000))
  })`)}`
