import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { startPostgres } from '../peers/postgres.ts'
import { rounds, type Turn } from '../peers/task.ts'
import type { Row } from '../report.ts'
import { median } from '../sample.ts'
import { mark, section } from '../section.ts'

const lengths = [0, 100, 1_000]
const folder = fileURLToPath(new URL('../peers/', import.meta.url))
const run = promisify(execFile)

/**
 * A turn of five rounds on a model that answers at once, by this product, by LangGraph.js with its Postgres checkpointer,
 * and by the SDK's tool runner: each in a process of its own, one after the other for each length of history.
 */
section(async () => {
  if (!existsSync(`${folder}node_modules`)) await run('npm', ['ci', '--prefix', folder])
  const postgres = await startPostgres()
  try {
    const rows: Row[] = []
    for (const length of lengths) {
      const ours = await turns('ours.ts', length)
      const peer = await turns('langgraph.ts', length, String(postgres.port))
      const runner = await turns('tool-runner.ts', length)
      rows.push(...compare(length, ours, peer, runner))
    }
    return [
      ...rows,
      { what: 'PostgreSQL', value: Number.parseFloat(postgres.version), unit: '', note: versions() },
    ]
  } finally {
    await postgres.stop()
  }
})

type Figure = Exclude<keyof Turn, 'bareMs'>

async function turns(script: string, ...args: (string | number)[]): Promise<Turn> {
  const path = `${folder}${script}`
  const { stdout } = await run(
    process.execPath,
    ['--no-warnings', '--expose-gc', path, ...args.map(String)],
    {
      maxBuffer: 64 * 1024 ** 2,
    },
  )
  const line = stdout.split('\n').find((text) => text.startsWith(mark)) ?? ''
  const all = JSON.parse(line.slice(mark.length)) as Turn[]
  const middle = (name: Figure) => median(all.map((turn) => turn[name]))
  return {
    writes: middle('writes'),
    bytes: middle('bytes'),
    wireBytes: middle('wireBytes'),
    cpuMs: middle('cpuMs'),
    bareMs: median(all.map((turn) => turn.bareMs ?? 0)),
    wallMs: median(all.map(({ wallMs, waitMs }) => wallMs - waitMs)),
    waitMs: middle('waitMs'),
  }
}

function compare(length: number, ours: Turn, peer: Turn, runner: Turn): Row[] {
  const at = `with ${length} messages`
  const per = (value: number) => value / rounds
  const { bareMs = 0 } = ours
  const against = (what: string, unit: string, name: Figure, digits: number): Row => ({
    what: `${what} a round ${at}, against LangGraph.js`,
    value: ours[name] / peer[name],
    unit: 'times',
    limit: { most: 1 },
    note: `${per(ours[name]).toFixed(digits)} against ${per(peer[name]).toFixed(digits)} ${unit}`,
  })
  const { limit: ___, ...wire } = against(
    'bytes on the wire, protocol and reads included,',
    'bytes',
    'wireBytes',
    0,
  )
  const { limit: _, ...writes } = against('writes', 'requests', 'writes', 1)
  const { limit: __, ...wall } = against('time without the store', 'ms', 'wallMs', 1)
  return [
    against('bytes written', 'bytes', 'bytes', 0),
    against('processor time', 'ms', 'cpuMs', 2),
    wire,
    writes,
    wall,
    {
      what: `processor time a round ${at}, beyond the same requests by the bare SDK`,
      value: per(ours.cpuMs - bareMs),
      unit: 'ms',
      note: `the SDK takes ${per(bareMs).toFixed(2)} ms to sign, send and read them`,
    },
    {
      what: `processor time a round ${at}, beyond the tool runner`,
      value: per(ours.cpuMs - runner.cpuMs),
      unit: 'ms',
      note: `the runner takes ${per(runner.cpuMs).toFixed(2)} ms and stores nothing`,
    },
  ]
}

function versions(): string {
  const { dependencies } = JSON.parse(readFileSync(`${folder}package.json`, 'utf8')) as {
    dependencies: Record<string, string>
  }
  return Object.entries(dependencies)
    .map(([name, version]) => `${name} ${version}`)
    .join(', ')
}
