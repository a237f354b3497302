import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import * as Table from '../../../core/aws/table.ts'
import { mostLooks } from '../../../core/chat/list.ts'
import { around } from '../../../core/chat/words.ts'
import type { Summary } from '../../../core/conversation/schema.ts'
import { type Bench, startBench, startedAt, type User } from '../../support/live.ts'
import { scan } from '../../support/scan.ts'
import { stored, storedWith } from '../../support/seeded.ts'

type Page = { conversations: Summary[]; nextCursor: string | null; excerpts?: Record<string, string> }

let bench: Bench
let editor: User

beforeAll(async () => {
  bench = await startBench()
  editor = await bench.login('editor')
  for (let n = 0; n < 12; n++) {
    await stored({
      title: `${n % 3 === 0 ? 'Lamps' : 'Desks'} ${n}`,
      updatedAt: new Date(startedAt - n * 60_000).toISOString(),
      pinned: n === 7 || n === 9,
    })
  }
  await stored({ title: 'Lamps of long ago', archived: true })
  await stored({ title: 'Lamps, deleted', deletedAt: new Date(startedAt).toISOString() })
  await stored({ title: 'Lamps of another user' }, 3)
})
afterAll(() => bench.stop())

const list = async (query: Record<string, string | number | boolean> = {}) => {
  const { status, body } = await editor.get<Page>('/conversations', query)
  expect(status).toBe(200)
  return body
}
const titles = ({ conversations }: Page) => conversations.map(({ title }) => title)
const order = [
  'Desks 7',
  'Lamps 9',
  'Lamps 0',
  'Desks 1',
  'Desks 2',
  'Lamps 3',
  'Desks 4',
  'Desks 5',
  'Lamps 6',
  'Desks 8',
  'Desks 10',
  'Desks 11',
]

test('pinned first, then the newest change first; neither deleted nor archived nor another user’s', async () => {
  const page = await list()

  expect(titles(page)).toEqual(order)
  expect(page.nextCursor).toBeNull()
})

test('the archived ones apart', async () => {
  expect(titles(await list({ archived: true }))).toEqual(['Lamps of long ago'])
})

describe.each([1, 5, 11, 12])('in pages of %i', (limit) => {
  test('nothing is left out or told twice', async () => {
    const seen: string[] = []
    let cursor: string | null = null
    let pages = 0
    do {
      const page: Page = await list({ limit, ...(cursor !== null && { cursor }) })
      seen.push(...titles(page))
      cursor = page.nextCursor
      pages++
    } while (cursor !== null)

    expect(seen).toEqual(order)
    expect(pages).toBe(Math.ceil(12 / limit))
  })

  test('searched', async () => {
    const seen: string[] = []
    let cursor: string | null = null
    do {
      const page: Page = await list({ limit, search: 'LAMPS', ...(cursor !== null && { cursor }) })
      expect(page.conversations.length).toBeLessThanOrEqual(limit)
      seen.push(...titles(page))
      cursor = page.nextCursor
    } while (cursor !== null)

    expect(seen).toEqual(['Lamps 9', 'Lamps 0', 'Lamps 3', 'Lamps 6'])
  })
})

test.each([
  ['desks 1', ['Desks 1', 'Desks 10', 'Desks 11']],
  ['nothing of this', []],
  ['', order],
])('a search for %j finds %j', async (search, wanted) => {
  expect(titles(await list({ search }))).toEqual(wanted)
})

test('what the index has not heard of yet is not told wrongly: the row decides', async () => {
  const row = (await scan()).find(({ title }) => title === 'Desks 11')
  await Table.put({ ...row, archived: true } as Table.Row & Table.Key)

  expect(titles(await list())).toEqual(order.slice(0, -1))
  await Table.put(row as Table.Row & Table.Key)
})

describe('a search for words', () => {
  let admin: User

  beforeAll(async () => {
    admin = await bench.login('admin')
    const at = (n: number) => ({
      title: `Old ${n}`,
      updatedAt: new Date(startedAt - n * 1_000).toISOString(),
    })
    for (let n = 0; n < mostLooks + 5; n++) await stored(at(n), 1)
  })
  const search = async (who: User, words: string, cursor?: string | null) =>
    (await who.get<Page>('/conversations', { search: words, ...(cursor && { cursor }) })).body

  test('finds what user and assistant said, with its place; what tools said and rows that do not count are not searched', async () => {
    const { id } = await storedWith(
      [
        'How high is the pergola?',
        `Let me look. ${'It stands in the garden. '.repeat(20)}The PERGOLA is 2.40 m high.`,
        { role: 'tool', content: 'pagoda' },
        'Left over: pagoda',
      ],
      { title: 'Heights', messageCount: 3 },
    )

    const { conversations, excerpts } = await search(editor, 'Pergola is 2')
    expect([conversations.map(({ title }) => title), excerpts]).toEqual([
      ['Heights'],
      { [id]: '…It stands in the garden. The PERGOLA is 2.40 m high.' },
    ])
    expect(titles(await search(editor, 'pagoda'))).toEqual([])
    expect(titles(await search(await bench.login('autorin'), 'pergola'))).toEqual([])
  })

  test('looks into a bounded number of transcripts for one answer and goes on behind them', async () => {
    await storedWith(
      ['Where is the gazebo?'],
      { title: 'Long ago', updatedAt: new Date(startedAt - 9e6).toISOString() },
      1,
    )

    const first = await search(admin, 'gazebo')
    expect([titles(first), first.nextCursor !== null]).toEqual([[], true])
    const second = await search(admin, 'gazebo', first.nextCursor)
    expect([titles(second), second.nextCursor]).toEqual([['Long ago'], null])
  })

  test.each([
    ['short', 'What is a lamp?', 'lamp', 'What is a lamp?'],
    ['over lines', 'One\n\n  Two', 'one two', 'One Two'],
    [
      'long',
      `${'a'.repeat(40)} lamp ${'b'.repeat(100)}`,
      'lamp',
      `…${'a'.repeat(29)} lamp ${'b'.repeat(89)}…`,
    ],
    ['marked', 'It is a **lamp** of `glass`', 'lamp of', 'It is a lamp of glass'],
    ['without it', 'A desk', 'lamp', undefined],
  ])('the place in a text that is %s', (_, text, wanted, expected) => {
    expect(around(text, wanted)).toBe(expected)
  })
})
