import { randomUUID } from 'node:crypto'
import { jwtVerify } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { applyDraftRule } from '../../../core/agent/drafts.ts'
import type { Actor } from '../../../core/base/actor.ts'
import { ToolError } from '../../../core/base/error.ts'
import { bridge } from '../../../core/cms/bridge/bridge.ts'
import { newCode, pairingOf } from '../../../core/cms/bridge/pairing.ts'
import type { Change, PartEdit } from '../../../core/cms/change.ts'
import type { Cms, RealPut } from '../../../core/cms/cms.ts'
import { look } from '../../../core/cms/picture.ts'
import { readable, wordsOf } from '../../../core/cms/readable/readable.ts'
import { runKit } from '../../../scripts/connect/kit/kit-run.ts'
import { type Undoing, undoing } from '../../../scripts/connect/kit/undoing.ts'
import { putChange, showChange } from '../../../test/support/put.ts'
import { install, type Role, type Site, startSite, typeMistakes } from './site.ts'

const [code, earlier] = [newCode('http://127.0.0.1:3000'), newCode('http://127.0.0.1:3000')]
const pairing = (of: string) => pairingOf(of) as NonNullable<ReturnType<typeof pairingOf>>

const missing = await install()

let site: Site
let cms: Cms
/** Takes back what was made here, as the stage does. */
let runs: Undoing
let actors: Record<Exclude<Role, 'guest'>, Actor>

const line = (of = code) => ({ url: site.base, keyId: pairing(of).keyId, secret: pairing(of).bridgeKey })
const update = (table: string, uid: number, fields: Record<string, unknown>): Change => ({
  table,
  uid,
  fields,
})

/** Makes a record by Payload's REST API, and answers its id. */
const made = async (role: Role, table: string, fields: object): Promise<number> => {
  const { doc } = await site.rest(role, 'POST', `/${table}`, fields)
  return doc.id
}
const stored = (table: string, uid: number, query = '') =>
  site.rest<Record<string, unknown>>('admin', 'GET', `/${table}/${uid}?depth=0${query}`)

/** Locks a page, as the admin panel does while the administrator has it open. */
async function lockedByAdmin(uid: number): Promise<void> {
  const lock = { document: { relationTo: 'pages', value: uid } }
  const user = { relationTo: 'users', value: site.users.admin }
  await site.rest('admin', 'POST', '/payload-locked-documents', { ...lock, user })
}

/** Shows and makes a change, as an approval does; `versions` are those that were shown. */
async function make(
  actor: Actor,
  change: Change,
  correlationId: string = randomUUID(),
  over: Partial<RealPut> = {},
) {
  const { versions } = await showChange(cms, actor, change, [])
  return putChange(cms, actor, change, {
    key: randomUUID(),
    correlationId,
    versions,
    now: Date.now(),
    ...over,
  })
}
const undo = (actor: Actor, run: string) => runs.undo(actor, run, Date.now())
const words = (text: string, format = 0) => ({ type: 'text', text, ...(format > 0 && { format }) })
const paragraphs = (...children: object[][]) => ({
  root: { type: 'root', children: children.map((all) => ({ type: 'paragraph', children: all })) },
})

const nodes = (value: string | null) => JSON.parse(value ?? '') as unknown

