import { describe, expect, test } from 'vitest'
import type { Actor } from '../../../../core/base/actor.ts'
import * as Table from '../../../../core/base/aws/table.ts'
import { loadLanguage } from '../../../../core/base/language.ts'
import { encode, recordKey } from '../../../../core/cms/reference/item.ts'
import { seededCms } from '../../../support/cms.ts'
import { makeChange } from '../../../support/put.ts'
import { row } from './row.ts'

await loadLanguage('de')

const now = Date.parse('2026-05-01T12:00:00Z')
const { table, cms, admin, editor, autorin, guest } = await seededCms(now)

describe('what is for administrators', () => {
  const strangers = { editor, autorin, guest }

  test.each(Object.entries(strangers))('never reaches %s by any way', async (_, actor) => {
    const limit = 1_000
    const everything = await Promise.all([
      ...[1, 2, 10].map((root) => cms.pageTree(actor, { root, depth: 99, limit })),
      cms.pageTree(actor, { root: 0, depth: 99, limit }),
      ...[10, 11, 64].flatMap((uid) => [cms.page(actor, { uid }), cms.pageContent(actor, { uid })]),
      ...['Nightjar', 'minutes', 'budget', 'due diligence'].map((text) => cms.search(actor, { text, limit })),
      ...['pages', 'content', 'news', 'be_users', 'be_groups', 'sys_log', 'sys_history'].flatMap((name) => [
        cms.list(actor, { table: name, limit, offset: 0 }),
        cms.list(actor, { table: name, page: 11, limit, offset: 0 }),
        cms.search(actor, { text: 'Nightjar', table: name, limit }),
      ]),
      cms.record(actor, { table: 'pages', uid: 11 }),
      cms.history(actor, { table: 'pages', uid: 11, limit }),
      cms.tables(actor),
      cms.log(actor, { level: 'debug', limit }),
      cms.users(actor),
      cms.facts(actor),
    ])

    expect(JSON.stringify(everything)).not.toMatch(
      /Nightjar|Board minutes|Management|Exception|getUid|northlight\.example"|scrypt|be_users/,
    )
  })

  test('is there for one', async () => {
    const found = await cms.search(admin, { text: 'nightjar', limit: 10 })

    expect(found.map(({ table: name, pid }) => [name, pid])).toEqual([
      ['content', 11],
      ['content', 11],
    ])
    expect((await cms.history(admin, { table: 'pages', uid: 11, limit: 5 }))?.[0]?.changes).toEqual([
      { field: 'title', label: 'Title', before: 'Minutes', after: 'Board minutes' },
    ])
  })

  test('holds no password, not even for an administrator', async () => {
    expect(
      JSON.stringify([
        await cms.users(admin),
        await cms.list(admin, { table: 'be_users', limit: 9, offset: 0 }),
      ]),
    ).not.toMatch(/scrypt|password|effective/)
  })
})

test('a page names the pages above it, from the root', async () => {
  expect(await cms.page(autorin, { uid: 3 })).toEqual({
    uid: 3,
    title: 'Aurora lamp',
    slug: '/products/aurora-lamp',
    addresses: ['/products/aurora-lamp'],
    parent: 2,
    hidden: false,
    language: 0,
    path: [
      { uid: 1, title: 'Home' },
      { uid: 2, title: 'Products' },
      { uid: 3, title: 'Aurora lamp' },
    ],
    mayEdit: false,
    changedAt: '2026-04-07T12:00:00.000Z',
    changedBy: 'editor',
  })
})

test('a page above that is not shown is not named', async () => {
  await change('pages', 64, { perms_everybody: 1 })

  expect((await cms.page(editor, { uid: 64 }))?.path).toEqual([
    { uid: 1, title: 'Home' },
    { uid: 64, title: 'Budget' },
  ])
  expect((await cms.pageTree(editor, { root: 1, depth: 9, limit: 999 })).some(({ uid }) => uid === 64)).toBe(
    false,
  )
  await change('pages', 64, { perms_everybody: 0 })
})

