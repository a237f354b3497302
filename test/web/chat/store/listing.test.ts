import { describe, expect, test } from 'vitest'
import type { ListAnswer } from '../../../../core/chat/request.ts'
import type { Summary } from '../../../../core/conversation/schema.ts'
import type { Api } from '../../../../web/chat/api.ts'
import { Listing } from '../../../../web/chat/store/listing.ts'
import { summary } from '../build.ts'

/** A stage that answers with these pages, each when it is let go. */
function stage(...pages: ListAnswer[]) {
  const asked: Record<string, unknown>[] = []
  const doors: (() => void)[] = []
  const get = async (_path: string, query: Record<string, unknown>) => {
    const answer = pages[asked.push(query) - 1]
    await new Promise<void>((open) => doors.push(open))
    return answer
  }
  return { api: { get } as unknown as Api, asked, letGo: (at: number) => doors[at]?.() }
}
const page = (conversations: Summary[], nextCursor: string | null = null): ListAnswer => ({
  conversations,
  nextCursor,
})
const at = (minute: number) => new Date(Date.UTC(2026, 10, 20, 14, minute)).toISOString()
const ids = (listing: Listing) => listing.items.map(({ id }) => id)

describe('a list of conversations', () => {
  test('drops an answer that a later question overtook', async () => {
    const { api, letGo } = stage(page([summary({ id: 'late' })]), page([summary({ id: 'new' })]))
    const listing = new Listing('active')
    const [first, second] = [listing.load(api), listing.load(api)]

    letGo(1)
    expect(await second).toBe(true)
    letGo(0)
    expect(await first).toBe(false)

    expect(ids(listing)).toEqual(['new'])
  })

  test('keeps what it heard of a conversation while it was loaded', async () => {
    const before = summary({ id: 'a', version: 1 })
    const { api, letGo } = stage(page([before]), page([before]))
    const listing = new Listing('active')
    const first = listing.load(api)
    letGo(0)
    await first

    const again = listing.load(api)
    listing.note(summary({ id: 'a', version: 2, status: 'processing' }))
    letGo(1)
    await again

    expect(listing.busyIds).toEqual(['a'])
  })

  test('drops a further page that a reload overtook', async () => {
    const first = page([summary({ id: 'a' })], 'old')
    const { api, letGo } = stage(first, page([summary({ id: 'late' })], 'older'), {
      ...first,
      nextCursor: 'new',
    })
    const listing = new Listing('active')
    const loaded = listing.load(api)
    letGo(0)
    await loaded
    const [more, again] = [listing.more(api), listing.load(api)]

    letGo(2)
    await again
    letGo(1)
    await more

    expect([ids(listing), listing.nextCursor]).toEqual([['a'], 'new'])
  })

  test('goes on behind its last page, each conversation once', async () => {
    const one = summary({ id: 'a', updatedAt: at(3) })
    const { api, asked, letGo } = stage(
      page([one], 'cursor'),
      page([one, summary({ id: 'b', updatedAt: at(1) })]),
    )
    const listing = new Listing('archived', 'price')
    const first = listing.load(api)
    letGo(0)
    await first
    const second = listing.more(api)
    letGo(1)
    await second

    expect(ids(listing)).toEqual(['a', 'b'])
    expect(asked).toEqual([
      { archived: true, limit: 50, search: 'price' },
      { archived: true, limit: 50, search: 'price', cursor: 'cursor' },
    ])
  })

  test('is loaded again as far as it was shown', async () => {
    const [a, b, c] = [3, 2, 1].map((minute) => summary({ id: `${minute}`, updatedAt: at(minute) })) as [
      Summary,
      Summary,
      Summary,
    ]
    const pages = [page([a], 'one'), page([b], 'two')]
    const { api, asked, letGo } = stage(...pages, page([c, a], 'three'), page([b], 'four'))
    const listing = new Listing('active')
    for (const [turn, load] of [() => listing.load(api), () => listing.more(api)].entries()) {
      const loaded = load()
      letGo(turn)
      await loaded
    }
    const again = listing.load(api)
    letGo(2)
    await expect.poll(() => asked.length).toBe(4)
    expect(ids(listing)).toEqual(['3', '2'])
    letGo(3)

    expect(await again).toBe(true)
    expect([ids(listing), listing.nextCursor]).toEqual([['3', '2', '1'], 'four'])
    expect(asked.map(({ cursor }) => cursor)).toEqual([undefined, 'one', undefined, 'three'])
  })

  test('takes over what is newer, in its order', () => {
    const listing = new Listing('active')
    listing.note(summary({ id: 'a', updatedAt: at(1) }))
    listing.note(summary({ id: 'b', updatedAt: at(2) }))
    expect(ids(listing)).toEqual(['b', 'a'])

    listing.note(summary({ id: 'a', version: 2, pinned: true, updatedAt: at(1) }))
    listing.note(summary({ id: 'a', version: 1, title: 'Older' }))

    expect(ids(listing)).toEqual(['a', 'b'])
    expect(listing.items[0]?.title).toBe('Price of the lamp')
  })

  test.each([
    ['another archive', new Listing('active'), summary({ archived: true })],
    ['no decision of the user', new Listing('waiting'), summary()],
    ['another search', new Listing('active', 'desk'), summary({ title: 'Lamp' })],
  ])('leaves out what belongs to %s', (_, listing, item) => {
    listing.note(item)

    expect(ids(listing)).toEqual([])
  })

  test('knows what is busy', () => {
    const listing = new Listing('active')
    const states = ['idle', 'processing', 'locked', 'tool_loop', 'awaiting_approval', 'failed'] as const
    for (const status of states) listing.note(summary({ id: status, status }))

    expect(listing.busyIds.sort()).toEqual(['locked', 'processing', 'tool_loop'])
  })
})