describe.skipIf(missing !== undefined)('Payload', () => {
  beforeAll(async () => {
    site = await startSite({ code, previousCode: earlier })
    runs = undoing(bridge(line()))
    cms = runs.cms
    const known = await Promise.all(
      (['admin', 'editor', 'author'] as const).map(
        async (role) => [role, await cms.userNamed(String(site.users[role]))] as const,
      ),
    )
    actors = Object.fromEntries(known) as typeof actors
  })
  afterAll(() => site?.close())

  test('has the types of Payload and React, the button included', async () => {
    expect(await typeMistakes()).toBe('')
  })

  test('says who a user is, and nothing of one whom it keeps out of its admin panel', async () => {
    expect(actors.editor).toEqual({
      uid: site.users.editor,
      username: 'editor@example.com',
      name: 'Editor',
      isAdmin: false,
      groups: ['editor', 'users'],
      lang: 'en',
    })
    expect(await cms.userNamed(String(site.users.guest))).toBeUndefined()
  })

  test('says what it has', async () => {
    const { types, writes, tree, name, version, locales } = await cms.capabilities()

    expect({ name, version, tree, writes, locales, types: types.map((type) => type.name) }).toEqual({
      name: 'Payload',
      version: '3.90.2',
      tree: { pages: 'pages', content: null },
      writes: {
        create: ['pages', 'posts', 'events'],
        state: [],
        times: [],
        place: [],
        bin: ['pages'],
        remove: ['pages', 'posts', 'media', 'events', 'letters'],
        restore: [],
      },
      locales: 'field',
      types: ['pages', 'posts', 'media', 'events', 'letters', 'global.header', 'global.footer'],
    })
  })

  test('keeps every sentence of the protocol, and nothing of the kit is left', async () => {
    const users = { writer: site.users.admin, limited: site.users.author }
    // An example of blocks, for the sentences about parts.
    await made('editor', 'pages', { title: 'Blocks', layout: [{ blockType: 'quote', text: 'Light!' }] })
    const { results, lacks, left } = await runKit(cms, users, { line: line() })

    expect(results.filter(({ end }) => end === 'broken')).toEqual([])
    expect([lacks, left]).toEqual([
      ['home', 'log', 'exceptions', 'abilities', 'state', 'times', 'place', 'restore'],
      [],
    ])
    const bin = '/pages?trash=true&where[deletedAt][exists]=true'
    expect((await site.rest<{ totalDocs: number }>('admin', 'GET', bin)).totalDocs).toBe(0)
  })

  test('keeps every sentence of the protocol also with ids that are texts', async () => {
    const texts = await startSite({ code, idType: 'uuid', login: 'admin', moreUsers: 600 })
    try {
      const line = { url: texts.base, keyId: pairing(code).keyId, secret: pairing(code).bridgeKey }
      const ofTexts = bridge(line)
      const users = { writer: texts.users.admin, limited: texts.users.author }
      const { results, left } = await runKit(ofTexts, users, { line })

      // The name of the collection of users is no role.
      const author = await ofTexts.userNamed(String(texts.users.author))
      expect(author).toMatchObject({ isAdmin: false, groups: ['author', 'admin'] })
      expect((await ofTexts.capabilities()).ids).toBe('string')
      const admin = await ofTexts.userNamed(String(texts.users.admin))
      expect(admin && (await ofTexts.users(admin)).length).toBe(604)
      expect(results.filter(({ end }) => end === 'broken')).toEqual([])
      expect(left).toEqual([])
    } finally {
      await texts.close()
    }
  })

  test('binds no signature to an address that its sender chooses', () => {
    expect(site.refusal).toBe(
      'aiChat needs serverURL, or its option url: the origin at which the stage reaches the site.',
    )
  })

  test('answers the key before the present one, while a stage changes over', async () => {
    expect(await bridge(line(earlier)).languages()).toEqual([
      { id: 0, title: 'en', locale: 'en' },
      { id: 1, title: 'de', locale: 'de' },
    ])
  })

  test('signs a statement about its user, and about no other', async () => {
    const { token } = await site.rest<{ token: string }>('author', 'POST', '/ai-chat/statement')
    const { payload } = await jwtVerify(token, new TextEncoder().encode(pairing(code).exchangeKey))

    expect(payload).toMatchObject({
      iss: pairing(code).keyId,
      aud: 'ai-chat',
      sub: String(site.users.author),
      sid: expect.stringMatching(/^[0-9a-f]{64}$/),
    })
    expect((await site.rest('guest', 'POST', '/ai-chat/statement')).status).toBe(401)
    expect((await fetch(`${site.base}/ai-chat/statement`, { method: 'POST' })).status).toBe(401)
  })

  test('says the addresses of records as the site gives them', async () => {
    const uid = await made('editor', 'pages', { title: 'Lamps', slug: 'All lamps' })
    const draft = await made('editor', 'pages', { title: 'Plans' })
    const addresses = async (id: number) =>
      (await cms.record(actors.editor, { table: 'pages', uid: id }))?.addresses

    expect((await cms.capabilities()).addresses).toEqual({
      origins: ['https://www.example.com'],
      types: ['pages', 'posts'],
    })
    expect([await addresses(uid), await addresses(draft)]).toEqual([['/all-lamps'], []])
    expect((await cms.page(actors.editor, { uid }))?.addresses).toEqual(['/all-lamps'])
  })

  describe('shows', () => {
    test('no draft of another to those who may not see it, in no operation', async () => {
      const title = `Nightjar${randomUUID().slice(0, 8)}`
      const uid = await made('editor', 'pages', { title, _status: 'draft' })
      const seen = async (actor: Actor) => [
        (await cms.page(actor, { uid })) !== undefined,
        (await cms.record(actor, { table: 'pages', uid })) !== undefined,
        (await cms.history(actor, { table: 'pages', uid, limit: 5 })) !== undefined,
        (await cms.search(actor, { text: title, limit: 5 })).length > 0,
        (await cms.list(actor, { table: 'pages', limit: 100, offset: 0 }))?.records.some(
          (it) => it.uid === uid,
        ),
        (await cms.pageTree(actor, { root: 0, depth: 3, limit: 100 })).some((it) => it.uid === uid),
      ]

      expect(await seen(actors.editor)).toEqual([true, true, true, true, true, true])
      expect(await seen(actors.author)).toEqual([false, false, false, false, false, false])
    })

    test('no field that the user may not read, no type, and no hidden field', async () => {
      const uid = await made('admin', 'posts', { title: 'Lamp', note: 'Margin 40 %', secret: 'x' })
      const ofEditor = (await cms.tables(actors.editor)).flatMap(({ name, fields }) =>
        fields.map((field) => `${name}.${field.name}`),
      )

      expect((await cms.record(actors.admin, { table: 'posts', uid }))?.fields).toMatchObject({
        note: 'Margin 40 %',
      })
      expect((await cms.record(actors.editor, { table: 'posts', uid }))?.fields).not.toHaveProperty('note')
      expect((await cms.record(actors.admin, { table: 'posts', uid }))?.fields).not.toHaveProperty('secret')
      expect(await cms.search(actors.editor, { text: 'Margin 40', limit: 5 })).toEqual([])
      expect(ofEditor.filter((name) => /note|secret|letters/.test(name))).toEqual([])
    })

    test('records that have every word in one field or another, in any case', async () => {
      const word = () => `nightjar${randomUUID().slice(0, 8)}`
      const [one, two, three] = [word(), word(), word()]
      const fields = { title: `${one} big ${two}`, meta: { description: three } }
      const uid = await made('editor', 'pages', fields)
      const found = async (text: string) =>
        (await cms.search(actors.editor, { text, limit: 5 })).map((it) => it.uid)

      expect(await found(`${two} ${one}`)).toEqual([uid])
      expect(await found(`${three.toUpperCase()}  ${one}`)).toEqual([uid])
      expect(await found(`${one} ${word()}`)).toEqual([])
    })

    test('a global as live where visitors see an earlier state of it than its draft', async () => {
      await site.rest('admin', 'POST', '/globals/footer', { claim: 'Live', _status: 'published' })
      await site.rest('admin', 'POST', '/globals/footer?draft=true', { claim: 'Draft', _status: 'draft' })

      expect(await cms.record(actors.editor, { table: 'global.footer', uid: 1 })).toMatchObject({
        hidden: false,
        fields: { claim: 'Draft', _status: 'draft' },
      })
    })

    test('pages as a tree, with the path to each', async () => {
      const above = await made('editor', 'pages', { title: 'Above', _status: 'published' })
      const below = await made('editor', 'pages', { title: 'Below', parent: above, _status: 'published' })

      expect(await cms.pageTree(actors.author, { root: above, depth: 2, limit: 10 })).toEqual([
        {
          uid: below,
          title: 'Below',
          parent: above,
          depth: 1,
          hidden: false,
          hasChildren: false,
          mayEdit: false,
        },
      ])
      expect(await cms.page(actors.editor, { uid: below })).toMatchObject({
        path: [
          { uid: above, title: 'Above' },
          { uid: below, title: 'Below' },
        ],
        changedBy: 'Editor',
      })
    })
  })

  describe('changes', () => {
    test('a field in one language, and leaves the other', async () => {
      const uid = await made('editor', 'posts', { title: 'Lamp' })

      await make(actors.editor, update('posts', uid, { 'title:de': 'Lampe', title: 'Big lamp' }))

      expect(await stored('posts', uid, '&draft=true&locale=all')).toMatchObject({
        title: { en: 'Big lamp', de: 'Lampe' },
      })
    })

    test('a passage of a rich text, whose formats and links stay, and shows it whole', async () => {
      const body = paragraphs([words('It costs '), words('149 EUR', 1), words('.')], [words('Of oak.')])
      const uid = await made('editor', 'posts', { title: 'Aurora', body })
      const edits = [{ field: 'body', find: '149', replace: '139' }]
      const write: Change = { table: 'posts', uid, fields: {}, edits }

      const { changes } = await showChange(cms, actors.editor, write, [])
      await make(actors.editor, write)

      const now = paragraphs([words('It costs '), words('139 EUR', 1), words('.')], [words('Of oak.')])
      expect(changes.map(({ field, before, after }) => [field, nodes(before), nodes(after)])).toEqual([
        ['body', body, now],
      ])
      expect(changes.map((change) => readable(change, 'blocks', wordsOf('en')))).toEqual([
        { before: 'It costs **149 EUR**.\n\nOf oak.', after: 'It costs **139 EUR**.\n\nOf oak.' },
      ])
      expect((await cms.record(actors.editor, { table: 'posts', uid }))?.fields.body).toEqual(now)
    })

    test('passages of a text after the earlier changes of the same proposal', async () => {
      const body = paragraphs([words('It costs 149 EUR.')], [words('Of oak.')])
      const uid = await made('editor', 'posts', { title: 'Aurora', body })
      const passage = (find: string, replace: string): Change => ({
        table: 'posts',
        uid,
        fields: {},
        edits: [{ field: 'body', find, replace }],
      })
      const earlier = [passage('149', '139'), passage('139', '129')]
      const shown = async (write: Change) =>
        (await showChange(cms, actors.editor, write, earlier)).changes.map((change) =>
          readable(change, 'blocks', wordsOf('en')),
        )

      expect(await shown(passage('oak', 'ash'))).toEqual([
        { before: 'It costs 129 EUR.\n\nOf oak.', after: 'It costs 129 EUR.\n\nOf ash.' },
      ])
      await expect(shown(passage('149', '119'))).rejects.toThrow(/does not contain this passage/)
    })

    test('a rich text from Markdown', async () => {
      const uid = await made('editor', 'posts', { title: 'Aurora' })

      await make(actors.editor, update('posts', uid, { body: '## Oak\n\nIt is **light**.' }))

      expect((await cms.record(actors.editor, { table: 'posts', uid }))?.fields.body).toMatchObject({
        root: { children: [{ type: 'heading', tag: 'h2' }, { type: 'paragraph' }] },
      })
    })

    test('groups, blocks, rows, lists, relations and pictures', async () => {
      const form = new FormData()
      const pixel = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64')
      form.set('file', new Blob([pixel], { type: 'image/gif' }), 'pixel.gif')
      form.set('_payload', JSON.stringify({ alt: 'A dot' }))
      const picture = (await site.rest('editor', 'POST', '/media', form)).doc.id
      const page = await made('editor', 'pages', { title: 'Oak' })
      const post = await made('editor', 'posts', { title: 'Lamp' })

      await make(actors.editor, update('media', picture, { alt: 'A black dot' }))
      await make(
        actors.editor,
        update('pages', page, {
          'meta.description': 'All of oak',
          layout: [
            { blockType: 'quote', text: 'Light!' },
            { blockType: 'picture', image: picture },
          ],
        }),
      )
      await make(
        actors.editor,
        update('posts', post, {
          tags: ['a', 'b'],
          rows: [{ line: 'one' }],
          related: [{ relationTo: 'pages', value: page }],
          image: picture,
          until: '2026-12-24',
        }),
      )

      expect(await stored('media', picture)).toMatchObject({ alt: 'A black dot', filename: 'pixel.gif' })
      expect(await look(cms, actors.author, 'media', picture)).toEqual({
        mimeType: 'image/gif',
        bytes: pixel,
        width: 1,
        height: 1,
      })
      expect(await look(cms, actors.editor, 'pages', page)).toBe('none')
      expect(await stored('pages', page, '&draft=true')).toMatchObject({
        title: 'Oak',
        meta: { description: 'All of oak' },
        layout: [
          { blockType: 'quote', text: 'Light!' },
          { blockType: 'picture', image: picture },
        ],
      })
      expect(await stored('posts', post, '&draft=true')).toMatchObject({
        tags: ['a', 'b'],
        rows: [{ line: 'one' }],
        related: [{ relationTo: 'pages', value: page }],
        image: picture,
        until: '2026-12-24T00:00:00.000Z',
      })
    })

    test('single blocks by their ids, and leaves the others as they are', async () => {
      const layout = ['One', 'Two'].map((text) => ({ blockType: 'quote', text }))
      const uid = await made('editor', 'pages', { title: 'Blocks', layout })
      type Block = { id: string; text: string }
      const blocks = async () =>
        (await cms.record(actors.editor, { table: 'pages', uid }))?.fields.layout as Block[]
      const [one, two] = (await blocks()) as [Block, Block]
      const parts = (...all: Omit<PartEdit, 'field'>[]): Change => ({
        table: 'pages',
        uid,
        fields: {},
        parts: all.map((it) => ({ field: 'layout', ...it })),
      })

      await make(
        actors.editor,
        parts(
          { act: 'change', at: two.id, value: { text: 'Due' } },
          { act: 'insert', at: two.id, value: { blockType: 'quote', text: 'Tre' } },
          { act: 'remove', at: one.id },
        ),
      )

      expect((await blocks()).map(({ id, text }) => [id === two.id, text])).toEqual([
        [true, 'Due'],
        [false, 'Tre'],
      ])
      for (const wrong of [
        parts({ act: 'remove', at: one.id }),
        parts({ act: 'insert', at: '', value: { blockType: 'unknown' } }),
      ])
        await expect(showChange(cms, actors.editor, wrong, [])).rejects.toThrow(ToolError)
    })

    describe('a list whose rows all languages share', () => {
      type Step = { id?: string | undefined; name: string }
      const inGerman = async () => {
        const steps = [{ name: 'One' }, { name: 'Two' }]
        const { doc } = await site.rest('editor', 'POST', '/events', {
          title: 'Gala',
          steps,
          _status: 'published',
        })
        const rows = doc.steps as Step[]
        const german = rows.map(({ id, name }) => ({ id, name: `${name} (de)` }))
        await site.rest('editor', 'PATCH', `/events/${doc.id}?locale=de`, {
          steps: german,
          _status: 'published',
        })
        return { uid: doc.id, german }
      }
      const names = async (uid: number) => {
        const { fields = {} } = (await cms.record(actors.editor, { table: 'events', uid })) ?? {}
        return ['steps', 'steps:de'].map((list) => (fields[list] as Step[]).map(({ name }) => name))
      }
      const both = [
        ['One', 'Two'],
        ['One (de)', 'Two (de)'],
      ]

      test.each([
        ['new rows', () => ({ steps: [{ name: 'Uno' }, { name: 'Due' }] })],
        ['a row fewer in German', ([one]: Step[]) => ({ 'steps:de': [one] })],
        ['a row fewer in English', ([one]: Step[]) => ({ steps: [{ ...one, name: 'Un' }] })],
      ])('with %s: shows what each language loses, and takes it back', async (_what, fieldsOf) => {
        const { uid, german } = await inGerman()
        const write = update('events', uid, fieldsOf(german))
        const { changes } = await showChange(cms, actors.editor, write, [])
        const run = randomUUID()
        await make(actors.editor, write, run)

        const stored = await cms.record(actors.editor, { table: 'events', uid })
        expect([stored?.fields.steps, stored?.fields['steps:de']]).toMatchObject(
          changes.map(({ after }) => nodes(after)),
        )
        expect(changes.map(({ field }) => field)).toEqual(['steps', 'steps:de'])
        expect((await undo(actors.editor, run)).conflicts).toEqual([])
        expect(await names(uid)).toEqual(both)
      })

      test.each([
        ['a group', 'halls', (text: string) => ({ sign: { text } })],
        ['a block that fields share', 'banners', (claim: string) => ({ blockType: 'banner', claim })],
      ])('are found in %s: new rows show what German loses, and it is taken back', async (_, list, rowOf) => {
        const { doc } = await site.rest('editor', 'POST', '/events', {
          ...{ title: 'Gala', [list]: [rowOf('Exit')], _status: 'published' },
        })
        const [row] = doc[list] as { id: string }[]
        const german = [{ ...rowOf('Ausgang'), id: row?.id }]
        await site.rest('editor', 'PATCH', `/events/${doc.id}?locale=de`, {
          [list]: german,
          _status: 'published',
        })
        const write = update('events', doc.id, { [list]: [rowOf('Way out')] })
        const run = randomUUID()

        const { changes } = await showChange(cms, actors.editor, write, [])
        expect(changes.map(({ field }) => field)).toEqual([list, `${list}:de`])
        await make(actors.editor, write, run)
        expect((await undo(actors.editor, run)).conflicts).toEqual([])
        const { fields = {} } = (await cms.record(actors.editor, { table: 'events', uid: doc.id })) ?? {}
        expect([fields[list], fields[`${list}:de`]]).toMatchObject([[rowOf('Exit')], german])
      })

      test('refuses German rows without the ids of the list, and takes both languages at once', async () => {
        const { uid } = await inGerman()
        const steps = [{ name: 'Eins' }, { name: 'Zwei' }]
        for (const write of [
          update('events', uid, { 'steps:de': steps }),
          { table: 'events', uid, locale: 'de', fields: { steps } },
        ])
          await expect(showChange(cms, actors.editor, write, [])).rejects.toThrow(
            /All languages share the rows/,
          )
        expect(await names(uid)).toEqual(both)

        await make(
          actors.editor,
          update('events', uid, { steps: [{ name: 'Uno' }, { name: 'Due' }], 'steps:de': steps }),
        )
        expect(await names(uid)).toEqual([
          ['Uno', 'Due'],
          ['Eins', 'Zwei'],
        ])
      })
    })

    test('a global, and takes it back', async () => {
      const claim = async () => (await site.rest<{ claim?: string }>('admin', 'GET', '/globals/header')).claim
      const run = randomUUID()
      await make(actors.editor, update('global.header', 1, { claim: 'Light for all' }), run)
      expect(await claim()).toBe('Light for all')

      await undo(actors.editor, run)
      expect(await claim()).toBeFalsy()
    })

    test('what the hooks of the site leave of a value, as the proposal shows it', async () => {
      const uid = await made('editor', 'pages', { title: 'Oak' })
      const { changes } = await showChange(
        cms,
        actors.editor,
        update('pages', uid, { slug: 'Oak And Ash' }),
        [],
      )
      await make(actors.editor, update('pages', uid, { slug: 'Oak And Ash' }))

      expect(changes.map(({ after }) => after)).toEqual(['oak-and-ash'])
      expect(await stored('pages', uid, '&draft=true')).toMatchObject({ slug: 'oak-and-ash' })
    })

    test('nothing where the outcome cannot be stored', async () => {
      const uid = await made('editor', 'pages', { title: 'Oak' })

      await expect(make(actors.editor, update('pages', uid, { title: 'No room' }))).rejects.toMatchObject({
        code: 'cms.unavailable',
      })

      expect(await stored('pages', uid, '&draft=true')).toMatchObject({ title: 'Oak' })
    })

    test('a translation into a locale of the site, as a draft beside what is live, and back', async () => {
      const uid = await made('editor', 'posts', { title: 'Lamp', price: 1, _status: 'published' })
      const write: Change = { table: 'posts', uid, locale: 'de', fields: { title: 'Lampe' } }
      const { changes } = await showChange(cms, actors.editor, write, [])
      const run = randomUUID()
      const outcome = await make(actors.editor, write, run)
      const titles = async (query: string) => (await stored('posts', uid, `&locale=all${query}`)).title

      expect(changes.filter(({ field }) => field === 'title')).toEqual([
        {
          field: 'title',
          label: expect.stringContaining('(de)'),
          before: null,
          after: 'Lampe',
          original: 'Lamp',
        },
      ])
      expect(outcome).toMatchObject({
        state: 'done',
        uid,
        after: { record: { fields: { 'title:de': 'Lampe' } } },
      })
      expect([await titles('&draft=true'), await titles('')]).toEqual([
        { en: 'Lamp', de: 'Lampe' },
        { en: 'Lamp' },
      ])
      expect((await undo(actors.editor, run)).conflicts).toEqual([])
      expect(await titles('&draft=true')).not.toHaveProperty('de', 'Lampe')

      for (const [refused, said] of [
        [{ ...write, locale: 'fr' }, /has no language/],
        [{ ...write, locale: 'en' }, /is in this language/],
        [{ ...write, fields: { price: 2 } }, /same in every language: price/],
      ] as const)
        await expect(showChange(cms, actors.editor, refused, [])).rejects.toThrow(said)
    })

    test('with drafts first, a live record in a draft beside it, and publishes it by itself alone', async () => {
      const uid = await made('editor', 'pages', { title: 'On the site', _status: 'published' })
      const capabilities = await cms.capabilities()
      const first = (write: Change) =>
        applyDraftRule(cms, actors.editor, write, { drafts: 'first', capabilities })
      const { change, effect } = await first(update('pages', uid, { title: 'In the draft' }))
      await make(actors.editor, change)
      const [live, newest] = [await stored('pages', uid), await stored('pages', uid, '&draft=true')]
      expect([effect, live.title, live._status, newest.title]).toEqual([
        'beside',
        'On the site',
        'published',
        'In the draft',
      ])
      const publish = await first(update('pages', uid, { _status: 'published' }))
      expect(publish.effect).toBe('publish')
      const both = update('pages', uid, { title: 'Both', _status: 'published' })
      await expect(first(both)).rejects.toThrow(ToolError)
    })

    test('a live record at once, over it as a draft, or takes it from the site, and each back', async () => {
      const uid = await made('editor', 'pages', { title: 'Price 1', _status: 'published' })
      const states = async () => {
        const [live, newest] = [await stored('pages', uid), await stored('pages', uid, '&draft=true')]
        return [live._status, live.title, newest._status, newest.title]
      }
      const runs = ['live', 'draft', 'off'].map((name) => `${name}-${randomUUID()}`)
      const [live = '', draft = '', off = ''] = runs

      await make(actors.editor, update('pages', uid, { title: 'Price 2' }), live)
      expect(await states()).toEqual(['published', 'Price 2', 'published', 'Price 2'])
      await make(actors.editor, update('pages', uid, { title: 'Price 3', _status: 'draft' }), draft)
      expect(await states()).toEqual(['published', 'Price 2', 'draft', 'Price 3'])
      expect(await cms.record(actors.editor, { table: 'pages', uid })).toMatchObject({ hidden: false })
      expect(await cms.record(actors.author, { table: 'pages', uid })).toMatchObject({ title: 'Price 2' })
      expect(await cms.search(actors.author, { text: 'Price 3', limit: 5 })).toEqual([])
      await undo(actors.editor, draft)
      await make(actors.editor, update('pages', uid, { _status: 'draft' }), off)
      expect(await states()).toEqual(['draft', 'Price 2', 'draft', 'Price 2'])
      for (const run of [off, live]) expect((await undo(actors.editor, run)).conflicts).toEqual([])
      expect(await states()).toEqual(['published', 'Price 1', 'published', 'Price 1'])
    })

    test.each([
      ['publishes', 'published'],
      ['takes from the site', 'draft'],
    ])(
      'a state alone as visitors will see it, %s a draft over what is live, and back',
      async (_what, state) => {
        const uid = await made('editor', 'pages', { title: 'Live text', _status: 'published' })
        await site.rest('editor', 'PATCH', `/pages/${uid}?draft=true`, {
          title: 'Draft text',
          _status: 'draft',
        })
        const live = async () => {
          const { _status, title } = await stored('pages', uid)
          return [_status, title]
        }
        const write = update('pages', uid, { _status: state })
        const { changes } = await showChange(cms, actors.editor, write, [])
        const run = randomUUID()

        await make(actors.editor, write, run)

        expect(changes.map(({ field, before, after }) => [field, before, after])).toEqual([
          ['title', 'Live text', 'Draft text'],
          ...(state === 'draft' ? [['_status', 'published', 'draft']] : []),
        ])
        expect(await live()).toEqual([state, 'Draft text'])
        expect((await undo(actors.editor, run)).conflicts).toEqual([])
        expect(await live()).toEqual(['published', 'Live text'])
      },
    )

    test('a record of a type without times, again after the change was taken back', async () => {
      const uid = await made('admin', 'letters', { subject: 'A' })
      const run = randomUUID()
      await make(actors.admin, update('letters', uid, { subject: 'B' }), run)
      await undo(actors.admin, run)

      const again = await make(actors.admin, update('letters', uid, { subject: 'C' }))

      expect([again.state, (await stored('letters', uid)).subject]).toEqual(['done', 'C'])
    })

    test('a record of a type without times once, where two changes are of one version', async () => {
      const uid = await made('admin', 'letters', { subject: 'A' })
      const { versions } = await showChange(cms, actors.admin, update('letters', uid, { subject: 'B' }), [])
      const states = await Promise.all(
        ['B', 'C'].map((subject) =>
          make(actors.admin, update('letters', uid, { subject }), randomUUID(), { versions }),
        ),
      )

      expect(states.map(({ state }) => state).toSorted()).toEqual(['conflict', 'done'])
    })

    test.each([
      ['a field that is not there', 'posts', { colour: 'red' }, /no field colour/],
      ['a field that the user may not see', 'posts', { note: 'x' }, /no field note/],
      ['a field that is read only', 'posts', { owner: 1 }, /may not change the field owner/],
      [
        'a record that is not there',
        'posts',
        { related: [{ relationTo: 'posts', value: 99_999 }] },
        /no record/,
      ],
      [
        'a picture in a block that is not there',
        'pages',
        { layout: [{ blockType: 'picture', image: 99_999 }] },
        /no record 99999 in media/,
      ],
      [
        'a link in a text to a record that the user may not see',
        'posts',
        { body: { root: { children: [{ type: 'relationship', relationTo: 'letters', value: 1 }] } } },
        /no record 1 in letters/,
      ],
      ['a block that is not there', 'pages', { layout: [{ blockType: 'video' }] }, /quote, picture/],
      [
        'a node that is not there',
        'posts',
        { body: { root: { children: [{ type: 'x' }] } } },
        /no nodes of the type x/,
      ],
      ['a text that is too long', 'pages', { 'meta.description': 'x'.repeat(161) }, /at most 160/],
      ['what a hook of the site refuses', 'events', { title: 'Party' }, /No party without the mayor/],
      ['an option that is not there', 'posts', { kind: 'rumour' }, /news, product/],
    ])('not %s', async (_what, table, fields, said) => {
      const uid = await made('editor', table, { title: 'Refused' })
      const refusal = showChange(cms, actors.editor, update(table, uid, fields), [])

      await expect(refusal).rejects.toThrow(ToolError)
      await expect(refusal).rejects.toThrow(said)
    })

    test('what is live into the bin and back, but no page with pages below it, and none with a draft over it', async () => {
      const uid = await made('editor', 'pages', { title: 'Sale', _status: 'published' })
      const below = await made('editor', 'pages', { title: 'Below', parent: uid })
      const bin = (page: number, kind: 'delete' | 'undelete' = 'delete'): Change => ({
        bin: kind === 'delete',
        table: 'pages',
        uid: page,
      })
      const refused = (write: Change) =>
        showChange(cms, actors.editor, write, []).then(
          () => 'nothing',
          (error: Error) => error.message,
        )
      expect(await refused(bin(uid))).toMatch(/pages below this page/)
      await make(actors.editor, bin(below))
      const run = randomUUID()
      await make(actors.editor, bin(uid), run)
      expect((await stored('pages', uid)).status).toBe(404)
      expect(await refused(bin(below, 'undelete'))).toMatch(/page above it is not there/)

      expect((await undo(actors.editor, run)).conflicts).toEqual([])
      expect(await stored('pages', uid)).toMatchObject({ title: 'Sale', _status: 'published' })
      await site.rest('editor', 'PATCH', `/pages/${uid}?draft=true`, { title: 'Later', _status: 'draft' })
      expect(await refused(bin(uid))).toMatch(/a draft over what visitors see/)
      expect(await refused({ bin: true, table: 'letters', uid: 1 })).toMatch(/have no bin/)
    })

    test('not a record that another person has open', async () => {
      const uid = await made('editor', 'pages', { title: 'Open' })
      await lockedByAdmin(uid)

      await expect(showChange(cms, actors.editor, update('pages', uid, { title: 'x' }), [])).rejects.toThrow(
        /locked by another user/,
      )
      expect(await make(actors.admin, update('pages', uid, { title: 'x' }))).toMatchObject({
        state: 'done',
      })
    })

    test('not the record of another, and no new record that would be seen at once', async () => {
      const uid = await made('editor', 'pages', { title: 'Foreign', _status: 'published' })
      await expect(showChange(cms, actors.author, update('pages', uid, { title: 'x' }), [])).rejects.toThrow(
        /may not change this record/,
      )
      const write: Change = { uid: null, table: 'letters', place: { pid: 0 }, fields: { subject: 'x' } }
      await expect(showChange(cms, actors.admin, write, [])).rejects.toThrow(/has no drafts/)
    })

    test('a new record as a draft, below its page', async () => {
      const pid = await made('editor', 'pages', { title: 'Above', _status: 'published' })
      const fields = { title: 'New', _status: 'published' }
      const outcome = await make(actors.editor, { uid: null, table: 'pages', place: { pid }, fields })

      expect(outcome).toMatchObject({
        state: 'done',
        before: null,
        after: { record: { pid, hidden: true, fields: { title: 'New' } } },
      })
    })

    test('a copy as a draft, with rows of its own and in every language, and takes it back', async () => {
      const uid = await made('editor', 'posts', {
        title: 'Lamp',
        rows: [{ line: 'one' }],
        _status: 'published',
      })
      await make(actors.editor, { table: 'posts', uid, locale: 'de', fields: { title: 'Lampe' } })
      const original = await stored('posts', uid, '&draft=true')
      const copy: Change = { table: 'posts', uid: null, copy: uid }
      const { label, changes } = await showChange(cms, actors.editor, copy, [])
      const run = randomUUID()

      const outcome = await make(actors.editor, copy, run)
      const { uid: id } = outcome as { uid: number }

      expect([label, changes.map(({ field, after }) => [field, after])]).toEqual([
        'Lamp',
        [
          ['title', 'Lamp (copy)'],
          ['_status', 'draft'],
        ],
      ])
      const found = await stored('posts', id, '&draft=true')
      expect(found).toMatchObject({ title: 'Lamp (copy)', rows: [{ line: 'one' }], _status: 'draft' })
      expect(found.rows).not.toEqual(original.rows)
      expect(await stored('posts', id, '&draft=true&locale=de')).toMatchObject({ title: 'Lampe' })
      expect((await undo(actors.editor, run)).undone).toEqual([{ table: 'posts', uid: id }])
    })
  })

  describe('keeps', () => {
    test('who made each version, by hand or through the assistant', async () => {
      const uid = await made('editor', 'pages', { title: 'Before' })
      const run = randomUUID()
      await make(actors.admin, update('pages', uid, { title: 'After' }), run)
      const history = await cms.history(actors.editor, { table: 'pages', uid, limit: 5 })
      const { docs } = await site.rest<{ docs: { version: { changedBy: string } }[] }>(
        'admin',
        'GET',
        `/pages/versions?where[parent][equals]=${uid}&sort=-updatedAt`,
      )

      expect(
        history?.map(({ user, action, correlationId, changes: [change] }) => [
          user,
          action,
          correlationId,
          change?.before,
          change?.after,
        ]),
      ).toEqual([
        ['Admin', 'modify', run, 'Before', 'After'],
        ['Editor', 'add', null, null, 'Before'],
      ])
      expect(docs.map(({ version }) => version.changedBy)).toEqual(['Admin, through the assistant', 'Editor'])
    })

    test('the names from visitors', async () => {
      const uid = await made('editor', 'pages', { title: 'Seen', _status: 'published' })
      const answer = await fetch(`${site.base}/pages/${uid}`)

      expect(await answer.json()).not.toHaveProperty('changedBy')
    })

    test('what the assistant changed of a type without versions', async () => {
      const uid = await made('admin', 'letters', { subject: 'Before' })
      const run = randomUUID()
      await make(actors.admin, update('letters', uid, { subject: 'After' }), run)

      expect(await cms.history(actors.admin, { table: 'letters', uid, limit: 5 })).toMatchObject([
        { user: 'Admin', correlationId: run, changes: [{ before: 'Before', after: 'After' }] },
      ])
    })

    test('of a type without versions no part that the user may not read, and nothing to those who only read', async () => {
      const form = new FormData()
      form.append('_payload', JSON.stringify({ alt: 'Nightjar' }))
      form.append(
        'file',
        new Blob([Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64')], {
          type: 'image/gif',
        }),
        'fee.gif',
      )
      const uid = (await site.rest('editor', 'POST', '/media', form)).doc.id
      const rights = [{ id: 'a'.repeat(24), holder: 'Kim', fee: '4711 EUR' }]
      await make(actors.admin, update('media', uid, { alt: 'A dot', rights }))
      const fieldsFor = async (actor: Actor) =>
        (await cms.history(actor, { table: 'media', uid, limit: 5 }))?.flatMap(({ changes }) =>
          changes.map(({ field }) => field),
        )

      expect(await fieldsFor(actors.admin)).toEqual(['alt', 'rights'])
      expect(await fieldsFor(actors.editor)).toEqual(['alt'])
      expect(await fieldsFor(actors.author)).toEqual([])
    })
  })

  describe('holds', () => {
    const stale =
      'The assistant has changed this since you opened it. Nothing was saved. Reload the page to see the change.'
    type Answer = { status: number; errors?: { message: string }[] }
    /** Saves a form as the admin panel does: with all values that the form was opened with. */
    const save = async (method: string, path: string, form: object) => {
      const body = new FormData()
      body.set('_payload', JSON.stringify(form))
      const { status, errors } = await site.rest<Answer>('admin', method, path, body)
      return [status, errors?.[0]?.message]
    }

    test('a form that was opened before a change, and none that has seen it', async () => {
      const uid = await made('editor', 'pages', { title: 'Before', _status: 'published' })
      const path = `/pages/${uid}?depth=0&draft=true`
      const form = await stored('pages', uid, '&draft=true')
      await make(actors.editor, update('pages', uid, { 'meta.description': 'By the chat' }))

      expect(await save('PATCH', path, { ...form, title: 'By hand' })).toEqual([409, stale])
      const seen = await stored('pages', uid, '&draft=true')
      expect(seen).toMatchObject({ title: 'Before', meta: { description: 'By the chat' } })
      expect(await save('PATCH', path, { ...seen, title: 'By hand' })).toEqual([200, undefined])
      expect(await make(actors.editor, update('pages', uid, { title: 'Again' }))).toMatchObject({
        state: 'done',
      })
    })

    test('the form of a global, and no other writer', async () => {
      const read = () => site.rest<Record<string, unknown>>('admin', 'GET', '/globals/header?depth=0')
      await site.rest('admin', 'POST', '/globals/header', { claim: 'Before' })
      const form = await read()
      await make(actors.editor, update('global.header', 1, { claim: 'By the chat' }))

      expect(await save('POST', '/globals/header', { ...form, claim: 'By hand' })).toEqual([409, stale])
      expect(await read()).toMatchObject({ claim: 'By the chat' })
      expect(await save('POST', '/globals/header', { claim: 'By a program' })).toEqual([200, undefined])
    })
  })

  describe('takes back', () => {
    test('a turn of several changes, but not what a person has changed since', async () => {
      const [one, other] = [
        await made('editor', 'posts', { title: 'One', price: 1 }),
        await made('editor', 'posts', { title: 'Other' }),
      ]
      const run = randomUUID()
      await make(actors.editor, update('posts', one, { title: 'One more', 'title:de': 'Noch eins' }), run)
      await make(actors.editor, update('posts', one, { price: 2 }), run)
      await make(actors.editor, update('posts', other, { title: 'Another' }), run)
      await site.rest('editor', 'PATCH', `/posts/${other}?draft=true`, { title: 'By hand' })

      expect(await undo(actors.editor, run)).toEqual({
        undone: [{ table: 'posts', uid: one }],
        conflicts: [{ table: 'posts', uid: other, reason: 'The record was changed again since.' }],
      })
      expect(await stored('posts', one, '&draft=true&locale=all')).toMatchObject({
        title: { en: 'One' },
        price: 1,
      })
    })

    test('a title that a draft did not have', async () => {
      const id = await made('editor', 'pages?draft=true', { slug: 'untitled' })
      const run = randomUUID()
      await make(actors.editor, update('pages', id, { title: 'A title', slug: 'titled' }), run)

      expect(await undo(actors.editor, run)).toEqual({ undone: [{ table: 'pages', uid: id }], conflicts: [] })

      expect(await stored('pages', id, '&draft=true')).toMatchObject({ title: null, slug: 'untitled' })
    })

    test('not a record that another person has open, and the others go on', async () => {
      const [free, open] = [
        await made('editor', 'pages', { title: 'Free' }),
        await made('editor', 'pages', { title: 'Open' }),
      ]
      const run = randomUUID()
      for (const uid of [free, open]) await make(actors.editor, update('pages', uid, { title: 'After' }), run)
      await lockedByAdmin(open)

      const { undone, conflicts } = await undo(actors.editor, run)

      expect([undone, conflicts]).toEqual([
        [{ table: 'pages', uid: free }],
        [{ table: 'pages', uid: open, reason: expect.stringMatching(/locked by another user/) }],
      ])
      expect(await stored('pages', open, '&draft=true')).toMatchObject({ title: 'After' })
    })
  })
})