describe('the page tree', () => {
  test('is listed depth first in menu order, hidden pages marked', async () => {
    const tree = await cms.pageTree(editor, { root: 8, depth: 2, limit: 100 })

    expect(tree.map(({ uid, depth, parent, hasChildren }) => [uid, depth, parent, hasChildren])).toEqual([
      [25, 1, 8, false],
      [26, 1, 8, false],
      [27, 1, 8, true],
      [60, 2, 27, false],
      [61, 2, 27, false],
      [62, 2, 27, false],
      [28, 1, 8, false],
      [29, 1, 8, false],
    ])
    const products = await cms.pageTree(editor, { root: 2, depth: 1, limit: 100 })
    expect(products.filter(({ hidden }) => hidden).map(({ uid }) => uid)).toEqual([65])
  })

  test('ends at the depth and at the limit', async () => {
    expect((await cms.pageTree(editor, { root: 8, depth: 1, limit: 100 })).length).toBe(5)
    expect((await cms.pageTree(editor, { root: 8, depth: 9, limit: 4 })).map(({ uid }) => uid)).toEqual([
      25, 26, 27, 60,
    ])
  })

  test('begins at the mounts of a user, and is empty below what is not shown', async () => {
    expect((await cms.pageTree(editor, { root: 0, depth: 1, limit: 9 })).map(({ uid }) => uid)).toEqual([1])
    expect(await cms.pageTree(editor, { root: 10, depth: 9, limit: 9 })).toEqual([])
  })
})

test('content comes by language and sorting, hidden elements marked', async () => {
  const content = await cms.pageContent(editor, { uid: 3 })

  expect(content?.map(({ title, language, hidden }) => [title, language, hidden])).toEqual([
    ['Aurora lamp', 0, false],
    ['Facts', 0, false],
    ['Delivery and care', 0, false],
    ['Aurora lamp in sea green', 0, true],
    ['Aurora-Leuchte', 1, false],
    ['Daten', 1, false],
  ])
})

describe('tables', () => {
  test('are those that the actor may select, in their language', async () => {
    const tables = await cms.tables(autorin)

    expect(tables.map(({ name, label, mayModify }) => [name, label, mayModify])).toEqual([
      ['pages', 'Seiten', false],
      ['content', 'Inhalt', false],
      ['news', 'Nachrichten', true],
      ['media', 'Medien', false],
    ])
    expect(tables[2]?.fields[0]).toEqual({
      name: 'title',
      label: 'Titel',
      kind: 'text',
      required: true,
      max: 255,
      readOnly: false,
      translated: true,
    })
  })

  test('name exclude fields only to whom a group allows them', async () => {
    const names = async (actor: typeof editor) =>
      (await cms.tables(actor))[0]?.fields.map(({ name }) => name) ?? []

    expect(await names(editor)).toContain('keywords')
    expect(await names(autorin)).not.toContain('keywords')
    expect(await names(editor)).not.toContain('perms_everybody')
    expect(await names(admin)).toContain('perms_everybody')
  })

  test('of the system are all there for administrators', async () => {
    const names = (await cms.tables(admin)).map(({ name, mayModify }) => [name, mayModify])

    expect(names).toEqual([
      ['pages', true],
      ['content', true],
      ['news', true],
      ['media', true],
      ['be_users', true],
      ['be_groups', true],
      ['sys_log', false],
      ['sys_history', false],
    ])
  })
})

