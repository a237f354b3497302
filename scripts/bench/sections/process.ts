import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { handler as send } from '../../../functions/send.ts'
import { compiledFolder } from '../../../infra/local/compiled.ts'
import { openBed } from '../bed.ts'
import { grow } from '../history.ts'
import { figure } from '../result-table.ts'
import { median } from '../sample.ts'
import { section } from '../section.ts'
import { call, seedSite, visitor } from '../site.ts'

/** Processes of each kind that are measured. */
const processes = 7

const fileOf = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const script = fileOf('../../process.ts')
const code = fileOf('../floor/code.ts')
const sdk = fileOf('../floor/sdk.ts')

/** Measures `ai-chat:process` for one turn, and the shares of loading its code and of loading the AWS SDK. */
section(async () => {
  await openBed()
  const editor = await seedSite()
  const { post } = await visitor(editor.uid)
  const spentBy = { turn: [] as number[], code: [] as number[], sdk: [] as number[] }
  for (let run = 0; run <= processes; run++) {
    const conversationId = await grow(editor, 10, Date.now())
    await call(send, post('/ai-chat/conversations/send', { content: 'Help', conversationId }))
    const turn = spent(script, conversationId)
    const loaded = { code: spent(code), sdk: spent(sdk) }
    // The first keeps its compiled code for the next ones.
    if (run === 0) continue
    spentBy.turn.push(turn)
    spentBy.code.push(loaded.code)
    spentBy.sdk.push(loaded.sdk)
  }
  const [turn, loaded, floor] = [median(spentBy.turn), median(spentBy.code), median(spentBy.sdk)]
  const unit = 'ms processor time'
  return [
    figure('a process per turn (ai-chat:process)', turn, unit, undefined, 'with a turn of one model call'),
    figure('a process that loads the code of a turn', loaded, unit, 300, 'Node included'),
    figure('a process that loads the SDK of AWS alone', floor, unit),
    figure('the code of a turn against the SDK alone', loaded / floor, 'times the processor time'),
  ]
})

/** Processor time of a script in a process of its own, in milliseconds; with the folder that package.json names. */
function spent(script: string, conversationId = ''): number {
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ['--no-warnings', '-e', counted(script, conversationId)],
    { env: { ...process.env, NODE_COMPILE_CACHE: compiledFolder } },
  )
  const found = /cpu=(\d+)/.exec(String(stdout))?.[1]
  if (!found) throw new Error(String(stderr).slice(-2_000))
  return Number(found)
}

/** A program that runs another one and prints its processor time. */
function counted(script: string, conversationId: string): string {
  return `process.on('exit', () => { const { user, system } = process.cpuUsage();
    require('fs').writeSync(1, 'cpu=' + Math.round((user + system) / 1000)) });
    process.argv.push('--conversation', ${JSON.stringify(conversationId)}); import(${JSON.stringify(script)})`
}
