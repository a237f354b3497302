import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { serialize } from 'node:v8'
import * as Settings from '../../core/stage/settings/settings.ts'
import * as Token from '../../core/user/access-token/token.ts'
import type { Event, Handler } from '../../functions/http/route.ts'
import type { FunctionName } from '../../functions/http/routes.ts'
import { type Bundle, bundle } from '../support/bundle.ts'
import { openBed } from './bed.ts'
import { grow } from './history.ts'
import { takeRequests } from './meter.ts'
import { call, seedSite, visitor } from './site.ts'

/**
 * Cold processes of the web functions; each process answers one event. The floor of a function is a process with only
 * the SDK clients that the function needs.
 */

/** The web functions, each with the floor that has the SDK clients which the function needs. */
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

/** The names of the web functions. */
export const functionNames = Object.keys(floors) as FunctionName[]

/**
 * The script of a cold process. It lets the bundle answer one event, and prints the time from the start of the process
 * to the answer.
 */
const child = `
const { readFileSync } = process.getBuiltinModule('node:fs')
const { deserialize } = process.getBuiltinModule('node:v8')
const [, , path, event] = process.argv
const { handler } = await import(path)
const { statusCode } = await handler(deserialize(readFileSync(event)), { getRemainingTimeInMillis: () => 30_000 })
const { user, system } = process.cpuUsage()
process.stdout.write(JSON.stringify({ statusCode, ms: performance.now(), cpu: (user + system) / 1000 }))
process.exit(0)`

/** Opens the bed, writes the script of the cold processes into the folder, and returns one event for each function. */
export async function prepareCold(folder: string): Promise<Record<FunctionName, Event>> {
  await openBed()
  await writeFile(join(folder, 'child.mjs'), child)
  const editor = await seedSite({ accessTokens: { trustZone: 'internal' } })
  const id = await grow(editor, 20, Date.now())
  const { get, post } = await visitor(editor.uid)
  const { token } = await Token.create(editor, { name: 'Bench', days: 7 }, Date.now())
  const listed = post('/ai-chat/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/list' })
  const file = { name: 'a.pdf', mimeType: 'application/pdf', size: 1_000 }
  return {
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
}

/**
 * Bundles a function and its floor. Stores the event for the function, and the requests that the event causes for the
 * floor.
 */
export async function bundleBoth(
  folder: string,
  name: FunctionName,
  event: Event,
): Promise<{ own: Bundle; floor: Bundle }> {
  const { handler } = (await import(`../../functions/${name}.ts`)) as { handler: Handler }
  await call(handler, event)
  takeRequests()
  // A cold process has no settings yet.
  Settings.forget()
  await call(handler, event)
  const steps = takeRequests().map(({ service, operation, input }) => ({
    service,
    operation,
    input: unconditional(operation, input),
  }))
  const [own, floor] = [join(folder, name), join(folder, `${name}-floor`)]
  await mkdir(own)
  await mkdir(floor)
  await writeFile(join(own, 'event'), serialize(event))
  await writeFile(join(floor, 'event'), serialize({ steps }))
  return {
    own: await bundle(name, own),
    floor: await bundle(`../test/bench/floor/${floors[name]}`, floor),
  }
}

/** Returns the input of a write without its condition, so that the floor can repeat the write. */
function unconditional(operation: string, input: Record<string, unknown>): Record<string, unknown> {
  const bare = ({ TableName, Item }: Record<string, unknown>) => ({ TableName, Item })
  if (operation === 'PutItem') return bare(input)
  if (operation !== 'TransactWriteItems') return input
  const items = input.TransactItems as { Put?: Record<string, unknown> }[]
  return { TransactItems: items.map((item) => (item.Put ? { Put: bare(item.Put) } : item)) }
}

/** Milliseconds and processor time from the start of a process to its first answer. */
export type Cold = { ms: number; cpu: number }

/** Starts the bundle of that name in a new process, and returns the time of its first answer. */
export async function startFunction(folder: string, name: string): Promise<Cold> {
  const args = [join(folder, 'child.mjs'), join(folder, name, 'bundle.mjs'), join(folder, name, 'event')]
  const { stdout } = await promisify(execFile)(process.execPath, args, { env: process.env })
  const { statusCode, ms, cpu } = JSON.parse(stdout) as Cold & { statusCode: number }
  if (statusCode >= 300) throw new Error(`${name} answered with ${statusCode} after its start`)
  return { ms, cpu }
}