describe('search', () => {
  test('finds records with every word, the newest change first', async () => {
    const found = await cms.search(guest, { text: '  AURORA 149 ', limit: 10 })

    expect(found.every(({ fields }) => /aurora/i.test(Object.values(fields).join(' ')))).toBe(true)
    expect(found.map(({ table: name }) => name)).toContain('news')
    expect(found.map(({ table: name }) => name)).toContain('content')
    const times = found.map(({ changedAt }) => changedAt)
    expect(times).toEqual(times.toSorted().reverse())
  })

  test('of one table, of nothing, and at most as many as asked for', async () => {
    const found = await cms.search(guest, { text: 'lamp', table: 'news', limit: 2 })

    expect(found.map(({ table: name }) => name)).toEqual(['news', 'news'])
    expect(await cms.search(guest, { text: ' ', limit: 10 })).toEqual([])
    expect(await cms.search(guest, { text: 'lamp', table: 'nothing', limit: 10 })).toEqual([])
  })

  test('does not look into fields that the actor may not read', async () => {
    await change('pages', 5, { keywords: 'quokka' })

    expect((await cms.search(editor, { text: 'quokka', limit: 5 })).map(({ uid }) => uid)).toEqual([5])
    expect(await cms.search(autorin, { text: 'quokka', limit: 5 })).toEqual([])
  })
})

describe('lists', () => {
  test('of a table of many pages read the content of what they show, and of one page at most', async () => {
    const body = 'x'.repeat(10_000)
    const many = Array.from({ length: 300 }, (_, at) =>
      row('news', 1_000 + at, 0, { date: new Date(now - at * 86_400_000).toISOString(), body }),
    )
    for (let at = 0; at < many.length; at += 100)
      await Table.transact(
        many.slice(at, at + 100).map((one) => ({ Put: { TableName: table, Item: encode(one) } })),
      )
    const listed = async (query: { limit: number; offset: number }) => {
      const found = await cms.list(admin, { table: 'news', page: 0, ...query })
      return { ...found, records: found?.records.map(({ uid, fields }) => [uid, fields.body === body]) }
    }
    const all = await listed({ limit: 300, offset: 0 })
    expect(all).toEqual({ total: 300, records: many.map(({ uid }) => [uid, true]) })
    const bytes = countAnswered()

    expect(await listed({ limit: 10, offset: 290 })).toEqual({ total: 300, records: all.records?.slice(290) })

    // The whole table has 3 MB.
    expect(bytes()).toBeLessThan(1_500_000)
    await Table.removeAll(
      many.map(({ table: name, uid }) => recordKey(name, uid)),
      table,
    )
  })

  test('count what the actor may see', async () => {
    const seen = await cms.list(editor, { table: 'pages', limit: 1, offset: 0 })
    const all = await cms.list(admin, { table: 'pages', limit: 1, offset: 0 })

    expect((all?.total ?? 0) - (seen?.total ?? 0)).toBe(3)
    expect(seen?.records.length).toBe(1)
  })

  test('of news begin with the newest, and go on at the offset', async () => {
    const first = await cms.list(guest, { table: 'news', page: 7, limit: 2, offset: 0 })
    const next = await cms.list(guest, { table: 'news', page: 7, limit: 1, offset: 1 })

    expect(first?.records.map(({ uid }) => uid)).toEqual([40, 39])
    expect(next?.records.map(({ uid }) => uid)).toEqual([39])
    expect(next?.total).toBe(40)
  })

  test.each([
    ['an unknown table', { table: 'secrets' }],
    ['a system table', { table: 'sys_log' }],
    ['a page that is not shown', { table: 'content', page: 11 }],
    ['a page that is not there', { table: 'content', page: 999 }],
  ])('there is none of %s', async (_, query) => {
    expect(await cms.list(editor, { ...query, limit: 10, offset: 0 })).toBeUndefined()
  })
})

test('the history leaves out fields that the actor may not read', async () => {
  const options = { correlationId: 'run-keywords', versions: [], now }
  await makeChange(
    cms,
    editor,
    { table: 'pages', uid: 6, fields: { keywords: 'a' } },
    { ...options, key: 'k1' },
  )
  await makeChange(
    cms,
    editor,
    { table: 'pages', uid: 6, fields: { keywords: 'b', title: 'Contact us' } },
    { ...options, key: 'k2' },
  )

  const entry = {
    at: new Date(now).toISOString(),
    user: 'editor',
    action: 'modify',
    correlationId: 'run-keywords',
    revision: '3',
  }
  expect(await cms.history(autorin, { table: 'pages', uid: 6, limit: 1 })).toEqual([
    { ...entry, changes: [{ field: 'title', label: 'Titel', before: 'Contact', after: 'Contact us' }] },
  ])
  expect(
    (await cms.history(editor, { table: 'pages', uid: 6, limit: 2 }))?.map(({ changes }) =>
      changes.map(({ field }) => field),
    ),
  ).toEqual([['title', 'keywords'], ['keywords']])
})

