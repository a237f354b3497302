import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { serialize } from 'node:v8'
import * as Token from '../../../core/access-token/token.ts'
import * as Settings from '../../../core/settings/settings.ts'
import type { Handler } from '../../../functions/route.ts'
import type { FunctionName } from '../../../functions/routes.ts'
import { bundle } from '../../../test/support/bundle.ts'
import { openBed } from '../bed.ts'
import { grow } from '../history.ts'
import { meter } from '../meter.ts'
import type { Row } from '../report.ts'
import { section } from '../section.ts'
import { call, seedSite, visitor } from '../site.ts'

const runs = 9

/** The web functions, and the floor that has the SDK clients which each of them needs. */
const floors: Record<FunctionName, 'table' | 'queue' | 'store'> = {
  poll: 'table',
  status: 'table',
  conversations: 'table',
  connections: 'table',
  backend: 'table',
  mcp: 'queue',
  send: 'queue',
  upload: 'store',
}
const names = Object.keys(floors) as FunctionName[]

/** What a cold process runs: the bundle answers one event, and says how long it took from the start of the process. */
const child = `
import { readFileSync } from 'node:fs'
import { deserialize } from 'node:v8'
const [, , path, event] = process.argv
const { handler } = await import(path)
const { statusCode } = await handler(deserialize(readFileSync(event)), { getRemainingTimeInMillis: () => 30_000 })
const { user, system } = process.cpuUsage()
process.stdout.write(JSON.stringify({ statusCode, ms: performance.now(), cpu: (user + system) / 1000 }))
process.exit(0)`

/** Size of each web function, and its first answer in a new process against a floor with the SDK clients alone. */
section(async () => {
  await openBed()
  const editor = await seedSite({ accessTokens: { trustZone: 'internal' } })
  const id = await grow(editor, 20, Date.now())
  const { get, post } = await visitor(editor.uid)
  const { token } = await Token.create(editor, { name: 'Bench', days: 7 }, Date.now())
  const listed = post('/ai-chat/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/list' })
  const file = { name: 'a.pdf', mimeType: 'application/pdf', size: 1_000 }
  const events = {
    poll: get('/ai-chat/conversations/messages', { conversationId: id }),
    status: get('/ai-chat/status'),
    conversations: get('/ai-chat/conversations'),
    connections: get('/ai-chat/connections'),
    backend: get('/backend/session'),
    send: post('/ai-chat/conversations/send', { content: 'What is new?' }),
    upload: post('/ai-chat/file-upload', file),
    mcp: {
      ...listed,
      headers: {
        ...listed.headers,
        authorization: `Bearer ${token}`,
        accept: 'application/json, text/event-stream',
      },
    },
  }
  const folder = await mkdtemp(join(tmpdir(), 'cold-'))
  try {
    await writeFile(join(folder, 'child.mjs'), child)
    const subjects: Subject[] = []
    for (const name of names) subjects.push(await prepare(folder, name, events[name]))
    return await measure(folder, subjects)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

type Subject = { name: FunctionName; startBytes: number; floorBytes: number }

/** Bundles a function and its floor, with the event of the one and the same requests for the other. */
async function prepare(folder: string, name: FunctionName, event: Parameters<Handler>[0]): Promise<Subject> {
  const { handler } = (await import(`../../../functions/${name}.ts`)) as { handler: Handler }
  await call(handler, event)
  meter().take()
  // As in a cold process, which has no settings yet.
  Settings.forget()
  await call(handler, event)
  const steps = meter()
    .take()
    .map(({ service, operation, input }) => ({ service, operation, input: unconditional(operation, input) }))
  const [own, floor] = [join(folder, name), join(folder, `${name}-floor`)]
  await mkdir(own)
  await mkdir(floor)
  const ours = await bundle(name, own)
  const bare = await bundle(`../scripts/bench/floor/${floors[name]}`, floor)
  await writeFile(join(own, 'event'), serialize(event))
  await writeFile(join(floor, 'event'), serialize({ steps }))
  return { name, startBytes: ours.startBytes, floorBytes: bare.startBytes }
}

/** A write that may be repeated, and is done again each time. */
function unconditional(operation: string, input: Record<string, unknown>): Record<string, unknown> {
  const bare = ({ TableName, Item }: Record<string, unknown>) => ({ TableName, Item })
  if (operation === 'PutItem') return bare(input)
  if (operation !== 'TransactWriteItems') return input
  const items = input.TransactItems as { Put?: Record<string, unknown> }[]
  return { TransactItems: items.map((item) => (item.Put ? { Put: bare(item.Put) } : item)) }
}

type Cold = { ms: number; cpu: number }

async function measure(folder: string, subjects: Subject[]): Promise<Row[]> {
  const found = new Map<string, Cold[]>()
  for (let run = 0; run <= runs; run++) {
    for (const { name } of subjects) {
      for (const one of run % 2 === 0 ? [name, `${name}-floor`] : [`${name}-floor`, name]) {
        const cold = await start(folder, one)
        // The first run fills the caches of the disk.
        if (run > 0) found.set(one, [...(found.get(one) ?? []), cold])
      }
    }
  }
  return subjects.flatMap((subject) => rows(subject, found))
}

async function start(folder: string, name: string): Promise<Cold> {
  const args = [join(folder, 'child.mjs'), join(folder, name, 'bundle.mjs'), join(folder, name, 'event')]
  const { stdout } = await promisify(execFile)(process.execPath, args, { env: process.env })
  const { statusCode, ms, cpu } = JSON.parse(stdout) as Cold & { statusCode: number }
  if (statusCode >= 300) throw new Error(`${name} answered with ${statusCode} after its start`)
  return { ms, cpu }
}

function rows({ name, startBytes, floorBytes }: Subject, found: Map<string, Cold[]>): Row[] {
  // The quickest of the runs: whatever else the machine does only adds.
  const of = (one: string, key: keyof Cold) => Math.min(...(found.get(one) ?? []).map((cold) => cold[key]))
  const [ms, floorMs] = [of(name, 'ms'), of(`${name}-floor`, 'ms')]
  const [cpu, floorCpu] = [of(name, 'cpu'), of(`${name}-floor`, 'cpu')]
  return [
    {
      what: `${name}, loaded at a cold start`,
      value: Math.round(startBytes / 1024),
      unit: 'KB minified',
      limit: { most: 450 },
      note: `its floor ${Math.round(floorBytes / 1024)} KB`,
    },
    {
      what: `${name}, from process start to first answer against the floor`,
      value: ms / floorMs,
      unit: 'times the time',
      limit: { most: 1.5 },
      note: `${ms.toFixed(0)} against ${floorMs.toFixed(0)} ms`,
    },
    {
      what: `${name}, the same in processor time`,
      value: cpu / floorCpu,
      unit: 'times',
      note: `${cpu.toFixed(0)} against ${floorCpu.toFixed(0)} ms`,
    },
  ]
}
