import { randomUUID } from 'node:crypto'
import { SignJWT } from 'jose'
import { expect } from 'vitest'
import type { Actor } from '../../../core/base/actor.ts'
import * as Table from '../../../core/base/aws/table.ts'
import { newId } from '../../../core/chat/conversation.ts'
import type { Done } from '../../../core/cms/cms.ts'
import { empty, encode as encodeConversation, key } from '../../../core/conversation/item.ts'
import * as Quota from '../../../core/conversation/quota.ts'
import * as Row from '../../../core/conversation/row.ts'
import type { PendingApproval } from '../../../core/conversation/schema.ts'
import { encode } from '../../../core/conversation/transcript/item.ts'
import * as Next from '../../../core/conversation/transcript/next.ts'
import type { Message } from '../../../core/conversation/transcript/schema.ts'
import type { UploadAnswer } from '../../../core/file/schema.ts'
import { McpServer } from '../../../core/stage/settings/server.ts'
import * as Session from '../../../core/user/session/session.ts'
import { handler as backend } from '../../../functions/backend.ts'
import type { Route } from '../../../functions/http/routes.ts'
import { putAll } from '../../bench/history.ts'
import { type Acts, journeys } from '../../chaos/journey.ts'
import { play } from '../../chaos/scene.ts'
import { named, rightRequest, type Service } from '../../security/service.ts'
import { call } from '../call.ts'
import { putInto } from '../direct-upload.ts'
import { image, pdf } from '../documents.ts'
import { gate, never } from '../live.ts'
import { making } from '../put.ts'
import type { Requested } from './requests.ts'
import { usePrograms } from './use-programs.ts'
import { useServers } from './use-servers.ts'

/** The product in use: every route and every step of turns and cleanup, so that each function asks for what it needs. */

const exchangeKey = 'an exchange key of at least 32 bytes'

/** The settings that a use needs. */
export const used = {
  maxConversationsPerUser: null,
  dailyTokensPerUser: 1_000_000_000,
  // No server answers there: what users put for it is kept all the same.
  mcpServers: [McpServer.parse({ name: 'shop', url: 'http://127.0.0.1:9/mcp', auth: 'token' })],
  accessTokens: { trustZone: 'internal' as const },
  exchange: { issuer: 'https://cms.example', audience: 'ai-chat', key: 'exchange' },
}

const dayMs = 86_400_000

let service: Service
let requests: Requested[]

/** Uses the whole service; adds to `requests` what browsers ask the store for with the right of a function. */
export async function use(of: Service, recorded: Requested[]): Promise<void> {
  service = of
  requests = recorded
  process.env.AI_CHAT_SECRET_EXCHANGE = exchangeKey
  for (const journey of journeys) await play(service.bench, journey)
  await useEveryRoute()
  await useWithoutRight()
  await useLater()
  await upload()
  await decideAndUndo()
  await moveAndUndo()
  await exportMuch()
  await leaveAndReturn()
  await useServers(service, used)
  await usePrograms(service)
  await loseAndFill()
  await undoWithoutPlace()
  await waitWithoutPlace()
  await editRecords()
  await cleanUp()
}

type As = Awaited<ReturnType<Service['bench']['login']>>

async function useEveryRoute(): Promise<void> {
  const editor = await service.bench.login('editor')
  const { conversation } = await editor.send('Hello')
  const { body } = await editor.ask<{ fileUid: number }>(
    '/ai-chat/file-upload',
    form('a.txt', 'text/plain', 'Text'),
  )
  const of = { conversationId: conversation.id, fileUid: body.fileUid }
  for (const { route } of named.filter(({ route }) => route.path !== '/backend/logout')) {
    await asked(route, editor, of)
  }
  const admin = await service.bench.login('admin')
  for (const { route } of named.filter(({ route }) => route.method === 'GET')) await asked(route, admin, of)
  await service.bench.settle()
}

async function asked(
  route: Route,
  { token, csrfToken }: Pick<As, 'token' | 'csrfToken'>,
  of: Parameters<typeof rightRequest>[1],
) {
  const who = { cookies: [`be_session=${token}`], headers: { 'x-csrf-token': csrfToken } }
  return service.ask(route, { ...rightRequest(route, of), ...who })
}

/** A user who may not chat is refused by each function, which audits it. */
async function useWithoutRight(): Promise<void> {
  const guest = await service.session(4)
  for (const { route } of named.filter(({ route }) => route.access === 'chat')) {
    const { status } = await asked(route, guest, { conversationId: 'x', fileUid: 1 })
    expect(status).toBe(403)
  }
}

/** A session that was not used for some minutes is used again, by each function. */
async function useLater(): Promise<void> {
  for (const { route } of named.filter(({ route }) => route.access !== 'public')) {
    const who = await service.session(2, 10 * 60_000)
    await asked(route, who, { conversationId: 'x', fileUid: 1 })
  }
}