describe('rights are those of the moment', () => {
  test('a disabled user sees nothing, also where an old actor is still held', async () => {
    await change('be_users', 4, { disable: true })

    expect(await cms.user(4)).toBeUndefined()
    expect(await cms.page(guest, { uid: 3 })).toBeUndefined()
    expect(await cms.tables(guest)).toEqual([])
    await change('be_users', 4, { disable: false })
    expect((await cms.page(guest, { uid: 3 }))?.uid).toBe(3)
  })

  test('an actor who claims to be an administrator is none', async () => {
    expect(await cms.log({ ...editor, isAdmin: true }, { level: 'debug', limit: 5 })).toEqual([])
    expect(await cms.page({ ...editor, isAdmin: true, groups: [1, 2] }, { uid: 11 })).toBeUndefined()
  })
})

/** The exception at a place of the list, the newest first. */
const exception = async (actor: Actor, offset: number) =>
  (await cms.log(actor, { level: 'debug', exceptions: true, offset, limit: 1 }))[0]

describe('the log', () => {
  test('is filtered by level and time', async () => {
    const errors = await cms.log(admin, { level: 'error', limit: 100 })
    const critical = await cms.log(admin, { level: 'critical', limit: 1 })
    const recent = await cms.log(admin, { level: 'error', since: '2026-04-27T00:00:00Z', limit: 100 })

    expect(new Set(errors.map(({ level }) => level))).toEqual(new Set(['error', 'critical']))
    expect(critical.map(({ message }) => message)).toEqual([
      'Uncaught exception: Call to a member function getUid() on null',
    ])
    expect(recent.map(({ level }) => level)).toEqual(['critical'])
  })

  test('tells the newest exception with its trace, and none past the last', async () => {
    const newest = await exception(admin, 0)

    expect(newest?.exception).toMatchObject({ class: 'Error', line: 137, count: 1 })
    expect(newest?.exception?.trace).toContain('#4 index.php(22)')
    expect((await exception(admin, 1))?.exception?.code).toBe(1512983421)
    expect(await exception(admin, 2)).toBeUndefined()
  })

  test('counts the same exception at the same place once', async () => {
    const first = await Table.get(recordKey('sys_log', uidOfNewest(await exception(admin, 0))), table)
    await Table.put({ ...first, ...recordKey('sys_log', 9_000), uid: 9_000, createdAt: now }, {}, table)

    expect((await exception(admin, 0))?.exception?.count).toBe(2)
    expect((await exception(admin, 1))?.exception?.code).toBe(1512983421)
  })
})

/** Counts the bytes of what the table answers from now on. */
function countAnswered(): () => number {
  let bytes = 0
  const count = (next: (args: object) => Promise<{ output: object }>) => async (args: object) => {
    const answer = await next(args)
    bytes += JSON.stringify(answer.output).length
    return answer
  }
  Table.documents().middlewareStack.add(count as never, { step: 'initialize', name: 'bytes' })
  return () => bytes
}

/** Sets fields of a record behind the back of every right. */
async function change(
  name: string,
  uid: number,
  fields: Record<string, string | number | boolean>,
): Promise<void> {
  const key = recordKey(name, uid)
  const item = await Table.get(key, table)
  const version = Number(item?.version) + 1
  await Table.put({ ...item, ...key, version, fields: { ...(item?.fields as object), ...fields } }, {}, table)
}

function uidOfNewest(entry: { uid: number } | undefined): number {
  return entry?.uid ?? 0
}
