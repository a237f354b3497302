/** The turn on this product. CMS records are in memory, as for the other systems; the chat's table is the emulator. */
import { fork } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import * as Table from '../../../core/base/aws/table.ts'
import { config } from '../../../core/base/config.ts'
import type { Cms } from '../../../core/cms/cms.ts'
import * as Claim from '../../../core/conversation/claim.ts'
import * as Row from '../../../core/conversation/row.ts'
import * as Transcript from '../../../core/conversation/transcript/transcript.ts'
import { type Live, live } from '../../../core/live.ts'
import { consume } from '../../../core/turn/consume.ts'
import { turnOfThree } from '../../support/bridge.ts'
import { startBench } from '../../support/live.ts'
import { openBed } from '../bed.ts'
import { grow } from '../history.ts'
import { instant } from '../instant.ts'
import { type Request, takeRequests, total, waited } from '../meter.ts'
import { profileOwners } from '../owners.ts'
import { cpu, median, repeated } from '../sample.ts'
import { handOver } from '../section.ts'
import { seedSite } from '../site.ts'
import {
  type Bill,
  length,
  measureTurns,
  question,
  record,
  rounds,
  runs,
  warmUp,
  watchSent,
} from './assignment.ts'

const sent = watchSent()
const bed = await openBed()
const editor = await seedSite()
const port = Number(new URL(bed.env.DYNAMODB_ENDPOINT ?? '').port)
const given = { remainingMs: () => Number.POSITIVE_INFINITY }
const ports: Live = { ...live(), cms: await remembered(live().cms), model: async () => instant({ rounds }) }

/** Conversations with a history that wait for a consumer; they are created before the measurement begins. */
const jobs = new Map<number, { conversationId: string; requestId: string }>()
const profiled = length === 0 ? 20 : 0
for (let run = -warmUp; run <= runs + profiled; run++) jobs.set(run, await nextJob())

const turns = await measureTurns(async (run) => {
  const before = sent(port)
  const requests = await turn(run)
  const writes = requests.filter(({ operation }) => !/^(BatchGet|Query|Get)/.test(operation))
  const bytes = writes.reduce((sum, write) => sum + write.bytes, 0)
  return { writes: writes.length, bytes, wireBytes: sent(port) - before, waitMs: waited(requests) }
})
const owners = profiled > 0 ? await profileOwners(turnsAfter) : undefined
const waiting = length === 0 ? await bill() : undefined
const bareMs = await bare()
handOver(turns.map((turn) => ({ ...turn, bareMs, ...(waiting && { waiting }), ...(owners && { owners }) })))

/**
 * Counts the requests of the chat for a turn that reads twice and writes after an approval. The count includes the
 * send, the decision, the transcript and a poll. It leaves out requests to the CMS, because every system needs them.
 */
async function bill(): Promise<Bill> {
  const bench = await startBench()
  takeRequests()
  await turnOfThree(bench)
  const asked = takeRequests()
  const { read, write } = total(asked, config().table)
  return { read, write, queue: asked.filter(({ service }) => service === 'sqs').length }
}

/** Does one of the prepared turns, and returns its requests. */
async function turn(run: number): Promise<Request[]> {
  const job = jobs.get(run)
  takeRequests()
  const ending = job && (await consume(ports, job, given))
  if (ending !== 'done') throw new Error(`The turn ended as ${ending}`)
  return takeRequests()
}

/** Does the turns that come after the measured ones, for the profile. */
async function turnsAfter(): Promise<void> {
  for (let run = runs + 1; run <= runs + profiled; run++) await turn(run)
}

/**
 * Returns the processor time in milliseconds that the bare SDK takes for a turn's requests. A server answers at once
 * with the store's recorded answers, so the time includes the parsing of answers.
 */
async function bare(): Promise<number> {
  const answers = keepAnswers()
  const requests = await turn(runs)
  const silent = fork(fileURLToPath(new URL('silent.ts', import.meta.url)))
  silent.send([...answers])
  const [silentPort] = (await once(silent, 'message')) as [number]
  process.env.DYNAMODB_ENDPOINT = `http://127.0.0.1:${silentPort}`
  // The module reads the address of the store when it is imported.
  const { ask } = await import('../floor/table.ts')
  const steps = requests.map(({ operation, input }) => ({ service: 'dynamodb' as const, operation, input }))
  const times = await repeated(runs, warmUp, async () => {
    const before = cpu()
    for (const step of steps) await ask(step)
    return cpu() - before
  })
  silent.disconnect()
  return median(times)
}

type Received = { response: { body: Readable } }
type Next = (args: { request: { headers: Record<string, string> } }) => Promise<Received>

/** Records the bodies of the store's answers from now on, by operation. */
function keepAnswers(): Map<string, string[]> {
  const kept = new Map<string, string[]>()
  const keep = (next: Next) => async (args: Parameters<Next>[0]) => {
    const received = await next(args)
    const [, operation = ''] = String(args.request.headers['x-amz-target']).split('.')
    const body = await text(received.response.body)
    kept.set(operation, [...(kept.get(operation) ?? []), body])
    received.response.body = Readable.from([Buffer.from(body)])
    return received
  }
  Table.documents().middlewareStack.addRelativeTo(keep as never, {
    relation: 'after',
    toMiddleware: 'deserializerMiddleware',
    name: 'answers',
  })
  return kept
}

async function nextJob(): Promise<{ conversationId: string; requestId: string }> {
  const id = await grow(editor, length, Date.now())
  const conversation = await Row.read(id)
  if (!conversation) throw new Error('The conversation was not stored')
  const at = new Date().toISOString()
  const message = { role: 'user' as const, content: question, createdAt: at, sequence: length }
  const changes = { ...Claim.begin(Date.now()), runId: randomUUID(), messageCount: length + 1 }
  const { write, next } = Row.change(conversation, changes)
  await Table.transact([write, Transcript.put({ id, path: [] }, message)])
  return { conversationId: id, requestId: next.requestId }
}

/** Returns a CMS that caches its answers in memory, because the comparison measures turns and not a site. */
async function remembered(cms: Cms): Promise<Cms> {
  const [languages, tables, first] = await Promise.all([
    cms.languages(),
    cms.tables(editor),
    cms.record(editor, { table: 'pages', uid: 3 }),
  ])
  const page = await cms.page(editor, { uid: 3 })
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
