import { describe, expect, test } from 'vitest'
import type { Actor } from '../../../../core/base/actor.ts'
import * as Table from '../../../../core/base/aws/table.ts'
import { ToolError } from '../../../../core/base/error.ts'
import { loadLanguage } from '../../../../core/base/language.ts'
import type { Change } from '../../../../core/cms/change.ts'
import { recordKey } from '../../../../core/cms/reference/item.ts'
import { save } from '../../../../core/cms/reference/put.ts'
import type { RecordId } from '../../../../core/conversation/schema.ts'
import { seededCms } from '../../../support/cms.ts'
import { brief, makeChange, showChange } from '../../../support/put.ts'

await loadLanguage('de')

const now = Date.parse('2026-05-01T12:00:00Z')
const { table, cms, admin, editor, autorin, guest } = await seededCms(now)

let count = 0
const options = (
  versions: { table: string; uid: RecordId; version: string }[] = [],
  key = `key-${++count}`,
) => ({
  key,
  correlationId: 'run-1',
  versions,
  now,
})
const update = (name: string, uid: number, fields: Record<string, unknown>): Change => ({
  table: name,
  uid,
  fields,
})
const create = (name: string, pid: number, fields: Record<string, unknown>): Change => ({
  uid: null,
  table: name,
  place: { pid },
  fields,
})

const passages = (edits: { field: string; find: string; replace: string }[]): Change => ({
  table: 'content',
  uid: 1,
  fields: {},
  edits,
})

