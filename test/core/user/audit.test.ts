import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { ports } from '../../../core/ports.ts'
import { AuditEntry, entries } from '../../../core/user/audit.ts'
import { http } from '../../../functions/http/http.ts'
import { sessionRoutes } from '../../../functions/routes/session.ts'
import { call } from '../../support/call.ts'
import { type Bench, startBench, startedAt } from '../../support/live.ts'
import { scan } from '../../support/scan.ts'
import { exchanging, statement } from '../../support/statement.ts'

let bench: Bench
/** Logins with passwords, on the clock of the bench. */
const door = http(sessionRoutes, () => ({ ...ports(), clock: bench.clock }))

beforeAll(async () => {
  bench = await startBench()
})
beforeEach(async () => {
  // A day of its own for each test.
  await bench.clock.pass(86_400_000)
  bench.api.reset()
  bench.api.always({ text: 'Answer.' })
})
afterAll(() => bench.stop())

/** The entries of the day, the oldest first. */
async function audit(uid?: number): Promise<AuditEntry[]> {
  const found: AuditEntry[] = []
  const day = new Date(bench.clock.now()).toISOString().slice(0, 10)
  for await (const entry of entries(day, uid)) found.push(AuditEntry.parse(entry))
  return found
}
const told = ({
  activity_name,
  status_id,
  status_code,
  actor,
  api,
  src_endpoint,
  resources,
}: AuditEntry) => ({
  what: activity_name,
  by: actor.user.uid,
  from: src_endpoint.name,
  ...(status_id === 2 && { refused: status_code }),
  ...(api && { api: api.operation }),
  ...(resources && { resources: resources.map(({ type, uid }) => `${type} ${uid}`) }),
})

const login = (username: string, password: string) =>
  call(door, '/backend/login', { body: { username, password } })

test('knows who logged in and out, and who was refused at the door', async () => {
  const { status, cookies, body } = await login('editor', 'demo')
  await login('editor', 'what I typed instead')
  await call(door, '/backend/logout', {
    body: {},
    cookies,
    headers: { 'x-csrf-token': (body as { csrfToken: string }).csrfToken },
  })

  expect(status).toBe(200)
  const found = await audit()
  expect(found.map(told)).toEqual(
    expect.arrayContaining([
      { what: 'Logon', by: '2', from: 'web' },
      { what: 'Logon', by: undefined, from: 'web', refused: 'login.failed' },
      { what: 'Logoff', by: '2', from: 'web' },
    ]),
  )
  expect(found).toHaveLength(3)
  expect(JSON.stringify(found)).not.toContain('typed')
})

test('knows who logged out in the CMS, once, and nobody who had no session here', async () => {
  await bench.configure({ exchange: exchanging })
  const send = async (path: string, sub: string, more: { sid: string; use?: string }) =>
    call(door, `/backend/${path}`, { body: { token: await statement(sub, bench.clock.now(), more) } })
  await send('exchange', '2', { sid: 'one' })
  for (const sub of ['2', '2', '3']) await send('exchange/end', sub, { sid: 'one', use: 'end' })
  await bench.configure()

  expect((await audit()).map(told)).toEqual(
    expect.arrayContaining([
      { what: 'Logon', by: '2', from: 'web' },
      { what: 'Logoff', by: '2', from: 'web' },
    ]),
  )
  expect(await audit()).toHaveLength(2)
})

test('knows of a statement that would have ended sessions and was refused', async () => {
  await bench.configure({ exchange: exchanging })
  const token = await statement('2', bench.clock.now(), { sid: 'one' })
  const { status } = await call(door, '/backend/exchange/end', { body: { token } })
  await bench.configure()

  const found = await audit()
  expect([status, found.map(told), found[0]?.status_detail]).toEqual([
    401,
    [
      {
        what: 'Refuse',
        by: undefined,
        from: 'web',
        refused: 'login.failed',
        api: 'POST /backend/exchange/end',
      },
    ],
    'it has no use: end',
  ])
})

test('knows why a statement of the CMS was refused, which the answer does not say', async () => {
  const { status, body } = await call(door, '/backend/exchange', { body: { token: 'what the page sent' } })

  expect({ status, body }).toMatchObject({ status: 401, body: { error: { code: 'login.failed' } } })
  const found = await audit()
  expect(found.map(({ status_code, status_detail }) => [status_code, status_detail])).toEqual([
    ['login.failed', 'the settings of the stage have no exchange'],
  ])
  expect(JSON.stringify([body, found])).not.toContain('page sent')
})

test('knows who approved, what changed and who took it back, and none of the contents', async () => {
  const editor = await bench.login('editor')
  const fields = { title: 'A very private title' }
  bench.api.reply({ calls: [{ name: 'update_record', arguments: { table: 'news', uid: 2, fields } }] })
  const { id } = (await editor.turn('A very private question')).conversation
  await editor.decide(id, true)
  await bench.clock.pass(1)
  await bench.settle()
  const { runId } = await bench.row(id)
  await bench.clock.pass(1)
  await editor.post('undo', { conversationId: id, runId })
  await bench.clock.pass(1)
  await editor.get('/conversations/export', { conversationId: id, format: 'json' })

  const found = await audit(2)
  expect(found.map(told)).toEqual([
    { what: 'Approve', by: '2', from: 'web', api: 'approve', resources: [`conversation ${id}`, 'news 2'] },
    { what: 'Update', by: '2', from: 'consumer', api: 'update_record', resources: ['news 2'] },
    { what: 'Undo', by: '2', from: 'web', api: 'undo', resources: [`conversation ${id}`] },
    { what: 'Read', by: '2', from: 'web', api: 'export', resources: [`conversation ${id}`] },
  ])
  expect(found.slice(0, 3).map(({ metadata }) => metadata.correlation_uid)).toEqual([runId, runId, runId])
  expect(JSON.stringify(found)).not.toContain('private')
})

