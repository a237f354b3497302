import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { newCode } from '../../../core/cms/bridge/pairing.ts'
import { keepConnection } from '../../../infra/local/connection.ts'
import { freePort } from '../../../infra/local/free-port.ts'
import { type Client, exchange, isOver } from '../../../test/support/http.ts'
import { type MessagesApi, startMessagesApi } from '../../../test/support/messages-api.ts'
import { type Stage, startStage } from '../../../test/support/stage.ts'
import { install, type Role, type Site, startSite } from './site.ts'

const missing = await install()

let api: MessagesApi
let folder: string
let site: Site
let stage: Stage

/** Enters the chat as a user who is logged in at Payload. */
async function enter(role: Role): Promise<Client> {
  const { token } = await site.rest<{ token: string }>(role, 'POST', '/ai-chat/statement')
  return exchange(stage.origin, site.origin, token)
}

/** The newest title and text of a post, and who made the version. */
async function newest(uid: number) {
  const { title, body, changedBy } = await site.rest<Record<string, unknown>>(
    'admin',
    'GET',
    `/posts/${uid}?draft=true&depth=0`,
  )
  return [title, JSON.stringify(body).match(/\d+ EUR/)?.[0], changedBy]
}

const paragraph = (text: string) => ({
  root: {
    type: 'root',
    children: [{ type: 'paragraph', version: 1, children: [{ type: 'text', text, version: 1 }] }],
  },
})

const table = 'events'
const update = (uid: number, fields: object) => ({
  name: 'update_record',
  arguments: { table, uid, fields },
})
const quoted = {
  root: { type: 'root', children: [{ type: 'block', fields: { blockType: 'quote', line: 'Light!' } }] },
}
const insertion = (uid: number, at: string) => ({
  name: 'change_parts',
  arguments: { table, uid, parts: [{ field: 'steps', act: 'insert', at, value: { name: 'Dance' } }] },
})
const creation = (fields: object) => ({ name: 'create_records', arguments: { table, records: [fields] } })

