import { afterAll, beforeAll, expect, test } from 'vitest'
import { numbered } from '../../../core/cms/user-number/user-number.ts'
import { exchange } from '../../../core/user/session/exchange.ts'
import { bridged, turnOfThree } from '../../support/bridge.ts'
import { type Bench, startBench } from '../../support/live.ts'
import { exchanging, statement } from '../../support/statement.ts'
import { textId, withTextIds } from '../../support/text-ids.ts'
import { textUser, withTextUsers } from '../../support/text-users.ts'

let bench: Bench
let served: string[]

beforeAll(async () => {
  bench = await startBench()
  const over = bridged(bench.site.cms)
  bench.live.cms = over.cms
  served = over.served
})
afterAll(() => bench.stop())

test('a turn of two reads and one write is at most 12 requests to a CMS elsewhere', async () => {
  await turnOfThree(bench)

  // Who acts is asked with each request that changes something, at the start of the turn, along with each read, and
  // right before each write.
  expect(served.length).toBeLessThanOrEqual(12)
  expect(served).toEqual([
    'user',
    'user + page + capabilities + languages',
    'page + pageContent + user',
    'record + tables + user',
    'page',
    'user + put',
    'record',
    'user',
    'record',
    'user + page',
    'user + put',
    'put',
  ])
})

test('a user whose id is a text plays a whole turn: login, read, propose, approve, take back', async () => {
  const over = bridged(withTextUsers(bench.site.cms))
  bench.live.cms = over.cms
  const now = bench.clock.now()
  const started = await exchange(over.cms, exchanging, await statement(textUser(2), now), now)
  const { uid } = started.user
  const editor = bench.enter(started)
  const before = await bench.field('news', 3)
  const change = { table: 'news', uid: 3, fields: { title: 'By a text' } }
  bench.api.reply({ calls: [{ name: 'get_record', arguments: { table: 'news', uid: 3 } }] })
  bench.api.reply({ calls: [{ name: 'update_record', arguments: change }] })
  bench.api.reply({ text: 'Done.' })

  const { conversation } = await editor.turn('Rename it')
  // The consumer of another process.
  bench.live.cms = bridged(withTextUsers(bench.site.cms)).cms
  await editor.decide(conversation.id, true)
  await bench.settle()

  expect(await bench.field('news', 3)).toBe('By a text')
  const { owner, runId } = await bench.row(conversation.id)
  expect([owner, conversation.id]).toEqual([uid, expect.stringMatching(`^${uid}-`)])
  const undone = await editor.post('undo', { conversationId: conversation.id, runId })
  expect(undone.body).toEqual({ undone: [{ table: 'news', uid: 3 }], conflicts: [] })
  expect(await bench.field('news', 3)).toBe(before)

  const admin = await over.cms.userNamed(textUser(1))
  const listed = admin ? await over.cms.users(admin) : []
  expect(listed.map((it) => it.uid)).toContain(textUser(2))
  expect((await numbered(listed)).map((it) => [it.uid, it.username])).toContainEqual([uid, 'editor'])
})

test('of a CMS without a page tree, the model gets the open record by its type, and no tool for pages', async () => {
  const { cms } = bench.site
  const flat = { ...(await cms.capabilities()), tree: null }
  const over = bridged({ ...cms, capabilities: async () => flat })
  bench.live.cms = over.cms
  const editor = await bench.login('editor')
  bench.api.reply({ text: 'Read.' })

  await editor.turn('What is this?', { viewContext: { pageId: 2, table: 'news', module: 'page' } })

  const asked = bench.api.requests.at(-1)?.body
  const title = await bench.field('news', 2)
  expect(over.served).toContain('user + record + capabilities + languages')
  expect(JSON.stringify(asked?.system)).toContain(`Open record: news [2] ${title}`)
  expect(JSON.stringify(asked?.system)).not.toContain('Selected page')
  const names = asked?.tools?.map(({ name }) => name)
  expect(names).toContain('get_record')
  expect(names).not.toContain('check_site')
})

test('a CMS whose ids are UUIDs plays a whole turn: read, propose, approve, take back', async () => {
  bench.live.cms = bridged(withTextIds(bench.site.cms)).cms
  const editor = await bench.login('editor')
  const [page, news] = [textId(3), textId(2)]
  const before = await bench.field('news', 2)
  const asked = bench.api.requests.length
  const call = (name: string, args: object) => ({ calls: [{ name, arguments: args }] })
  const change = { table: 'news', uid: news, fields: { title: 'By its UUID' } }
  bench.api.reply(
    call('get_page_tree', {}),
    call('get_page_content', { page }),
    call('get_record', { table: 'news', uid: news }),
    call('update_record', change),
    { text: 'Done.' },
  )

  const viewContext = { pageId: 0, page, module: 'page' }
  const paused = await editor.turn('Rename it', { viewContext })
  const { id } = paused.conversation
  expect([(await bench.row(id)).viewContext, paused.pendingApproval?.calls[0]?.preview]).toMatchObject([
    viewContext,
    { table: 'news', uid: news, changes: [{ field: 'title', before, after: 'By its UUID' }] },
  ])

  await editor.decide(id, true)
  await bench.settle()
  expect(await bench.field('news', 2)).toBe('By its UUID')
  const { messages } = await editor.poll(id)
  const rows = messages.filter(({ role }) => role === 'tool')
  expect(rows.map(({ outcome, records }) => [outcome, records?.[0]?.uid])).toEqual([
    ['done', textId(1)],
    ['done', page],
    ['done', news],
    ['done', news],
  ])
  const [first] = bench.api.requests.slice(asked)
  expect(JSON.stringify(first?.body.system)).toContain(`[${page}]`)
  const schema = first?.body.tools?.find(({ name }) => name === 'get_record')?.input_schema
  expect(schema).toMatchObject({ properties: { uid: { type: 'string' } } })

  const undone = await editor.post('undo', { conversationId: id, runId: rows[0]?.runId })
  expect(undone.body).toEqual({ undone: [{ table: 'news', uid: news }], conflicts: [] })
  expect(await bench.field('news', 2)).toBe(before)
})
