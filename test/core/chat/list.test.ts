import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import * as Table from '../../../core/base/aws/table.ts'
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

test('on demand only those that wait for a decision', async () => {
  const who = await bench.login('autorin')
  const waiting = { title: 'Change', status: 'awaiting_approval' as const }
  const { id } = await stored({ ...waiting, updatedAt: new Date(startedAt - 9e6).toISOString() }, 3)
  await stored({ ...waiting, title: 'Put away', archived: true }, 3)
  await stored({ title: 'Prices' }, 3)

  const { body } = await who.get<Page>('/conversations', { waiting: true, limit: 1 })
  expect([body.conversations.map((one) => one.id), body.nextCursor]).toEqual([[id], null])
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

  test('finds each word wherever it stands: in the title, in one message or in several', async () => {
    const { id } = await storedWith(['Quaint W Umbrella', 'Zebrafinken, and then of lamps'], {
      title: 'Aviary house',
    })
    const found = async (words: string) => {
      const { conversations, excerpts } = await search(editor, words)
      return [conversations.map(({ title }) => title), excerpts?.[id]]
    }
    const said = [['Aviary house'], 'Quaint W Umbrella']
    const answered = [['Aviary house'], 'Zebrafinken, and then of lamps']
    expect(await found('umbrella W')).toEqual(said)
    expect(await found('quaint umbrella')).toEqual(said)
    expect(await found('LAMPS zebrafinken ')).toEqual(answered)
    expect(await found('house zebrafinken')).toEqual(answered)
    expect(await found('umbrella lamps')).toEqual(answered)
    expect(await found('house aviary')).toEqual([['Aviary house'], undefined])
    expect(await found('aviary lamps pergola')).toEqual([[], undefined])
  })

  test.each<['NFC' | 'NFD', 'NFC' | 'NFD']>([
    ['NFC', 'NFD'],
    ['NFD', 'NFC'],
  ])('with accents in %s finds them in %s, in titles and in messages', async (typed, kept) => {
    const { id } = await storedWith([`Naïve ${kept} ideas`.normalize(kept)], {
      title: `Über ${kept}`.normalize(kept),
    })
    const found = (words: string) => search(editor, words.normalize(typed))

    expect(titles(await found(`über ${kept}`))).toEqual([`Über ${kept}`.normalize(kept)])
    expect((await found(`naïve ${kept}`)).excerpts).toEqual({ [id]: `Naïve ${kept} ideas` })
  })

  test.each([
    [
      'behind the beginning of a word',
      `${'Lighting '.repeat(6)}for the veranda`,
      '…Lighting Lighting for the veranda',
    ],
    ['from the beginning of a text', 'Lighting for the veranda', 'Lighting for the veranda'],
    ['in the middle of a text without spaces', `${'灯'.repeat(60)}veranda`, `…${'灯'.repeat(30)}veranda`],
  ])('begins its place %s', async (_, said, place) => {
    const { id } = await storedWith([said], { title: 'Light' })

    const { excerpts } = await search(editor, 'veranda')
    expect(excerpts?.[id]).toBe(place)
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
    ['over lines', 'One\n\n  Two', 'two one', 'One Two'],
    ['long', `${'a'.repeat(40)} lamp ${'b'.repeat(100)}`, 'lamp', `…lamp ${'b'.repeat(89)}…`],
    ['marked', 'It is a **lamp** of `glass`', 'lamp of', 'It is a lamp of glass'],
    ['without it', 'A desk', 'lamp', undefined],
  ])('the place in a text that is %s', (_, text, wanted, expected) => {
    expect(around(text, wanted.split(' '))).toBe(expected)
  })
})

test('a conversation names the page that was open at its last turn with one, as its user sees it', async () => {
  bench.api.always({ text: 'Well.' })
  const open = (pageId: number) => ({ viewContext: { pageId, module: 'page' } })
  const { conversation } = await editor.turn('How much is it?', open(3))
  const named = async () => {
    const { conversations } = await list()
    return conversations.find(({ id }) => id === conversation.id)?.pageTitle
  }
  expect(await named()).toBe('Aurora lamp')

  const conversationId = conversation.id
  await editor.turn('And now?', { conversationId })
  expect(await named()).toBe('Aurora lamp')
  // Only administrators see page 11.
  await editor.turn('And the minutes?', { conversationId, ...open(11) })
  expect(await named()).toBe('Aurora lamp')
  await editor.turn('And the desk?', { conversationId, ...open(4) })
  expect(await named()).toBe('Borealis desk')
})
