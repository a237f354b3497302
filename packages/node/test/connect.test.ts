import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { type AddressInfo, connect as connectTo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { Actor } from '../../../core/base/actor.ts'
import { ToolError } from '../../../core/base/error.ts'
import { inspect } from '../../../core/cms/bridge/hello.ts'
import { newCode, type Pairing, pairingOf } from '../../../core/cms/bridge/pairing.ts'
import { sign } from '../../../core/cms/bridge/signature.ts'
import type { Cms, Put } from '../../../core/cms/cms.ts'
import type { Adapter, Entry } from '../src/adapter.ts'
import { cmsOf } from '../src/cms.ts'
import { connect, Refused } from '../src/connect.ts'
import { keyFiles } from '../src/key-files.ts'

const anna = { id: 'u-anna', username: 'anna', name: 'Anna', isAdmin: false, groups: ['editor'], lang: 'en' }
const title = { name: 'title', label: 'Title', kind: 'text' as const }
const status = { name: 'status', label: 'Status', kind: 'select' as const, options: ['draft', 'live'] }

/** An adapter with one note and texts as ids; its keys are those of `keys`. */
function adapterOf(over: Partial<Adapter> = {}, keys = new Map<string, string>()): Adapter {
  const notes = new Map<unknown, Entry>()
  const note = (id: string, values: object, version = '1'): Entry => ({
    type: 'notes',
    id,
    version,
    changedAt: new Date(0),
    values: { ...values },
    mayEdit: true,
  })
  notes.set('n-1', note('n-1', { title: 'Old', status: 'live' }))
  return {
    name: 'Notes',
    version: '1',
    ids: 'string',
    userIds: 'string',
    publishing: { field: 'status', shown: ['live'], hidden: 'draft' },
    user: async (id) => (id === anna.id ? anna : undefined),
    types: async () => [
      { name: 'notes', label: 'Notes', title: 'title', fields: [title, status], mayModify: true },
    ],
    read: async (_user, _type, id) => notes.get(id),
    list: async () => ({ entries: [...notes.values()], total: notes.size }),
    search: async () => [...notes.values()],
    async put(_user, { id, values }) {
      const [before, at] = [notes.get(id), id ?? randomUUID()]
      notes.set(at, note(String(at), { ...before?.values, ...values }, '2'))
      return notes.get(at)
    },
    keys: {
      add: async (name, text) => !keys.has(name) && Boolean(keys.set(name, text)),
      read: async (name) => keys.get(name),
      set: async (name, text) => void keys.set(name, text),
      remove: async (name) => void keys.delete(name),
    },
    ...over,
  }
}

const actorIn = async (cms: Cms) => (await cms.userNamed(anna.id)) as Actor
const renamed = (fields: object, uid: string | null = 'n-1'): Put => ({
  table: 'notes',
  uid,
  fields: { ...fields },
})

async function make(cms: Cms, put: Put, version = '1') {
  const versions = put.uid === null ? [] : [{ table: 'notes', uid: put.uid, version }]
  return cms.put(await actorIn(cms), { put, key: 'one', correlationId: 'run', versions, now: 0 })
}

test('a request of fetch is answered on the path of the bridge, and on no other', async () => {
  const chat = connect(adapterOf(), {
    code: newCode('http://127.0.0.1:3000'),
    base: 'https://cms.example.com/api',
  })
  const ask = (path: string, method = 'POST') =>
    chat.answer(
      new Request(`https://cms.example.com${path}`, { method, ...(method === 'POST' && { body: '{}' }) }),
    )
  const answered = await ask('/api/aic/v2/hello')

  expect([answered?.status, await answered?.json()]).toEqual([
    401,
    { error: { code: 'request.unsigned', message: 'A header is missing or not valid.' } },
  ])
  expect(
    await Promise.all([ask('/api/other'), ask('/aic/v2/hello'), ask('/api/aic/v2/hello', 'GET')]),
  ).toEqual([undefined, undefined, undefined])
})

describe('a server of node:http', () => {
  /** Sends the text of a request and answers what comes back, or after `hangUp` what `handle` made of it. */
  async function send(text: string, { hangUp = false } = {}) {
    const base = 'https://cms.example.com'
    const chat = connect(adapterOf(), { code: newCode('http://127.0.0.1:3000'), base })
    const handled = Promise.withResolvers<boolean>()
    const server = createServer((request, response) => {
      if (hangUp) client.destroy()
      chat.handle(request, response).then(handled.resolve, handled.reject)
    })
    onTestFinished(() => void server.close())
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const client = connectTo((server.address() as AddressInfo).port, '127.0.0.1')
    onTestFinished(() => void client.destroy())
    client.write(text)
    return handled.promise
  }

  test('an address that cannot be read is left to the CMS', async () => {
    expect(await send('POST // HTTP/1.1\r\nHost: cms.example.com\r\n\r\n')).toBe(false)
  })

  test('a request that breaks off in its body does no harm', async () => {
    const head = 'POST /aic/v2/hello HTTP/1.1\r\nHost: cms.example.com\r\nContent-Length: 100\r\n\r\n{'
    expect(await send(head, { hangUp: true })).toBe(true)
  })
})

test('an error of the CMS is answered with 500, and is in its own log', async () => {
  const log = vi.spyOn(console, 'error').mockReturnValue()
  const error = new TypeError('The database is closed')
  const base = 'https://cms.example.com'
  const code = newCode('http://127.0.0.1:3000')
  const chat = connect(adapterOf({ types: () => Promise.reject(error) }), { code, base })
  const { keyId, bridgeKey } = pairingOf(code) as Pairing
  const asked = { base, operation: 'hello', keyId, time: 1, nonce: 'n'.repeat(16), user: 0, body: '{}' }
  const headers = {
    'x-aic-key': keyId,
    'x-aic-time': '1',
    'x-aic-nonce': asked.nonce,
    'x-aic-user': '0',
    'x-aic-signature': sign(bridgeKey, asked),
  }
  const answered = await chat.answer(
    new Request(`${base}/aic/v2/hello`, { method: 'POST', headers, body: '{}' }),
  )

  expect([answered?.status, await answered?.text()]).toEqual([500, '{}'])
  expect(log.mock.calls).toEqual([['The CMS cannot answer the AI chat.', error]])
})

test.each(['aic2.x', '', undefined])('%j is no pairing code, and is refused at the start', (code) => {
  expect(() => connect(adapterOf(), { code, base: 'https://cms.example.com' })).toThrow(
    new Error('The code of the AI chat is no pairing code.'),
  )
})

test('a slash at the end of the base address is no part of it', async () => {
  const code = newCode('http://127.0.0.1:3000')
  const chat = connect(adapterOf(), { code, base: 'https://cms.example.com/api/' })
  const { keyId, bridgeKey } = pairingOf(code) as Pairing
  const fetch: typeof globalThis.fetch = async (url, init) =>
    (await chat.answer(new Request(url, init))) ?? new Response('', { status: 404 })
  const { faults } = await inspect({ url: 'https://cms.example.com/api', keyId, secret: bridgeKey, fetch })

  expect(faults).toEqual([])
})

test('a preview shows what the check of the CMS leaves of a value, and so is stored', async () => {
  const cms = cmsOf(
    adapterOf({ check: async (_, { values }) => ({ ...values, title: String(values.title).trim() }) }),
  )
  const versions = [{ table: 'notes', uid: 'n-1', version: '1' }]
  const shown = await cms.put(await actorIn(cms), { put: renamed({ title: ' New ' }), dry: true, versions })
  const made = await make(cms, renamed({ title: ' New ' }))

  for (const answer of [shown, made])
    expect(answer).toMatchObject({
      state: 'done',
      uid: 'n-1',
      after: { record: { title: 'New', hidden: false } },
    })
})

test('a new record is hidden, whatever state is asked for', async () => {
  const made = await make(cmsOf(adapterOf()), renamed({ title: 'New', status: 'live' }, null))

  expect(made).toMatchObject({
    state: 'done',
    before: null,
    after: { record: { hidden: true, fields: { status: 'draft' } } },
  })
})

test('a type without the field that hides gets no new records', async () => {
  const types = async () => [
    { name: 'notes', label: 'Notes', title: 'title', fields: [title], mayModify: true },
  ]
  const cms = cmsOf(adapterOf({ types }))

  expect((await cms.capabilities()).writes).toMatchObject({ create: [], remove: [] })
  await expect(make(cms, renamed({ title: 'New' }, null))).rejects.toThrow(
    new ToolError('The assistant makes no new records of notes: the type has no drafts.'),
  )
})

test('members of a field that the kit does not know stay in the CMS', async () => {
  const more = { column: 'secret_column', translated: true, options: ['one'] }
  const types = async () => [
    { name: 'notes', label: 'Notes', title: 'title', fields: [{ ...title, ...more }], mayModify: true },
  ]
  const cms = cmsOf(adapterOf({ types }))
  const fields = [{ ...title, required: false, max: null, readOnly: false, options: ['one'] }]

  expect((await cms.capabilities()).types.map((type) => type.fields)).toEqual([fields])
  expect((await cms.tables(await actorIn(cms))).map((type) => type.fields)).toEqual([fields])
})

test('a refused put leaves no key, so that the same put can be made when nothing refuses it', async () => {
  const keys = new Map<string, string>()
  let isOpen = false
  const { put } = adapterOf()
  const refusing: Adapter['put'] = (user, change) => {
    if (!isOpen) throw new Refused('The house is closed.')
    return put(user, change)
  }
  const cms = cmsOf(adapterOf({ put: refusing }, keys))

  await expect(make(cms, renamed({ title: 'New' }, null))).rejects.toThrow(
    new ToolError('The house is closed.'),
  )
  expect(keys.size).toBe(0)
  isOpen = true
  expect(await make(cms, renamed({ title: 'New' }, null))).toMatchObject({ state: 'done' })
})

test('a transaction takes key and change back together', async () => {
  const keys = new Map<string, string>()
  const transaction: Adapter['transaction'] = async (run) => {
    const before = new Map(keys)
    try {
      return await run()
    } catch (error) {
      keys.clear()
      for (const [name, text] of before) keys.set(name, text)
      throw error
    }
  }
  const cms = cmsOf(
    adapterOf({ transaction, put: () => Promise.reject(new Error('The disk is full')) }, keys),
  )

  await expect(make(cms, renamed({ title: 'New' }))).rejects.toThrow(new Error('The disk is full'))
  expect(keys.size).toBe(0)
})

test('a put whose process ended before its answer is void after a minute', async () => {
  const keys = new Map([[`put:${anna.id}:one`, JSON.stringify({ begunAt: Date.now() - 61_000 })]])

  expect(await make(cmsOf(adapterOf({}, keys)), renamed({ title: 'New' }))).toEqual({ state: 'void' })
})

test.each([
  [
    'the largest size that fits',
    [
      ['image/png', 10],
      ['image/jpeg', 20],
      ['image/png', 3_000_001],
    ],
    'there',
  ],
  ['no size that fits', [['image/png', 3_000_001]], 'tooLarge'],
  ['another kind of file', [['application/pdf', 10]], 'none'],
  ['no file', [], 'none'],
] as [string, [string, number][], string][])('of %s the picture is so', async (_, sizes, state) => {
  const files = sizes.map(([type, bytes]) => ({ type, bytes, read: async () => new Uint8Array([bytes]) }))
  const cms = cmsOf(adapterOf({ files: async () => files }))
  const picture = await cms.picture(await actorIn(cms), { table: 'notes', uid: 'n-1' })

  expect(picture).toEqual(state === 'there' ? { state, base64: 'FA==' } : { state })
  expect(await cms.picture(await actorIn(cms), { table: 'notes', uid: 'gone' })).toBeUndefined()
})

describe('a CMS with a page tree', () => {
  const parent = { name: 'parent', label: 'Page above', kind: 'relation' as const }
  const rows: [string, string, string | null][] = [
    ['home', 'Home', null],
    ['shop', 'Shop', 'home'],
    ['lamps', 'Lamps', 'shop'],
    ['blog', 'Blog', 'home'],
  ]
  const entries = rows.map(([id, words, above]): Entry => {
    const values = { title: words, status: 'live', parent: above }
    return { type: 'pages', id, version: '1', changedAt: new Date(0), values, mayEdit: true }
  })
  const cms = cmsOf(
    adapterOf({
      tree: { type: 'pages', parent: 'parent' },
      types: async () => [
        { name: 'pages', label: 'Pages', title: 'title', fields: [title, status, parent], mayModify: true },
      ],
      read: async (_user, _type, id) => entries.find((it) => it.id === id),
      list: async (_user, _type, { below }) => {
        const found = entries.filter(({ values }) => below === undefined || values.parent === below)
        return { entries: found, total: found.length }
      },
    }),
  )

  test('shows the pages below a page by their titles', async () => {
    const all = await cms.pageTree(await actorIn(cms), { root: 0, depth: 2, limit: 10 })

    expect(all.map(({ uid, depth, hasChildren }) => [uid, depth, hasChildren])).toEqual([
      ['home', 1, true],
      ['blog', 2, false],
      ['shop', 2, true],
    ])
  })

  test('shows a page with its path, and lists the pages directly below it', async () => {
    const actor = await actorIn(cms)
    const page = await cms.page(actor, { uid: 'lamps' })
    const below = await cms.list(actor, { table: 'pages', page: 'home', limit: 10, offset: 0 })

    expect([page?.parent, page?.path.map((it) => it.title)]).toEqual(['shop', ['Home', 'Shop', 'Lamps']])
    expect(below?.records.map(({ uid }) => uid)).toEqual(['shop', 'blog'])
    expect(await cms.page(actor, { uid: 'none' })).toBeUndefined()
  })

  test('shows a new page below the page that is named, and refuses one below nothing', async () => {
    const show = async (pid: string) => {
      const put: Put = { table: 'pages', uid: null, place: { pid }, fields: { title: 'News' } }
      return cms.put(await actorIn(cms), { put, dry: true, versions: [] })
    }

    expect(await show('blog')).toMatchObject({
      page: { uid: 'blog', title: 'Blog' },
      versions: [{ table: 'pages', uid: 'blog', version: '1' }],
      after: { record: { pid: 'blog', fields: { parent: 'blog', status: 'draft' } } },
    })
    await expect(show('none')).rejects.toThrow(new ToolError('There is no page none.'))
  })
})

test('keys that expired are deleted, and not the file that another request is writing', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'key-files-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  for (const name of ['expired', 'another.part']) await writeFile(join(folder, name), '')
  const hourAgo = new Date(Date.now() - 3_600_000)
  await utimes(join(folder, 'expired'), hourAgo, hourAgo)

  await keyFiles(folder).add('nonce:one', '', Date.now() + 60_000)

  expect(await readdir(folder)).toEqual(expect.arrayContaining(['another.part']))
  expect(await readdir(folder)).toHaveLength(2)
})