describe('a preview', () => {
  test('shows each changed field before and after, with the page and the version', async () => {
    const preview = await showChange(
      cms,
      editor,
      update('content', 1, { header: 'Aurora', hidden: true, type: 'text' }),
      [],
    )

    expect(preview).toEqual({
      table: 'content',
      uid: 1,
      label: 'Aurora lamp',
      page: { uid: 3, title: 'Aurora lamp' },
      changes: [
        { field: 'header', label: 'Header', before: 'Aurora lamp', after: 'Aurora' },
        { field: 'hidden', label: 'Hidden', before: 'no', after: 'yes' },
      ],
      versions: [{ table: 'content', uid: 1, version: '1' }],
    })
  })

  test('shows HTML as it will be stored: what does something is gone', async () => {
    const body = '<p onclick="x()">Lamp &amp; shade</p><script>alert(1)</script>'
    const { changes } = await showChange(cms, editor, update('content', 1, { body }), [])

    expect(changes.map(({ field, after }) => [field, after])).toEqual([['body', '<p>Lamp &amp; shade</p>']])
  })

  test('is in the language of the actor', async () => {
    const preview = await showChange(cms, autorin, update('news', 1, { hidden: true }), [])

    expect(preview.changes).toEqual([{ field: 'hidden', label: 'Versteckt', before: 'nein', after: 'ja' }])
  })

  test('of passages shows the texts before and after, each edit made after the one before', async () => {
    const edits = [
      { field: 'header', find: 'Aurora', replace: '$& lamp' },
      { field: 'header', find: '$& lamp ', replace: "Polar $' " },
    ]

    const { changes } = await showChange(cms, editor, passages(edits), [])

    expect(changes).toEqual([
      { field: 'header', label: 'Header', before: 'Aurora lamp', after: "Polar $' lamp" },
    ])
  })

  test.each([
    ['is not there', { field: 'header', find: 'aurora', replace: '' }, 'does not contain this passage'],
    ['is there twice', { field: 'header', find: 'a', replace: '' }, 'contains this passage 2 times'],
    ['would be in no text', { field: 'hidden', find: 'no', replace: 'yes' }, 'holds no text'],
    ['is in a field of another table', { field: 'title', find: 'a', replace: '' }, 'has no field title'],
    ['leaves too long a header', { field: 'header', find: 'lamp', replace: 'x'.repeat(300) }, 'At most'],
  ])('refuses a passage that %s', async (_why, edit, reason) => {
    await expect(showChange(cms, editor, passages([edit]), [])).rejects.toThrow(
      expect.objectContaining({ name: 'ToolError', message: expect.stringContaining(reason) }),
    )
  })

  test('says nothing of a passage in a field that the actor may not read', async () => {
    const edit = { field: 'perms_userid', find: '1', replace: '2' }
    const write: Change = { table: 'pages', uid: 3, fields: {}, edits: [edit] }

    await expect(showChange(cms, editor, write, [])).rejects.toThrow(
      'has no field perms_userid for this user',
    )
  })

  test('of a page is on the page itself', async () => {
    const preview = await showChange(cms, editor, update('pages', 4, { title: 'Desk' }), [])

    expect(preview.page).toEqual({ uid: 4, title: 'Borealis desk' })
  })

  test('of a new page shows its address, belongs to the page above and is hidden', async () => {
    expect(await showChange(cms, editor, create('pages', 2, { title: 'Aurora lamp' }), [])).toEqual({
      table: 'pages',
      uid: null,
      label: 'Aurora lamp',
      page: { uid: 2, title: 'Products' },
      changes: [
        { field: 'title', label: 'Title', before: null, after: 'Aurora lamp' },
        { field: 'slug', label: 'Address', before: null, after: '/products/aurora-lamp-1' },
        { field: 'hidden', label: 'Hidden', before: null, after: 'yes' },
      ],
      versions: [{ table: 'pages', uid: 2, version: '1' }],
    })
  })

  test('builds on the earlier writes of the proposal', async () => {
    const rename = update('pages', 4, { title: 'Desk' })
    const draft = create('pages', 4, { title: 'Walnut' })

    const [again, beside, same] = await Promise.all([
      showChange(cms, editor, update('pages', 4, { title: 'Oak desk' }), [rename]),
      showChange(cms, editor, draft, [rename, draft]),
      showChange(cms, editor, rename, [rename]).catch((error: unknown) => error),
    ])

    expect(again.changes).toEqual([{ field: 'title', label: 'Title', before: 'Desk', after: 'Oak desk' }])
    expect(again.versions).toEqual([{ table: 'pages', uid: 4, version: '1' }])
    expect(beside.page).toEqual({ uid: 4, title: 'Desk' })
    expect(beside.changes[1]?.after).toBe('/products/borealis-desk/walnut-1')
    expect(same).toEqual(new ToolError('Nothing would change: the record already says so.'))
  })

  const missing = 'There is no pages with uid 11, or this user may not see it. Look it up first.'
  test.each<[string, Actor, Change, string | RegExp]>([
    ['a page that is not shown', editor, update('pages', 11, { title: 'x' }), missing],
    [
      'a page that is not there',
      editor,
      update('pages', 9911, { title: 'x' }),
      missing.replace('11', '9911'),
    ],
    ['content of a page that is not shown', editor, create('content', 11, { body: 'x' }), missing],
    [
      'a table that is selected only',
      autorin,
      update('content', 1, { header: 'x' }),
      /groups of this user may not change/,
    ],
    [
      'a system table',
      editor,
      update('be_users', 2, { name: 'x' }),
      /no table "be_users".*Tables: pages, content, news, media\./,
    ],
    ['an unknown table', editor, update('secrets', 2, { name: 'x' }), /no table "secrets"/],
    ['the log', admin, update('sys_log', 1, { message: 'x' }), /cannot be changed/],
    [
      'an unknown field',
      editor,
      update('content', 1, { colour: 'x' }),
      /no field colour for this user\. Fields: type, header/,
    ],
    ['an exclude field', autorin, update('news', 1, { endtime: '2026-06-01' }), /no field endtime/],
    ['rights of a page', editor, update('pages', 4, { perms_everybody: 31 }), /no field perms_everybody/],
    [
      'a field that is for reading',
      editor,
      update('pages', 4, { language: 1 }),
      'These fields cannot be changed: language. Leave them out.',
    ],
    [
      'values that are not possible',
      editor,
      update('content', 1, { column: 12, type: 'video' }),
      'column: A number from 0 to 9 is needed.\ntype: Possible values: text, header, list, html.',
    ],
    [
      'a language that the site has not',
      editor,
      update('content', 1, { language: 7 }),
      'language: Possible values: -1, 0, 1.',
    ],
    [
      'a group that is not there',
      admin,
      update('be_users', 2, { usergroup: '1,8' }),
      'usergroup: There is no be_groups:8.',
    ],
    [
      'an owner that is not there',
      admin,
      update('pages', 4, { perms_userid: 99 }),
      'perms_userid: There is no be_users:99.',
    ],
    [
      'a new record that is not hidden',
      editor,
      create('content', 3, { body: 'x', hidden: false }),
      /always hidden/,
    ],
    ['a new page without a title', editor, create('pages', 2, {}), 'title: A value is needed.'],
    ['a new user', admin, create('be_users', 1, { name: 'x' }), /cannot be changed/],
  ])('refuses %s', async (_, actor, write, message) => {
    const error = await showChange(cms, actor, write, []).catch((thrown: unknown) => thrown)

    expect(error).toBeInstanceOf(ToolError)
    expect((error as ToolError).message).toMatch(
      message instanceof RegExp ? message : new RegExp(`^${literally(message)}$`),
    )
  })
})

