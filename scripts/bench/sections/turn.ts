import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { price } from '../../cost/price.ts'
import { type Bill, type PeerTurn, rounds, type Waiting } from '../peers/assignment.ts'
import { startPostgres } from '../peers/postgres.ts'
import { figure, type Row } from '../result-table.ts'
import { median, spreadOf } from '../sample.ts'
import { mark, section } from '../section.ts'

const lengths = [0, 100, 1_000]
const folder = fileURLToPath(new URL('../peers/', import.meta.url))
const run = promisify(execFile)

/**
 * Measures a turn of five rounds on a model that answers at once: by this product, by LangGraph.js with its Postgres
 * checkpointer, and by durable functions of Lambda on their local runner. Five processes of each alternate, so that a slow minute
 * of the machine affects all of them. A comparison is the median of the ratios of consecutive processes.
 */
section(async () => {
  if (!existsSync(`${folder}node_modules`)) await run('npm', ['install', '--prefix', folder])
  const postgres = await startPostgres()
  try {
    const rows: Row[] = []
    for (const length of lengths) {
      const subjects = {
        ours: () => turns('product.ts', length),
        peer: () => turns('langgraph.ts', length, String(postgres.port)),
        durable: () => turns('durable.ts', length),
      }
      const trios: Trio[] = []
      for (let at = 0; at < processes; at++) trios.push(await inOrder(subjects, at % 2 === 1))
      rows.push(...compare(length, trios), ...(length === 0 ? besideDurable(trios) : []))
    }
    return [
      ...rows,
      { what: 'PostgreSQL', value: Number.parseFloat(postgres.version), unit: '', note: versions() },
    ]
  } finally {
    await postgres.stop()
  }
})

type Figure = Exclude<keyof PeerTurn, 'bareMs' | 'waiting'>
type Subject = 'ours' | 'peer' | 'durable'

/** The turns of one process of each subject, which ran one after the other. */
type Trio = Record<Subject, PeerTurn>

/** Durable functions in us-east-1: each operation, each gigabyte written, each gigabyte and month kept. */
const durablePrice = { operation: 8e-6, gigabyte: 0.25, gigabyteMonth: 0.15 }
const gigabyte = 1024 ** 3
/** A day of waiting, and the 14 days for which the service keeps an execution unless told otherwise. */
const monthsKept = 15 / 30

/** The number of processes of each subject for each length of history. */
const processes = 5

async function inOrder(
  subjects: Record<Subject, () => Promise<PeerTurn>>,
  isBackwards: boolean,
): Promise<Trio> {
  const inTurn: Subject[] = ['ours', 'peer', 'durable']
  const names = isBackwards ? inTurn.toReversed() : inTurn
  const done = new Map<Subject, PeerTurn>()
  for (const name of names) done.set(name, await subjects[name]())
  return Object.fromEntries(done) as Trio
}

async function turns(script: string, ...args: (string | number)[]): Promise<PeerTurn> {
  const path = `${folder}${script}`
  const { stdout } = await run(
    process.execPath,
    ['--no-warnings', '--expose-gc', path, ...args.map(String)],
    {
      maxBuffer: 64 * 1024 ** 2,
    },
  )
  const line = stdout.split('\n').find((text) => text.startsWith(mark)) ?? ''
  const all = JSON.parse(line.slice(mark.length)) as PeerTurn[]
  const middle = (name: Figure) => median(all.map((turn) => turn[name]))
  return {
    writes: middle('writes'),
    bytes: middle('bytes'),
    wireBytes: middle('wireBytes'),
    cpuMs: middle('cpuMs'),
    bareMs: median(all.map((turn) => turn.bareMs ?? 0)),
    wallMs: median(all.map(({ wallMs, waitMs }) => wallMs - waitMs)),
    waitMs: middle('waitMs'),
    ...(all[0]?.waiting && { waiting: all[0].waiting }),
  }
}

function compare(length: number, trios: Trio[]): Row[] {
  const at = `with ${length} messages`
  const per = (name: Figure, subject: Subject) => median(trios.map((trio) => trio[subject][name] / rounds))
  const against = (what: string, unit: string, name: Figure, digits: number): Row => {
    const ratios = trios.map(({ ours, peer }) => ours[name] / peer[name])
    return {
      what: `${what} a round ${at}, against LangGraph.js`,
      value: median(ratios),
      unit: 'times',
      spread: spreadOf(ratios),
      note: `${per(name, 'ours').toFixed(digits)} against ${per(name, 'peer').toFixed(digits)} ${unit}`,
    }
  }
  const beyond = (what: string, of: (trio: Trio) => number, note: string): Row => {
    const rest = trios.map((trio) => (trio.ours.cpuMs - of(trio)) / rounds)
    const name = `processor time a round ${at}, beyond ${what}`
    return { what: name, value: median(rest), unit: 'ms', spread: spreadOf(rest), note }
  }
  const bareMs = median(trios.map(({ ours }) => (ours.bareMs ?? 0) / rounds))
  const limit = { most: 1 }
  return [
    { ...against('bytes written', 'bytes', 'bytes', 0), limit },
    { ...against('processor time', 'ms', 'cpuMs', 2), limit },
    against('bytes on the wire, protocol and reads included,', 'bytes', 'wireBytes', 0),
    against('writes', 'requests', 'writes', 1),
    against('time without the store', 'ms', 'wallMs', 1),
    beyond(
      'the same requests by the bare SDK',
      ({ ours }) => ours.bareMs ?? 0,
      `the SDK takes ${bareMs.toFixed(2)} ms to sign and send them, and to read the same answers`,
    ),
  ]
}

/** A turn beside the same one as a durable function; what that measures, and what it leaves out, is in decision 23. */
function besideDurable(trios: Trio[]): Row[] {
  const ratios = trios.map(({ ours, durable }) => ours.cpuMs / durable.cpuMs)
  const { ours, durable } = trios[0] as Trio
  const own = ours.waiting as Bill
  const theirs = durable.waiting as Waiting
  const perThousand = (dollars: number) => dollars * 1_000
  const unit = 'dollars for 1,000 turns'
  return [
    {
      what: 'processor time a round, against durable functions',
      value: median(ratios),
      unit: 'times',
      spread: spreadOf(ratios),
      note: 'their local runner signs nothing and sends nothing',
    },
    figure('requests to checkpoint a turn, durable functions', durable.writes, 'requests'),
    figure(
      'a turn that waits a day for an approval',
      perThousand(own.write * price.writeUnit + own.read * price.readUnit + own.queue * price.queueRequest),
      unit,
      undefined,
      `${own.write} write units, ${own.read} read units, ${own.queue} requests of the queue, with transcript and poll`,
    ),
    figure(
      'the same as a durable function, its checkpoints alone',
      perThousand(
        theirs.operations * durablePrice.operation +
          (theirs.bytes / gigabyte) * (durablePrice.gigabyte + durablePrice.gigabyteMonth * monthsKept),
      ),
      unit,
      undefined,
      `${theirs.operations} operations, ${theirs.writes} requests, ${theirs.bytes} bytes`,
    ),
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
