import { beforeAll, describe, expect, test } from 'vitest'
import { ToolError } from '../../../../core/base/error.ts'
import { version } from '../../../../core/base/version.ts'
import { bridge } from '../../../../core/cms/bridge/bridge.ts'
import { ask as askLine } from '../../../../core/cms/bridge/line.ts'
import { answer, type BridgeRequest } from '../../../../core/cms/bridge/server.ts'
import { headers, sign } from '../../../../core/cms/bridge/signature.ts'
import type { Change } from '../../../../core/cms/change.ts'
import type { Cms } from '../../../../core/cms/cms.ts'
import { look } from '../../../../core/cms/picture.ts'
import { seedPictures } from '../../../../infra/local/seed/content.ts'
import { seededCms } from '../../../support/cms.ts'
import { brief, makeChange, showChange } from '../../../support/put.ts'

const base = 'https://cms.example/api'
const key = 'the key that both sides have'

type Seeded = Awaited<ReturnType<typeof seededCms>>
let seeded: Seeded
let served: BridgeRequest[] = []
const spent = new Set<string>()

const options = {
  base,
  keys: new Map([
    ['old', 'a key that is being replaced'],
    ['new', key],
  ]),
  spend: async (nonce: string) => !spent.has(nonce) && Boolean(spent.add(nonce)),
  now: Date.now,
}

/** The network between both ends: what is sent is what is served. */
const wire: typeof fetch = async (address, init) => {
  const request = {
    operation: String(address).slice(`${base}/aic/v2/`.length),
    headers: Object.fromEntries(new Headers(init?.headers)),
    body: String(init?.body),
  }
  served.push(request)
  const { status, body } = await answer(seeded.cms, options, request)
  return new Response(body, { status })
}

/** Another name of the same CMS. */
const elsewhere: typeof fetch = (address, init) =>
  wire(String(address).replace('https://another.example', base), init)
const ask = (operation: string, user: number, input: unknown) =>
  askLine({ url: base, keyId: 'new', secret: key, fetch: wire }, operation, user, input)
const connect = (secret = key, fetch = wire) => bridge({ url: base, keyId: 'new', secret, fetch })
let over: Cms

beforeAll(async () => {
  seeded = await seededCms(Date.now())
  over = connect()
  await seedPictures()
})

const price: Change = { table: 'pages', uid: 3, fields: { title: 'Aurora lamp, new' } }

const shown = (seen: Awaited<ReturnType<typeof look>>) =>
  typeof seen === 'string' ? seen : { ...seen, bytes: Buffer.from(seen.bytes).toString('base64') }

/** One question per operation, asked of both: the bridge must answer exactly as the CMS behind it. */
const questions: [string, (cms: Cms, seeded: Seeded) => Promise<unknown>][] = [
  ['capabilities', (cms) => cms.capabilities()],
  ['user', (cms) => cms.user(2)],
  ['no user', (cms) => cms.user(999)],
  ['languages', (cms) => cms.languages()],
  ['page', (cms, { editor }) => cms.page(editor, { uid: 3 })],
  ['a page that the user may not see', (cms, { editor }) => cms.page(editor, { uid: 11 })],
  ['page tree', (cms, { editor }) => cms.pageTree(editor, { root: 1, depth: 3, limit: 50 })],
  ['page content', (cms, { editor }) => cms.pageContent(editor, { uid: 3 })],
  ['no page content', (cms, { editor }) => cms.pageContent(editor, { uid: 11 })],
  ['tables', (cms, { autorin }) => cms.tables(autorin)],
  ['search', (cms, { editor }) => cms.search(editor, { text: 'Aurora', limit: 5 })],
  ['search in a table', (cms, { editor }) => cms.search(editor, { text: 'a', table: 'news', limit: 5 })],
  ['list', (cms, { editor }) => cms.list(editor, { table: 'news', limit: 5, offset: 1 })],
  [
    'list of a page',
    (cms, { editor }) => cms.list(editor, { table: 'content', page: 3, limit: 5, offset: 0 }),
  ],
  ['no list', (cms, { editor }) => cms.list(editor, { table: 'be_users', limit: 5, offset: 0 })],
  ['record', (cms, { editor }) => cms.record(editor, { table: 'pages', uid: 3 })],
  ['no record', (cms, { editor }) => cms.record(editor, { table: 'pages', uid: 999 })],
  ['a picture', async (cms, { editor }) => shown(await look(cms, editor, 'media', 1))],
  [
    'a picture of a record that has none',
    (cms, { editor }) => cms.picture(editor, { table: 'pages', uid: 3 }),
  ],
  ['a picture that is not there', (cms, { editor }) => cms.picture(editor, { table: 'media', uid: 999 })],
  ['history', (cms, { editor }) => cms.history(editor, { table: 'pages', uid: 3, limit: 10 })],
  ['log', (cms, { admin }) => cms.log(admin, { level: 'warning', limit: 10 })],
  ['log of a user', (cms, { editor }) => cms.log(editor, { level: 'debug', limit: 10 })],
  ['exceptions', (cms, { admin }) => cms.log(admin, { level: 'debug', exceptions: true, limit: 5 })],
  ['users', (cms, { admin }) => cms.users(admin)],
  ['preview', (cms, { editor }) => showChange(cms, editor, price, [])],
]