/** A picture by form and a document by an address of the store, which a browser uses with the right of the function. */
async function upload(): Promise<void> {
  const editor = await service.bench.login('editor')
  const png = await image('png')
  await editor.ask('/ai-chat/file-upload', form('a.png', 'image/png', png))
  const bytes = await pdf(['Text'])
  const body = { name: 'a.pdf', mimeType: 'application/pdf', size: bytes.length }
  const { body: wished } = await editor.ask<UploadAnswer>('/ai-chat/file-upload', { body })
  const { fileUid, upload: address } = wished
  const file = new Blob([new Uint8Array(bytes)], { type: body.mimeType })
  expect((await putInto(address, file)).ok).toBe(true)
  requests.push({ by: 'upload', action: 's3:PutObject', resource: `filesbucket/${address.fields.key}` })
  await editor.ask('/ai-chat/file-upload/complete', { body: { fileUid } })
  await editor.turn('Read it', { fileUid })
  requests.push({ by: 'upload', action: 's3:GetObject', resource: await linked(editor, fileUid) })
}

/** The object that an address of a file names. */
async function linked(editor: As, fileUid: number): Promise<string> {
  const { body } = await editor.get<{ url: string }>('/file-info', { fileUid })
  const address = new URL(body.url)
  expect((await fetch(address)).ok).toBe(true)
  return `filesbucket/${decodeURIComponent(address.pathname).replace(/^.*?fileadmin/, 'fileadmin')}`
}

async function decideAndUndo(): Promise<void> {
  const { bench } = service
  const editor = await bench.login('editor')
  bench.api.reply({
    text: 'I propose:',
    calls: [
      { id: 'a', name: 'update_record', arguments: { table: 'news', uid: 2, fields: { title: 'A title' } } },
    ],
  })
  const { conversation, pendingApproval } = await editor.turn('Change it')
  const { digest } = pendingApproval as PendingApproval
  const words = { callId: 'a', field: 'title', value: 'My title' }
  await editor.does('amend', conversation.id, { digest, ...words })
  await editor.decide(conversation.id, true)
  await bench.settle()
  const { messages } = await editor.poll(conversation.id)
  const { runId } = messages.find((message) => message.runId) ?? {}
  expect((await editor.post('undo', { conversationId: conversation.id, runId })).status).toBe(200)
  await editor.does('system-prompt', conversation.id, { systemPrompt: '' })
  await editor.does('delete', conversation.id, { deleted: true })
}

/** A record that a turn moved to another page is taken back to its page. */
async function moveAndUndo(): Promise<void> {
  const { bench } = service
  const editor = await bench.login('editor')
  const place = { table: 'content', uid: 26 }
  const pid = async () => (await bench.site.cms.record(bench.site.admin, place))?.pid
  const before = await pid()
  bench.api.reply({
    text: 'I propose:',
    calls: [{ id: 'm', name: 'move_record', arguments: { ...place, page: before === 3 ? 4 : 3 } }],
  })
  const { conversation } = await editor.turn('Move it')
  await editor.decide(conversation.id, true)
  await bench.settle()
  expect(await pid()).not.toBe(before)
  const { messages } = await editor.poll(conversation.id)
  const { runId } = messages.find((message) => message.runId) ?? {}
  expect((await editor.post('undo', { conversationId: conversation.id, runId })).status).toBe(200)
  expect(await pid()).toBe(before)
}

/** More than an answer of a function holds goes through the store, from where a browser fetches it. */
async function exportMuch(): Promise<void> {
  const now = service.bench.clock.now()
  const editor = await service.bench.login('editor')
  const id = newId({ uid: 2 } as Actor, now)
  const content = 'x'.repeat(300_000)
  const rows = Array.from({ length: 20 }, (_, sequence) =>
    encode(id, { sequence, role: 'user', content, createdAt: new Date(now).toISOString() } as Message, 0),
  )
  await putAll([...rows, encodeConversation({ ...empty(id, now), title: 'Much', messageCount: rows.length })])
  const { status, headers } = await editor.get('/conversations/export', { conversationId: id })
  expect(status).toBe(303)
  const address = new URL(headers.location ?? '')
  expect((await fetch(address)).ok).toBe(true)
  const object = address.pathname.slice(address.pathname.indexOf('exports/'))
  requests.push({ by: 'conversations', action: 's3:GetObject', resource: `filesbucket/${object}` })
}

async function leaveAndReturn(): Promise<void> {
  const statement = (use?: string) =>
    new SignJWT({ jti: randomUUID(), sid: 'one', ...(use && { use }) })
      .setProtectedHeader({ alg: 'HS256' })
      .setIssuer(used.exchange.issuer)
      .setAudience(used.exchange.audience)
      .setSubject('2')
      .setExpirationTime(new Date(service.bench.clock.now() + 30_000))
      .sign(new TextEncoder().encode(exchangeKey))
  const post = (path: string, body: object, who: object = {}) =>
    service.ask(
      { method: 'POST', path: `/backend/${path}`, function: 'backend', access: 'public' },
      { body, ...who },
    )
  expect((await post('exchange', { token: await statement() })).status).toBe(200)
  expect((await post('exchange/end', { token: await statement('end') })).status).toBe(204)
  const { token, csrfToken } = await service.session(2)
  const cookies = [`be_session=${token}`]
  expect((await post('logout', {}, { cookies, headers: { 'x-csrf-token': csrfToken } })).status).toBe(204)
  for (const password of ['wrong', 'demo']) await post('login', { username: 'editor', password })
}

