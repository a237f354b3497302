import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { price } from '../../../scripts/cost/price.ts'
import { type Bill, type PeerTurn, rounds, type TurnFigure, type Waiting } from '../peers/assignment.ts'
import { startPostgres } from '../peers/postgres.ts'
import { figure, type Row } from '../result-table.ts'
import { inTurns, median } from '../sample.ts'
import { runScript, section } from '../section.ts'

const lengths = [0, 100, 1_000]
const folder = fileURLToPath(new URL('../peers/', import.meta.url))

/**
 * Measures a turn of five rounds on a model that answers at once. The systems are this product, LangGraph.js with its
 * Postgres checkpointer, and Lambda's durable functions with their local runner. Five processes of each system
 * alternate, so that a slow minute of the machine affects all of them. A comparison is the median of the ratios of
 * consecutive processes.
 */
section(async () => {
  if (!existsSync(`${folder}node_modules`)) await promisify(execFile)('npm', ['install', '--prefix', folder])
  await using postgres = await startPostgres()
  const rows: Row[] = []
  for (const length of lengths) {
    const found = await inTurns(subjects, processes, (subject) => turnOf(subject, length, postgres.port))
    const trios = found('product').map((ours, at): Trio => {
      const [peer, durable] = [found('langgraph')[at], found('durable')[at]] as [PeerTurn, PeerTurn]
      return { ours, peer, durable }
    })
    rows.push(...compare(length, trios), ...(length === 0 ? besideDurable(trios) : []))
  }
  const note = versions()
  return [...rows, figure('PostgreSQL', Number.parseFloat(postgres.version), '', { note })]
})

/** The scripts that do the turn, by the name of their system. */
const subjects = ['product', 'langgraph', 'durable'] as const

/** The figures of one process of each system; the three processes ran one after the other. */
type Trio = Record<'ours' | 'peer' | 'durable', PeerTurn>

/**
 * Prices of durable functions in us-east-1 in dollars: per operation, per gigabyte written, per gigabyte and month
 * stored.
 */
const durablePrice = { operation: 8e-6, gigabyte: 0.25, gigabyteMonth: 0.15 }
const gigabyte = 1024 ** 3
/**
 * The storage time in months: one day of waiting, and the 14 days for which the service keeps an execution by default.
 */
const monthsKept = 15 / 30

/** The number of processes of each subject for each length of history. */
const processes = 5

/** Returns the median of each figure over the turns of one process. */
async function turnOf(subject: string, length: number, port: number): Promise<PeerTurn> {
  const turns = await runScript<PeerTurn[]>(`peers/${subject}.ts`, length, port)
  if (!turns) throw new Error(`No turn by ${subject}`)
  const middle = (name: TurnFigure) => median(turns.map((turn) => turn[name] ?? 0))
  return {
    writes: middle('writes'),
    bytes: middle('bytes'),
    wireBytes: middle('wireBytes'),
    cpuMs: middle('cpuMs'),
    bareMs: middle('bareMs'),
    ownMs: middle('ownMs'),
    ...(turns[0]?.waiting && { waiting: turns[0].waiting }),
    ...(turns[0]?.owners && { owners: turns[0].owners }),
  }
}

function compare(length: number, trios: Trio[]): Row[] {
  const at = `with ${length} messages`
  const against = (what: string, unit: string, name: TurnFigure, digits: number, most?: number): Row => {
    const of = (subject: keyof Trio) => trios.map((trio) => trio[subject][name] ?? 0)
    const [ours, peer] = [of('ours'), of('peer')]
    const [mine, theirs] = [ours, peer].map((values) => (median(values) / rounds).toFixed(digits))
    const ratios = ours.map((value, nth) => value / (peer[nth] ?? Number.NaN))
    return figure(`${what} a round ${at}, against LangGraph.js`, ratios, 'times', {
      ...(most !== undefined && { most }),
      note: `${mine} against ${theirs} ${unit}`,
    })
  }
  const bareMs = trios.map(({ ours }) => (ours.bareMs ?? 0) / rounds)
  const beyondMs = trios.map(({ ours }, nth) => ours.cpuMs / rounds - (bareMs[nth] ?? 0))
  const beyond = `processor time a round ${at}, beyond the same requests by the bare SDK`
  return [
    against('bytes written', 'bytes', 'bytes', 0, 1),
    against('processor time', 'ms', 'cpuMs', 2, 1),
    against('bytes on the wire, protocol and reads included,', 'bytes', 'wireBytes', 0),
    against('writes', 'requests', 'writes', 1),
    against('time without the store', 'ms', 'ownMs', 1),
    figure(beyond, beyondMs, 'ms', {
      note: `the SDK takes ${median(bareMs).toFixed(2)} ms to sign and send them, and to read the same answers`,
    }),
  ]
}

/**
 * Compares a turn with the same turn on a durable function. Decision 23 lists the costs that the comparison includes.
 */
function besideDurable(trios: Trio[]): Row[] {
  const ratios = trios.map(({ ours, durable }) => ours.cpuMs / durable.cpuMs)
  const { ours, durable } = trios[0] as Trio
  const bill = ours.waiting as Bill
  const { operations, writes, bytes } = durable.waiting as Waiting
  const dollars = bill.write * price.writeUnit + bill.read * price.readUnit + bill.queue * price.queueRequest
  const durableDollars =
    operations * durablePrice.operation +
    (bytes / gigabyte) * (durablePrice.gigabyte + durablePrice.gigabyteMonth * monthsKept)
  const unit = 'dollars for 1,000 turns'
  return [
    figure('profiled: a round with 0 messages', ours.cpuMs / rounds, 'ms', { note: ours.owners }),
    figure('processor time a round, against durable functions', ratios, 'times', {
      note: 'their local runner signs nothing and sends nothing',
    }),
    figure('requests to checkpoint a turn, durable functions', durable.writes, 'requests'),
    figure('a turn that waits a day for an approval', dollars * 1_000, unit, {
      note: `${bill.write} write units, ${bill.read} read units, ${bill.queue} requests of the queue, with transcript and poll`,
    }),
    figure('the same as a durable function, its checkpoints alone', durableDollars * 1_000, unit, {
      note: `${operations} operations, ${writes} requests, ${bytes} bytes`,
    }),
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
