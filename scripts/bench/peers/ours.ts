/** The turn by this product, its records in memory as those of the others are; the chat's table is the emulator. */
import { fork } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import * as Table from '../../../core/aws/table.ts'
import type { Cms } from '../../../core/cms/cms.ts'
import * as Claim from '../../../core/conversation/claim.ts'
import * as Row from '../../../core/conversation/row.ts'
import { type Live, live } from '../../../core/live.ts'
import { config } from '../../../core/stage/config.ts'
import * as Transcript from '../../../core/transcript/transcript.ts'
import { consume } from '../../../core/turn/consume.ts'
import { openBed } from '../bed.ts'
import { grow } from '../history.ts'
import { instant } from '../instant.ts'
import { meter, type Request, waited } from '../meter.ts'
import { cpu, median } from '../sample.ts'
import { seedSite } from '../site.ts'
import { length, measure, question, record, rounds, runs, tell, warmUp, watchSent } from './task.ts'

const sent = watchSent()
const bed = await openBed()
const editor = await seedSite()
const port = Number(new URL(bed.env.DYNAMODB_ENDPOINT ?? '').port)
const given = { remainingMs: () => Number.POSITIVE_INFINITY }
const ports: Live = { ...live(), cms: await remembered(live().cms), model: async () => instant({ rounds }) }

/** Conversations that wait for a consumer, with their history, made before anything is measured. */
const jobs = new Map<number, { conversationId: string; requestId: string }>()
for (let run = -warmUp; run < runs; run++) jobs.set(run, await waiting())

let requests: Request[] = []
const turns = await measure(async (run) => {
  const job = jobs.get(run)
  meter().take()
  const before = sent(port)
  const ending = job && (await consume(ports, job, given))
  if (ending !== 'done') throw new Error(`The turn ended as ${ending}`)
  requests = meter().take()
  const writes = requests.filter(({ operation }) => !/^(BatchGet|Query|Get)/.test(operation))
  const bytes = writes.reduce((sum, write) => sum + write.bytes, 0)
  return { writes: writes.length, bytes, wireBytes: sent(port) - before, waitMs: waited(requests) }
})
const bareMs = await bare()
tell(turns.map((turn) => ({ ...turn, bareMs })))

/** Processor time of the last turn's requests by the SDK alone, to a server that answers at once, in milliseconds. */
async function bare(): Promise<number> {
  const silent = fork(fileURLToPath(new URL('silent.ts', import.meta.url)))
  const [silentPort] = (await once(silent, 'message')) as [number]
  process.env.DYNAMODB_ENDPOINT = `http://127.0.0.1:${silentPort}`
  // It reads the address as it is imported.
  const { ask } = await import('../floor/table.ts')
  const steps = requests.map(({ operation, input }) => ({ service: 'dynamodb' as const, operation, input }))
  const times: number[] = []
  for (let run = -warmUp; run < runs; run++) {
    const before = cpu()
    for (const step of steps) await ask(step)
    if (run >= 0) times.push(cpu() - before)
  }
  silent.disconnect()
  return median(times)
}

async function waiting(): Promise<{ conversationId: string; requestId: string }> {
  const id = await grow(editor, length, Date.now())
  const it = await Row.read(id)
  if (!it) throw new Error('The conversation was not stored')
  const at = new Date().toISOString()
  const message = { role: 'user' as const, content: question, createdAt: at, sequence: length }
  const changes = { ...Claim.begin(Date.now()), runId: randomUUID(), messageCount: length + 1 }
  const { write, next } = Row.change(it, changes)
  await Table.transact([write, Transcript.put({ id, path: [] }, message)])
  return { conversationId: id, requestId: next.requestId }
}

/** The CMS with what it answers kept in memory: the comparison is about turns, not about a site. */
async function remembered(cms: Cms): Promise<Cms> {
  const [languages, tables, first] = await Promise.all([
    cms.languages(),
    cms.tables(editor),
    cms.record(editor, 'pages', 3),
  ])
  const page = await cms.page(editor, 3)
  if (!first) throw new Error(`There is no page in ${config().cmsTable}`)
  return {
    ...cms,
    user: async () => editor,
    languages: async () => languages,
    tables: async () => tables,
    page: async () => page,
    record: async (_, table, uid) => ({ ...first, table, uid, fields: { description: record(uid) } }),
  }
}