describe('a write', () => {
  test('leaves record, history and log, and answers the same again', async () => {
    const write = update('content', 6, { header: 'The Borealis' })
    const { versions } = await showChange(cms, editor, write, [])
    const first = await makeChange(cms, editor, write, options(versions, 'once'))
    const again = await makeChange(cms, editor, write, options(versions, 'once'))

    const done = { state: 'done', table: 'content', uid: 6, version: '2', changed: ['header'] }
    expect([first, again]).toEqual([done, done])
    expect(await cms.record(editor, { table: 'content', uid: 6 })).toMatchObject({
      title: 'The Borealis',
      version: '2',
      changedAt: new Date(now).toISOString(),
    })
    expect(
      (await cms.history(editor, { table: 'content', uid: 6, limit: 10 }))?.filter(
        ({ correlationId }) => correlationId === 'run-1',
      ),
    ).toEqual([
      {
        at: new Date(now).toISOString(),
        user: 'editor',
        action: 'modify',
        changes: [{ field: 'header', label: 'Header', before: 'Borealis desk', after: 'The Borealis' }],
        correlationId: 'run-1',
        revision: '2',
      },
    ])
    expect(
      (await cms.log(admin, { level: 'info', limit: 1 })).map(({ message, user }) => [message, user]),
    ).toEqual([['"The Borealis" (content:6) was changed (AI chat): header', 'editor']])
  })

  test('happens once, however often it is begun at the same time', async () => {
    const write = create('content', 4, { type: 'text', body: '<p>Once</p>' })
    const same = options([], 'parallel')
    const outcomes = await Promise.all(Array.from({ length: 8 }, () => makeChange(cms, editor, write, same)))

    expect(new Set(outcomes.map((outcome) => JSON.stringify(outcome))).size).toBe(1)
    const content = await cms.pageContent(editor, { uid: 4 })
    expect(content?.filter(({ fields }) => fields.body === '<p>Once</p>').length).toBe(1)
  })

  test('of two on one version, one is a conflict', async () => {
    const { versions } = await showChange(cms, editor, update('pages', 12, { title: 'A' }), [])
    const outcomes = await Promise.all(
      ['A', 'B', 'C'].map((title) =>
        makeChange(cms, editor, update('pages', 12, { title }), options(versions)),
      ),
    )

    expect(outcomes.map(({ state }) => state).toSorted()).toEqual(['conflict', 'conflict', 'done'])
  })

  test('of another version than the record has is a conflict and changes nothing', async () => {
    const outcome = await makeChange(
      cms,
      editor,
      update('pages', 13, { title: 'X' }),
      options([{ table: 'pages', uid: 13, version: '7' }]),
    )

    expect(outcome).toEqual({ state: 'conflict', table: 'pages', uid: 13 })
    expect((await cms.page(editor, { uid: 13 }))?.title).toBe('Workshop')
  })

  test('on a page that changed since the preview is a conflict', async () => {
    const write = create('content', 14, { type: 'header', header: 'New' })
    const { versions } = await showChange(cms, editor, write, [])
    await makeChange(cms, admin, update('pages', 14, { title: 'Sustainable' }), options())

    expect(await makeChange(cms, editor, write, options(versions))).toEqual({
      state: 'conflict',
      table: 'pages',
      uid: 14,
    })
  })

  test('of a new page gives it to its maker, at the end of its menu, hidden', async () => {
    const outcome = await makeChange(cms, editor, create('pages', 8, { title: 'Gift cards' }), options())

    const uid = outcome.state === 'done' ? outcome.uid : 0
    expect((await cms.record(admin, { table: 'pages', uid }))?.fields).toMatchObject({
      title: 'Gift cards',
      slug: '/service/gift-cards',
      hidden: true,
      perms_userid: 2,
      perms_groupid: 1,
      perms_user: 31,
      perms_group: 27,
      perms_everybody: 0,
    })
    expect(await cms.page(autorin, { uid })).toBeUndefined()
    const menu = await cms.pageTree(editor, { root: 8, depth: 1, limit: 100 })
    expect(menu.at(-1)).toMatchObject({ uid, hidden: true, mayEdit: true })
  })

  test('is refused when the right was lost after the preview', async () => {
    const write = update('news', 2, { title: 'Stacks' })
    const { versions } = await showChange(cms, autorin, write, [])
    await makeChange(cms, admin, update('be_groups', 2, { tables_modify: '' }), options())

    await expect(makeChange(cms, autorin, write, options(versions))).rejects.toThrow(ToolError)
    expect((await cms.record(autorin, { table: 'news', uid: 2 }))?.title).toBe('The Kobbe stool stacks')
    await makeChange(cms, admin, update('be_groups', 2, { tables_modify: 'news' }), options())
    expect((await makeChange(cms, autorin, write, options(versions))).state).toBe('done')
  })

  test('into a language that the groups may not write is refused', async () => {
    await makeChange(cms, admin, update('be_groups', 1, { allowed_languages: '0' }), options())
    const translate = makeChange(cms, editor, update('content', 36, { language: 1 }), options())

    await expect(translate).rejects.toThrow('may not change records in this language')
    await makeChange(cms, admin, update('be_groups', 1, { allowed_languages: '' }), options())
  })

  test('of a user who is disabled since is refused', async () => {
    await makeChange(cms, admin, update('be_users', 4, { disable: true }), options())

    await expect(makeChange(cms, guest, update('news', 3, { title: 'x' }), options())).rejects.toThrow(
      ToolError,
    )
  })
})