test.each(questions)('%s reads over the bridge as in the CMS itself', async (_name, ask) => {
  const direct = await ask(seeded.cms, seeded)

  expect(await ask(over, seeded)).toEqual(direct)
})

test('a put happens once, gets the same answer again, and says what was there', async () => {
  const { editor } = seeded
  const { versions } = await showChange(over, editor, price)
  const asked = { put: price, key: 'run-b#call#hash', correlationId: 'run-b', versions, now: Date.now() }

  const [first, again] = [await over.put(editor, asked), await over.put(editor, asked)]

  expect(brief(first)).toMatchObject({ state: 'done', table: 'pages', uid: 3, changed: ['title'] })
  expect(first).toMatchObject({
    before: { record: { fields: { title: 'Aurora lamp' } } },
    after: { record: await seeded.cms.record(editor, { table: 'pages', uid: 3 }) },
  })
  expect(brief(again)).toEqual(brief(first))
  expect(await over.settle(editor, { key: asked.key })).toEqual(again)
  const back = { ...price, fields: { title: 'Aurora lamp' } }
  await makeChange(over, editor, back, { ...asked, key: 'back', versions: [] })
  expect((await over.page(editor, { uid: 3 }))?.title).toBe('Aurora lamp')
})

test('a put that never came is void, and stays so', async () => {
  const { editor } = seeded
  const { versions } = await showChange(over, editor, price)

  expect(await over.settle(editor, { key: 'run-c#call#hash' })).toEqual({ state: 'void' })
  expect(
    await makeChange(over, editor, price, {
      key: 'run-c#call#hash',
      correlationId: 'run-c',
      versions,
      now: Date.now(),
    }),
  ).toEqual({ state: 'void' })
})

test('a refusal of the CMS is the same sentence for the model', async () => {
  const { guest } = seeded
  const told = async (cms: Cms) => showChange(cms, guest, price, []).catch((error: unknown) => error)

  expect(await told(over)).toBeInstanceOf(ToolError)
  expect(await told(over)).toEqual(await told(seeded.cms))
})

describe('a request is refused', () => {
  const send = async (change: (request: BridgeRequest) => BridgeRequest) => {
    served = []
    await over.page(seeded.editor, { uid: 3 })
    const [last] = served
    spent.clear()
    return answer(seeded.cms, options, change(last as BridgeRequest))
  }
  const withHeader = (name: string, value: string | undefined) => (request: BridgeRequest) => ({
    ...request,
    headers: { ...request.headers, [name]: value },
  })

  test('not at all when it comes as it was signed', async () => {
    expect((await send((request) => request)).status).toBe(200)
  })

  test.each<[string, (request: BridgeRequest) => BridgeRequest]>([
    ['for another user', withHeader(headers.user, '1')],
    ['under another key', withHeader(headers.key, 'old')],
    ['under a key that is not known', withHeader(headers.key, 'none')],
    ['with another time', withHeader(headers.time, String(Date.now() - 1))],
    ['without a signature', withHeader(headers.signature, undefined)],
    ['with another body', (request) => ({ ...request, body: '{"uid":11}' })],
    ['for another operation', (request) => ({ ...request, operation: 'page-content' })],
  ])('%s', async (_what, change) => {
    expect((await send(change)).status).toBe(401)
  })

  test('when it comes twice', async () => {
    served = []
    await over.page(seeded.editor, { uid: 3 })

    expect((await answer(seeded.cms, options, served[0] as BridgeRequest)).status).toBe(401)
  })

  test.each([-61_000, 61_000])('when its clock is %i ms off', async (off) => {
    const body = '{}'
    const signed = {
      base,
      operation: 'languages',
      keyId: 'new',
      nonce: `nonce-of-time-${off}`,
      user: 0,
      body,
    }
    const now = Date.now()
    const time = now + off
    const given = {
      [headers.key]: 'new',
      [headers.time]: String(time),
      [headers.nonce]: signed.nonce,
      [headers.user]: '0',
      [headers.signature]: sign(key, { ...signed, time }),
    }

    const then = { ...options, now: () => now }
    expect((await answer(seeded.cms, then, { operation: 'languages', headers: given, body })).status).toBe(
      401,
    )
  })

  test('for a user who is gone', async () => {
    await expect(over.page({ ...seeded.editor, uid: 999 }, { uid: 3 })).rejects.toMatchObject({
      code: 'access.denied',
    })
  })

  test('with a wrong key, as a failure and not as an empty answer', async () => {
    await expect(connect('another key').page(seeded.editor, { uid: 3 })).rejects.toMatchObject({
      code: 'cms.misconfigured',
      message: expect.stringContaining('another key or another base address'),
    })
  })
})

