import { beforeAll, describe, expect, test } from 'vitest'
import { tables } from '../../../core/cms/reference/registry.ts'
import type { RecordId } from '../../../core/conversation/schema.ts'
import { planChange } from '../../../core/tool/run.ts'
import { find } from '../../../core/tool/tools.ts'
import { showChange } from '../../support/put.ts'
import { type Bench, bench } from '../../support/tools.ts'

/** What is not for a user reads as what is not there, whatever tool asks for it, and in whatever way. */

let on: Bench
beforeAll(async () => {
  on = await bench()
})

const users = ['editor', 'autorin'] as const
type User = (typeof users)[number]

/** The text that the model gets: of a tool that reads its result, of one that writes why it is not even proposed. */
async function told(who: User, name: string, args: object): Promise<string> {
  const tool = find(name)
  if (!tool || !('write' in tool)) return (await on.ask(who, name, args)).text
  return showChange(on.cms, on.actors[who], planChange(tool, args), []).then(
    () => 'It would be proposed.',
    (error: Error) => error.message,
  )
}

const nowhere = 999_999

/** Calls about a page, or about records of it. */
const aboutPage: [tool: string, args: (uid: number) => object][] = [
  ['get_page_tree', (root) => ({ root })],
  ['get_page_content', (page) => ({ page })],
  ['check_site', (below) => ({ below, checks: ['title'] })],
  ...['pages', 'content', 'news'].map((table): [string, (uid: number) => object] => [
    'list_records',
    (page) => ({ table, page }),
  ]),
  ['create_page_draft', (parent) => ({ parent, title: 'Draft' })],
  ['create_page_draft', (parent) => ({ parent, title: 'x\ny' })],
  ['create_content_draft', (page) => ({ page, type: 'text', body: 'Draft' })],
]

/** Calls about a record. */
const aboutRecord: [tool: string, args: (table: string, uid: RecordId) => object][] = [
  ['get_record', (table, uid) => ({ table, uid })],
  ['get_record_history', (table, uid) => ({ table, uid })],
  ['where_used', (table, uid) => ({ table, uid })],
  ['compare_versions', (table, uid) => ({ table, uid })],
  ...[{ title: 'New' }, { header: '' }, { no_such_field: 1 }, { hidden: 'perhaps' }, { version: 2 }].map(
    (fields): [string, (table: string, uid: RecordId) => object] => [
      'update_record',
      (table, uid) => ({ table, uid, fields }),
    ],
  ),
]

describe.each(users)('for %s', (who) => {
  test.each(aboutPage)('%s (%#): pages of administrators are not there', async (tool, args) => {
    const expected = (await told(who, tool, args(nowhere))).replaceAll(String(nowhere), 'N')
    for (const page of [10, 11]) {
      const said = await told(who, tool, args(page))
      expect(said.replaceAll(new RegExp(`\\b${page}\\b`, 'g'), 'N')).toBe(expected)
    }
  })

  test.each(aboutRecord)('%s (%#): records of administrators are not there', async (tool, args) => {
    const hidden = await on.cms.search(on.actors.admin, { text: 'nightjar', limit: 100 })
    expect(hidden.length).toBeGreaterThan(0)
    for (const { table, uid } of [...hidden, { table: 'pages', uid: 10 }, { table: 'pages', uid: 11 }]) {
      const expected = (await told(who, tool, args(table, nowhere))).replaceAll(String(nowhere), 'N')
      const said = await told(who, tool, args(table, uid))
      expect(said.replaceAll(new RegExp(`\\b${uid}\\b`, 'g'), 'N')).toBe(expected)
    }
  })

  const systemTables = tables()
    .filter((table) => table.adminOnly)
    .map(({ name }) => name)
  test.each(systemTables)('the table %s is not there', async (table) => {
    const ask = async (name: string) => {
      const calls: [string, object][] = [
        ['list_records', { table: name }],
        ['search_records', { query: 'admin', table: name }],
        ...aboutRecord.map(([tool, args]): [string, object] => [tool, args(name, 1)]),
      ]
      const all = await Promise.all(calls.map(([tool, args]) => told(who, tool, args)))
      return all.map((text) => text.replaceAll(name, 'T'))
    }
    expect(await ask(table)).toEqual(await ask('no_such_table'))
  })

  test.each(['Nightjar', 'Board minutes', 'Management', 'scrypt', 'due diligence'])(
    'a search for “%s” finds nothing, and its words name nothing',
    async (query) => {
      const { text } = await on.ask(who, 'search_records', { query })
      expect(text).toBe(`Nothing that the user may see contains “${query}”. Try a single, shorter word.`)
    },
  )

  test.each(['pages', 'content', 'news'])(
    'the total of %s counts what is there for them alone',
    async (table) => {
      const mine = await on.cms.list(on.actors[who], { table, limit: 10_000, offset: 0 })
      const all = await on.cms.list(on.actors.admin, { table, limit: 10_000, offset: 0 })
      const seen = new Set(mine?.records.map(({ uid }) => uid))
      const unseen = all?.records.filter(({ uid }) => !seen.has(uid)) ?? []
      const below = await on.cms.pageTree(on.actors.admin, { root: 10, depth: 10, limit: 100 })
      const closed = [10, ...below.map(({ uid }) => uid)]

      expect([mine?.total, all?.total]).toEqual([seen.size, seen.size + unseen.length])
      for (const { uid, pid } of unseen) expect(closed).toContain(table === 'pages' ? uid : pid)
    },
  )
})