describe.skipIf(missing !== undefined)('Payload with a stage', () => {
  beforeAll(async () => {
    const port = await freePort('localhost')
    const code = newCode(`http://127.0.0.1:${port}`)
    folder = await mkdtemp(join(tmpdir(), 'ai-chat-payload-'))
    ;[api, site] = await Promise.all([startMessagesApi(), startSite({ code })])
    await keepConnection(folder, { url: site.base, code, groups: ['editor', 'author'] })
    const model = { ANTHROPIC_API_KEY: api.key, ANTHROPIC_BASE_URL: api.url }
    stage = await startStage({ folder, env: { PORT: String(port), ...model } })
  })
  beforeEach(() => api.reset())
  afterAll(async () => {
    await stage?.stop()
    await site?.close()
    await api?.stop()
    await rm(folder, { recursive: true, force: true })
  })

  test('a change is proposed in words, made when it is approved, named, and taken back', async () => {
    const fields = { title: 'Aurora', body: paragraph('The lamp costs 149 EUR.') }
    const uid = (await site.rest('editor', 'POST', '/posts', fields)).doc.id
    const edits = [{ field: 'body', find: '149 EUR', replace: '139 EUR' }]
    const title = { table: 'posts', uid, fields: { title: 'Aurora, the lamp' } }
    const calls = [
      { name: 'update_record', arguments: title },
      { name: 'replace_text', arguments: { table: 'posts', uid, edits } },
    ]
    api.reply({ calls }, { text: 'The price is new.' })
    const editor = await enter('editor')

    const asked = await editor.ask('Change the price, please')
    const { digest = '', calls: proposed = [] } = asked.pendingApproval ?? {}
    const changes = proposed.flatMap(({ preview }) => preview?.changes ?? [])
    // Of rich text the person reads what it says; the nodes are beside it.
    const read = changes.map(({ field, before, after, readable }) => [
      field,
      readable?.before ?? before,
      readable?.after ?? after,
    ])
    expect(read).toEqual([
      ['title', 'Aurora', 'Aurora, the lamp'],
      ['body', 'The lamp costs 149 EUR.', 'The lamp costs 139 EUR.'],
    ])
    expect(await newest(uid)).toEqual(['Aurora', '149 EUR', 'Editor'])

    const conversationId = asked.conversation.id
    await editor.post('/ai-chat/conversations/approve', { conversationId, digest, approve: true })
    const done = await editor.until(conversationId, ({ conversation }) => conversation.status === 'idle')
    expect(done.messages.at(-1)?.content).toBe('The price is new.')
    expect(await newest(uid)).toEqual(['Aurora, the lamp', '139 EUR', 'Editor, through the assistant'])

    const runId = done.messages.find(({ runId }) => runId)?.runId
    await editor.post('/ai-chat/conversations/undo', { conversationId, runId })
    expect(await newest(uid)).toEqual(['Aurora', '149 EUR', 'Editor, through the assistant'])
  })

  test.each([
    ['a row behind another', (uid: number, at: string) => insertion(uid, at)],
    ['rows without ids', (uid: number) => update(uid, { steps: [{ name: 'Speech' }, { name: 'Dance' }] })],
    ['a link', (uid: number) => update(uid, { text: 'See [us](https://www.example.com).' })],
    ['a block in a text', (uid: number) => update(uid, { text: quoted })],
    ['a title, over hooks that stamp a time', (uid: number) => update(uid, { title: 'Ball' })],
    ['a new record with rows', () => creation({ title: 'Fair', steps: [{ name: 'Speech' }] })],
  ])('%s: what is approved is stored, and taken back', async (_what, callOf) => {
    const fields = { title: 'Gala', steps: [{ name: 'Doors', hours: 1 }] }
    const { doc } = await site.rest('editor', 'POST', '/events', fields)
    const [{ id = '' } = {}] = doc.steps as { id: string }[]
    api.reply({ calls: [callOf(doc.id, id)] }, { text: 'Done.' })
    const editor = await enter('editor')
    const eventNow = async () => {
      const query = '/events?draft=true&depth=0&sort=-id&limit=1'
      const { docs } = await site.rest<{ docs: Record<string, unknown>[] }>('admin', 'GET', query)
      const [{ title, text, steps } = {}] = docs
      return JSON.stringify([title, text, steps])
    }
    const before = await eventNow()

    const asked = await editor.ask('Change the event, please')
    const { digest = '', calls = [] } = asked.pendingApproval ?? {}
    const changes = calls.flatMap(({ preview }) => preview?.changes ?? [])
    expect(changes.map(({ field }) => field).filter((field) => /stampedAt|mark/.test(field))).toEqual([])
    const conversationId = asked.conversation.id
    await editor.post('/ai-chat/conversations/approve', { conversationId, digest, approve: true })
    const done = await editor.until(conversationId, isOver)

    expect(done.pendingApproval ?? null).toBeNull()
    expect(done.messages.at(-1)?.content).toBe('Done.')
    expect(await eventNow()).not.toBe(before)
    const rows = changes.find(({ field, before }) => field === 'steps' && before !== null)?.after
    for (const id of rows?.match(/[0-9a-f]{24}/g) ?? []) expect(await eventNow()).toContain(id)
    const runId = done.messages.find(({ runId }) => runId)?.runId
    await editor.post('/ai-chat/conversations/undo', { conversationId, runId })
    expect(await eventNow()).toBe(before)
  })

  test('a person with fewer rights is refused, and learns nothing', async () => {
    const uid = (await site.rest('editor', 'POST', '/posts', { title: 'Secret plans' })).doc.id
    const proposal = { table: 'posts', uid, fields: { title: 'Mine' } }
    api.reply(
      { calls: [{ name: 'get_record', arguments: { table: 'posts', uid } }] },
      { calls: [{ name: 'update_record', arguments: proposal }] },
      { text: 'You may not do that.' },
    )

    const { pendingApproval, messages } = await (await enter('author')).ask('Rename it')

    expect(pendingApproval ?? null).toBeNull()
    expect(messages.at(-1)?.content).toBe('You may not do that.')
    expect(JSON.stringify(api.requests.at(-1)?.body.messages)).not.toContain('Secret plans')
    expect(JSON.stringify(api.requests.at(-1)?.body.messages)).toContain(`There is no record ${uid}`)
  })

  test('a logout of Payload ends the session in the chat', async () => {
    const author = await enter('author')
    expect((await author.get('/backend/session')).status).toBe(200)

    await site.rest('author', 'POST', '/users/logout')

    expect((await author.get('/backend/session')).status).toBe(401)
  })
})