test('knows an undo of many records, which a consumer does, once', async () => {
  const editor = await bench.login('editor')
  const changes = Array.from({ length: 12 }, (_, at) => ({ uid: at + 1, fields: { teaser: 'New' } }))
  bench.api.reply({ calls: [{ name: 'update_records', arguments: { table: 'news', changes } }] })
  const { id } = (await editor.turn('Change them')).conversation
  await editor.decide(id, true)
  await bench.settle()
  const { runId } = await bench.row(id)

  expect((await editor.post('undo', { conversationId: id, runId })).status).toBe(202)
  await bench.settle()

  const undos = (await audit(2)).map(told).filter(({ what }) => what === 'Undo')
  expect(undos).toEqual([
    { what: 'Undo', by: '2', from: 'web', api: 'undo', resources: [`conversation ${id}`] },
  ])
})

test('knows a decision once, however often its request is repeated', async () => {
  const editor = await bench.login('editor')
  const fields = { title: 'Never' }
  bench.api.reply({ calls: [{ name: 'update_record', arguments: { table: 'news', uid: 2, fields } }] })
  const { id } = (await editor.turn('Change it')).conversation
  const { pendingApproval } = await editor.poll(id)
  const verdict = { conversationId: id, digest: pendingApproval?.digest, approve: false }
  await editor.post('approve', verdict, { key: 'once' })
  await editor.post('approve', verdict, { key: 'once' })

  expect((await audit()).map(({ activity_name }) => activity_name)).toEqual(['Decline'])
})

test('knows of one decision which records were approved and which declined, and of none approved where all ticks are gone', async () => {
  const editor = await bench.login('editor')
  const rename = (uid: number) => ({
    name: 'update_record',
    arguments: { table: 'news', uid, fields: { title: `Renamed ${uid}` } },
  })
  const decide = async (untick: number[]) => {
    await bench.settle()
    bench.api.reply({ calls: [rename(1), rename(2)] })
    const { id } = (await editor.turn('Change them')).conversation
    const { pendingApproval } = await editor.poll(id)
    const denied = untick.map((at) => pendingApproval?.calls[at]?.id)
    const digest = pendingApproval?.digest
    await editor.post('approve', { conversationId: id, digest, approve: true, denied })
    const of = `conversation ${id}`
    const found = (await audit(2)).map(told).filter(({ resources }) => resources?.includes(of))
    return found.map(({ what, resources }) => [what, ...(resources?.filter((one) => one !== of) ?? [])])
  }

  expect(await decide([0, 1])).toEqual([['Decline', 'news 1', 'news 2']])
  expect((await decide([1])).toSorted()).toEqual([
    ['Approve', 'news 1'],
    ['Decline', 'news 2'],
  ])
})

test('knows a refusal once a minute, whatever a client tries', async () => {
  const guest = await bench.login('guest')
  for (let time = 0; time < 3; time++) await guest.post('send', { content: 'Let me in' })
  await bench.clock.pass(60_000)
  await guest.post('send', { content: 'Let me in' })

  const refused = {
    what: 'Refuse',
    by: '4',
    from: 'web',
    refused: 'access.denied',
    api: 'POST /ai-chat/conversations/send',
  }
  expect((await audit()).map(told)).toEqual([refused, refused])
})

test('has the names and numbers of OCSF, and is kept as long as the settings say', async () => {
  await bench.configure({ retainAuditDays: 10 })
  await login('editor', 'demo')
  await bench.configure({ retainAuditDays: null })
  await bench.clock.pass(1_000)
  await login('admin', 'demo')
  await bench.configure()

  const [first] = await audit()
  const now = bench.clock.now()
  expect(first).toEqual({
    metadata: {
      version: '1.3.0',
      uid: expect.any(String),
      product: { name: 'backend-ai-chat', version: expect.any(String) },
    },
    time: now - 1_000,
    class_uid: 3002,
    category_uid: 3,
    activity_id: 1,
    activity_name: 'Logon',
    type_uid: 300_201,
    severity_id: 1,
    status_id: 1,
    actor: { user: { uid: '2', type_id: 1 } },
    user: { uid: '2', type_id: 1 },
    src_endpoint: { name: 'web', ip: expect.any(String) },
  })
  const day = new Date(now).toISOString().slice(0, 10)
  const kept = (await scan()).filter(({ pk }) => pk === `audit#${day}`).map((row) => row.expires_at)
  expect(kept).toEqual([Math.ceil((now - 1_000) / 1000) + 10 * 86_400, undefined])
  expect(now).toBeGreaterThan(startedAt)
})