describe('settling', () => {
  test('answers what happened', async () => {
    const outcome = await makeChange(
      cms,
      editor,
      update('pages', 15, { title: 'Our materials' }),
      options([], 'known'),
    )

    expect(brief(await cms.settle(editor, { key: 'known' }))).toEqual(outcome)
  })

  test('of what did not happen means that it never will', async () => {
    expect(await cms.settle(editor, { key: 'lost' })).toEqual({ state: 'void' })

    expect(
      await makeChange(cms, editor, update('pages', 16, { title: 'Careers' }), options([], 'lost')),
    ).toEqual({
      state: 'void',
    })
    expect(await cms.settle(editor, { key: 'lost' })).toEqual({ state: 'void' })
    expect((await cms.page(editor, { uid: 16 }))?.title).toBe('Jobs')
  })

  test('and writing at the same time agree', async () => {
    const titles = Array.from({ length: 10 }, (_, at) => `Race ${at}`)
    const pairs = await Promise.all(
      titles.map((title, at) =>
        Promise.all([
          makeChange(
            cms,
            editor,
            create('content', 17, { type: 'header', header: title }),
            options([], `race-${at}`),
          ),
          cms.settle(editor, { key: `race-${at}` }),
        ]),
      ),
    )

    expect(pairs.map(([written]) => written)).toEqual(pairs.map(([, settled]) => settled))
    const content = await cms.pageContent(editor, { uid: 17 })
    const there = content?.filter(({ title }) => titles.includes(title)).length
    expect(there).toBe(pairs.filter(([written]) => written.state === 'done').length)
  })

  test('reaches only the writes of the same user', async () => {
    await cms.settle(autorin, { key: 'shared' })

    expect(
      (await makeChange(cms, editor, update('pages', 18, { title: 'Vienna' }), options([], 'shared'))).state,
    ).toBe('done')
  })
})