/** Turns whose rows are gone hold the places of their user until the next one is sent; an administrator asks for more. */
async function loseAndFill(): Promise<void> {
  const { bench } = service
  const author = await bench.login('autorin')
  for (let at = 0; at < 3; at++) {
    const { conversation } = await author.send('Hello')
    await Table.remove(key(conversation.id))
  }
  await author.send('Hello again')
  await bench.settle()
  bench.api.reply({
    calls: ['get_system_status', 'list_files'].map((name) => ({ id: name, name, arguments: {} })),
  })
  await (await bench.login('admin')).turn('How is the system?')
}

/** Conversations that are gone hold every place of the user. */
async function losePlaces(uid: number): Promise<void> {
  for (const id of ['gone-1', 'gone-2', 'gone-3'])
    await Table.transact([Quota.take(uid, `${uid}-${id}`, { active: null, conversations: null }, false)])
}

/** An undo of many records is queued although the places of its user were lost. */
async function undoWithoutPlace(): Promise<void> {
  const long = journeys.find(({ name }) => name === 'an undo that a consumer makes')
  if (!long) throw new Error('There is no such journey')
  const undo = async (acts: Acts) => {
    await losePlaces(2)
    await acts.undo()
  }
  await play(service.bench, { ...long, go: (acts) => long.go({ ...acts, undo: () => undo(acts) }) })
}

/** Cleanup sends a message that waits for a place, although the places of its user were lost. */
async function waitWithoutPlace(): Promise<void> {
  const { bench } = service
  const author = await bench.login('autorin')
  bench.api.reply({ text: 'Hello.' })
  const { id } = (await author.turn('Hello')).conversation
  await losePlaces(3)
  const waiting = Next.put(id, { id: 'one', content: 'And now?' })
  await Row.store(await bench.row(id), { next: [['one', 0]] }, [waiting])
  await bench.clock.pass(1_000)
  await bench.cleanup()
  expect((await bench.row(id)).next).toEqual([])
  await bench.settle()
}

/** The form of a record in the backend stores and makes records, by the ports of a deployed function. */
async function editRecords(): Promise<void> {
  const { cms, admin } = service.bench.site
  const { token, csrfToken } = await Session.start(2, Date.now())
  const who = { cookies: [`be_session=${token}`], headers: { 'x-csrf-token': csrfToken } }
  const { version } = (await cms.record(admin, { table: 'news', uid: 2 })) ?? {}
  for (const [path, body] of [
    ['content', { pid: 3, fields: { type: 'text', header: 'New' } }],
    ['news/2', { fields: { title: 'A title' }, version }],
  ] as const) {
    const { status } = await call(backend, `/backend/records/${path}`, { body, ...who })
    expect([200, 201]).toContain(status)
  }
}

/** Consumers die before the result of a write is stored: one without its outcome, one with it. */
async function dieInWrites(editor: As): Promise<void> {
  const { bench } = service
  const { cms } = bench.live
  for (const [id, knowsOutcome] of [
    ['unknown', false],
    ['known', true],
  ] as const) {
    const fields = { title: `Written and ${id}` }
    bench.api.reply({ calls: [{ id, name: 'update_record', arguments: { table: 'news', uid: 2, fields } }] })
    const { conversation } = await editor.turn('Change it')
    await editor.decide(conversation.id, true)
    const point = gate()
    const dies = () => {
      void point.reach()
      return never()
    }
    const put = making(cms, async (...asked) => {
      const { labels: _, ...answer } = (await cms.put(...asked)) as Done
      // Of an answer without the names of its fields, the record is read again.
      return knowsOutcome ? (answer as Done) : dies()
    })
    await bench.die({ ...put, record: dies })
    await point.reached
  }
}

/** Each step of cleanup has something to do as time goes by. */
async function cleanUp(): Promise<void> {
  const { bench } = service
  const editor = await bench.login('editor')
  await editor.ask('/ai-chat/file-upload', form('unsent.txt', 'text/plain', 'Text'))
  const body = { name: 'never.pdf', mimeType: 'application/pdf', size: 10 }
  await editor.ask('/ai-chat/file-upload', { body })
  await dieInWrites(editor)
  await editor.send('Lost on the way')
  for (const days of [0.001, 0.01, 0.1, 2, 40, 140, 400]) {
    await bench.clock.pass(days * dayMs)
    for (let run = 0; run < 3; run++) await bench.cleanup()
  }
}

function form(name: string, type: string, content: string | Uint8Array): { form: FormData } {
  const data = new FormData()
  data.set(
    'file',
    new Blob([typeof content === 'string' ? content : new Uint8Array(content)], { type }),
    name,
  )
  return { form: data }
}
