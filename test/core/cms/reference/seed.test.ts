import { expect, test } from 'vitest'
import { levels } from '../../../../core/cms/schema.ts'
import { seed } from '../../../../infra/local/seed/seed.ts'
import { seededCms } from '../../../support/cms.ts'

const now = Date.parse('2026-05-01T12:00:00Z')
const dayMs = 24 * 60 * 60 * 1000
const { table, cms, admin, editor, autorin, guest, redakteurin } = await seededCms(now)

test('the users are those that the login page lists', async () => {
  expect(
    [admin, editor, autorin, guest, redakteurin].map(({ uid, username, isAdmin, groups, lang }) => [
      uid,
      username,
      isAdmin,
      groups,
      lang,
    ]),
  ).toEqual([
    [1, 'admin', true, [], 'en'],
    [2, 'editor', false, [1], 'en'],
    [3, 'autorin', false, [2], 'de'],
    [4, 'guest', false, [3], 'en'],
    [5, 'redakteurin', false, [1], 'de'],
  ])
  expect((await cms.users(admin)).map(({ username, groups }) => [username, groups])).toEqual([
    ['admin', []],
    ['editor', ['editors']],
    ['autorin', ['authors']],
    ['guest', ['visitors']],
    ['redakteurin', ['editors']],
  ])
})

test.each([
  [1, 'Home', 0, true],
  [2, 'Products', 1, true],
  [3, 'Aurora lamp', 2, true],
  [4, 'Borealis desk', 2, true],
  [5, 'About us', 1, true],
  [6, 'Contact', 1, true],
  [7, 'News', 1, true],
  [10, 'Management', 1, false],
  [11, 'Board minutes', 10, false],
])('page %i is %s below %i; shown to everybody: %s', async (uid, title, parent, isPublic) => {
  const pages = await Promise.all([admin, editor, autorin, guest].map((actor) => cms.page(actor, { uid })))

  const place = { uid, title, parent }
  expect(pages.map((page) => page && { uid: page.uid, title: page.title, parent: page.parent })).toEqual(
    isPublic ? [place, place, place, place] : [place, undefined, undefined, undefined],
  )
})

test('an element of that name has the price of the Aurora lamp', async () => {
  const content = await cms.pageContent(guest, { uid: 3 })

  expect(content?.find(({ title }) => title === 'Aurora lamp')?.fields.body).toContain('149 EUR')
})

test('the site is as large as a small shop’s, in both languages and up to four levels', async () => {
  const [tree, facts, content] = await Promise.all([
    cms.pageTree(admin, { root: 0, depth: 99, limit: 1_000 }),
    cms.facts(admin),
    cms.list(admin, { table: 'content', limit: 1_000, offset: 0 }),
  ])

  expect(tree.length).toBeGreaterThanOrEqual(60)
  expect(Math.max(...tree.map(({ depth }) => depth))).toBe(4)
  expect(facts).toMatchObject({ pages: tree.length, news: 40, backendUsers: 5, languages: 'en, de' })
  expect(content?.total).toBeGreaterThanOrEqual(250)
  expect(new Set(content?.records.map(({ language }) => language))).toEqual(new Set([0, 1]))
})

test('no two pages have one address', async () => {
  const pages = await cms.list(admin, { table: 'pages', limit: 1_000, offset: 0 })

  const slugs = pages?.records.map(({ fields }) => fields.slug) ?? []
  expect(new Set(slugs).size).toBe(slugs.length)
})

test('the log tells of thirty days at all levels, and of two exceptions', async () => {
  const log = await cms.log(admin, { level: 'debug', limit: 1_000 })

  expect(log.length).toBeGreaterThanOrEqual(40)
  expect(new Set(log.map(({ level }) => level))).toEqual(new Set(levels))
  expect(log.filter(({ exception }) => exception?.trace).length).toBe(2)
  const times = log.map(({ at }) => Date.parse(at))
  expect(times).toEqual(times.toSorted((a, b) => b - a))
  expect(times[0]).toBeLessThanOrEqual(now)
  expect(times.at(-1)).toBeGreaterThanOrEqual(now - 30 * dayMs)
})

test('the history ends at what the records say today', async () => {
  const rows = await cms.list(admin, { table: 'sys_history', limit: 100, offset: 0 })
  const names =
    rows?.records.map(({ fields }) => [String(fields.tablename), Number(fields.recuid)] as const) ?? []

  const checked = names.map(async ([name, uid]) => {
    const [record, history] = await Promise.all([
      cms.record(admin, { table: name, uid }),
      cms.history(admin, { table: name, uid, limit: 1 }),
    ])
    return history?.[0]?.changes.map(({ field, after }) => [after, shown(record?.fields[field])])
  })

  const pairs = (await Promise.all(checked)).flatMap((changes) => changes ?? [])
  expect(pairs.length).toBeGreaterThanOrEqual(15)
  expect(pairs.map(([after]) => after)).toEqual(pairs.map(([, is]) => is))
})

test('a site that is there is left alone', async () => {
  const before = await cms.record(admin, { table: 'be_users', uid: 1 })

  expect(await seed({ table }, now + dayMs)).toBe(false)
  expect(await cms.record(admin, { table: 'be_users', uid: 1 })).toEqual(before)
})

function shown(value: unknown): string {
  if (typeof value !== 'boolean') return String(value)
  return value ? 'yes' : 'no'
}