describe('effective groups', () => {
  const groupsOf = async (uid: number) => (await cms.user(uid))?.groups

  test('follow a user and the groups that they inherit from, on the stored row', async () => {
    await makeChange(cms, admin, update('be_users', 3, { usergroup: '2,3' }), options())
    expect(await groupsOf(3)).toEqual([2, 3])

    await makeChange(cms, admin, update('be_groups', 2, { subgroup: '1' }), options())
    expect(await groupsOf(3)).toEqual([2, 1, 3])
    expect(await groupsOf(2)).toEqual([1])
    expect((await cms.page(autorin, { uid: 3 }))?.mayEdit).toBe(true)

    await makeChange(cms, admin, update('be_groups', 1, { hidden: true }), options())
    expect(await groupsOf(3)).toEqual([2, 3])
    expect(await groupsOf(2)).toEqual([])
    expect((await cms.page(autorin, { uid: 3 }))?.mayEdit).toBe(false)

    await makeChange(cms, admin, update('be_groups', 1, { hidden: false }), options())
    await makeChange(cms, admin, update('be_groups', 2, { subgroup: '' }), options())
    await makeChange(cms, admin, update('be_users', 3, { usergroup: '2' }), options())
    expect(await groupsOf(3)).toEqual([2])
  })

  test('and the password stay when a user is changed', async () => {
    const before = await Table.get(recordKey('be_users', 2), table)
    await makeChange(cms, admin, update('be_users', 2, { name: 'Edgar' }), options())

    const after = await Table.get(recordKey('be_users', 2), table)
    expect([after?.password, after?.effective_groups]).toEqual([before?.password, before?.effective_groups])
  })
})

describe('saving by hand', () => {
  const edit = (uid: number, fields: Record<string, unknown>, version = '1') => ({
    table: 'content',
    uid,
    fields,
    version,
  })

  test('changes the record without a run', async () => {
    expect(await save(table, editor, edit(31, { header: 'Lumen' }), now)).toEqual({
      state: 'done',
      version: '2',
      changed: ['header'],
    })
    expect((await cms.history(editor, { table: 'content', uid: 31, limit: 1 }))?.[0]).toMatchObject({
      user: 'editor',
      correlationId: null,
    })
  })

  test('of a form that is older than the record is a conflict', async () => {
    await save(table, editor, edit(32, { header: 'One' }), now)

    expect(await save(table, editor, edit(32, { header: 'Two' }), now)).toEqual({ state: 'conflict' })
    // What stands already is no change, whatever version the person saw.
    const seen = edit(32, { header: 'One' })
    expect(await save(table, editor, seen, now)).toEqual({
      state: 'done',
      version: seen.version,
      changed: [],
    })
  })

  test('of values that are there already is done', async () => {
    expect(await save(table, editor, edit(33, { hidden: false }), now)).toEqual({
      state: 'done',
      version: '1',
      changed: [],
    })
  })

  test('tells a person what is wrong with which field', async () => {
    const german = { ...editor, lang: 'de' }

    await expect(save(table, german, edit(34, { column: 'x', header: 'y' }), now)).rejects.toMatchObject({
      code: 'request.invalid',
      fields: { column: 'Eine ganze Zahl ist nötig.' },
    })
    await expect(
      save(table, german, { ...edit(4, { language: 1 }), table: 'pages' }, now),
    ).rejects.toMatchObject({
      code: 'request.invalid',
      fields: { language: 'Dieses Feld lässt sich nicht ändern.' },
    })
    await expect(save(table, autorin, edit(34, { header: 'y' }), now)).rejects.toMatchObject({
      code: 'record.notAllowed',
      fields: { record: expect.stringContaining('Gruppen') },
    })
    await expect(save(table, editor, edit(99_999, { header: 'y' }), now)).rejects.toMatchObject({
      code: 'record.notFound',
    })
  })
})

function literally(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