describe('what is asked at the same time for one user is one request', () => {
  const operations = () => served.map(({ operation, headers: { [headers.user]: user } }) => [operation, user])

  test('and answered as it would be alone', async () => {
    const { editor } = seeded
    served = []

    const [user, page, none, refusal] = await Promise.all([
      over.user(2),
      over.page(editor, { uid: 3 }),
      over.record(editor, { table: 'pages', uid: 999 }),
      showChange(over, editor, { ...price, uid: 11 }).catch((error: unknown) => error),
    ])

    expect(operations()).toEqual([['batch', '2']])
    expect([user, page, none]).toEqual([
      await seeded.cms.user(2),
      await seeded.cms.page(editor, { uid: 3 }),
      undefined,
    ])
    expect(refusal).toBeInstanceOf(ToolError)
  })

  test('for each user on their own', async () => {
    served = []

    await Promise.all([
      over.page(seeded.editor, { uid: 3 }),
      over.page(seeded.admin, { uid: 3 }),
      over.tables(seeded.editor),
    ])

    expect(operations().sort()).toEqual([
      ['batch', '2'],
      ['page', '1'],
    ])
  })

  test('and more than a batch holds are several', async () => {
    served = []

    await Promise.all(Array.from({ length: 21 }, () => over.page(seeded.editor, { uid: 3 })))

    expect(operations()).toEqual([
      ['batch', '2'],
      ['page', '2'],
    ])
  })

  test('but a write, which goes alone', async () => {
    const calls = [{ operation: 'settle', input: { key: 'run-z#call#hash' } }]

    expect(await ask('batch', 2, { calls })).toEqual([
      { error: { code: 'request.invalid', message: 'settle is asked alone.' } },
    ])
  })
})

test('an actor of some age is asked for again only when asked afresh, and the languages once', async () => {
  const fresh = connect()
  served = []

  await fresh.user(2)
  await fresh.user(2, 30_000)
  await fresh.user(2)
  await fresh.languages()
  await fresh.languages()

  expect(served.map(({ operation }) => operation)).toEqual(['user', 'user', 'languages'])
})

test('hello tells what the CMS takes for its base, its time, the key and the versions, without a base of its own', async () => {
  const line = { url: 'https://another.example', keyId: 'new', secret: key, fetch: elsewhere }

  expect(await askLine(line, 'hello', 0, {})).toEqual({
    base,
    time: expect.any(Number),
    keyId: 'new',
    name: 'Reference CMS',
    version,
    protocols: [2],
  })
})

describe('a CMS that answers for a picture', () => {
  const answering = (body: string) =>
    connect(key, async () => new Response(body)).picture(seeded.editor, { table: 'media', uid: 1 })
  const told = (result: unknown) => answering(JSON.stringify({ result }))

  test.each([
    ['what is not base64', { state: 'there', base64: '<img src=x>!' }],
    ['an address', { state: 'there', url: 'https://another.example/a.png' }],
    ['another state', { state: 'later' }],
  ])('%s is wrongly set up', async (_what, result) => {
    await expect(told(result)).rejects.toMatchObject({ code: 'cms.misconfigured' })
  })

  test('more than an answer may hold is asked for less', async () => {
    const base64 = 'A'.repeat(20 * 1024 * 1024)

    await expect(told({ state: 'there', base64 })).rejects.toThrow(/larger than 4 MB/)
  })

  test('another kind of file than it says shows nothing', async () => {
    const base64 = Buffer.from('<html>').toString('base64')
    const cms = connect(key, async () =>
      Response.json({ result: { state: 'there', mimeType: 'image/png', base64 } }),
    )

    expect(await look(cms, seeded.editor, 'media', 1)).toBe('none')
  })
})

test.each([
  [
    'says so',
    () => Response.json({ error: { code: 'answer.tooLarge', message: 'It is too large.' } }, { status: 422 }),
  ],
  ['sends it', () => Response.json({ result: 'A'.repeat(5 * 1024 * 1024) })],
])('a turn begins without its open record if that is too large and the CMS %s', async (_, large) => {
  const cms = connect(key, async (address, init) =>
    String(init?.body).includes('"table":"news"') ? large() : wire(address, init),
  )

  expect(await cms.opening(seeded.editor.uid, 2, 'news')).toMatchObject({
    actor: seeded.editor,
    record: undefined,
  })
})
