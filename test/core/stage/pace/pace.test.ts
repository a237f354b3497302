import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import * as Table from '../../../../core/base/aws/table.ts'
import * as Item from '../../../../core/stage/pace/pace.ts'
import {
  book as bookFor,
  burstMs,
  correct,
  farthestMs,
  waits as waitsOf,
} from '../../../../core/stage/pace/pace.ts'
import * as Share from '../../../../core/stage/pace/share.ts'

const now = Date.parse('2026-11-20T12:00:00Z')
const limits = { uid: 7, requestsPerMinute: 60, tokensPerMinute: 60_000 }
const onlyTokens = { ...limits, requestsPerMinute: null }
type Limits = Parameters<typeof bookFor>[0]
const ahead = async () => (await waitsOf([limits], now)).map(({ all }) => all)
/** The time of a call that is booked for a group of its own, so that none waits for a share. */
const book = async (of: Limits, tokens: number, at: number) => {
  const time = await bookFor(of, { tenant: randomUUID(), weight: 1, hasWaited: false }, tokens, at)
  expect(time?.isBooked ?? true).toBe(true)
  return time?.at
}

beforeEach(() => Table.removeAll([Item.key(7), ...['a', 'b'].map((tenant) => Share.key(7, tenant))]))

describe('calls of a provider', () => {
  test('follow each other at its pace, after those that it takes at once', async () => {
    const starts: (number | undefined)[] = []
    for (let call = 0; call < 9; call++) starts.push(await book(limits, 10, now))

    expect(starts.map((at) => (at ?? 0) - now)).toEqual([0, 0, 0, 1_000, 2_000, 3_000, 4_000, 5_000, 6_000])
  })

  test('that are booked by many consumers at once get a time each', async () => {
    const starts = await Promise.all(Array.from({ length: 30 }, () => book(limits, 10, now)))

    const later = starts.map((at) => (at ?? 0) - now).filter((ms) => ms > 0)
    expect(later.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 27 }, (_, at) => (at + 1) * 1_000))
  })

  test('take as much as their tokens: a long one keeps the next waiting, whatever the number of requests', async () => {
    expect(await book(limits, 30_000, now)).toBe(now)
    expect(await book(limits, 10, now)).toBe(now + 30_000 - burstMs)
  })

  test('begin at once after a pause, however long it was', async () => {
    await book(limits, 30_000, now)

    expect(await book(limits, 30_000, now + 3_600_000)).toBe(now + 3_600_000)
    expect(await book(limits, 10, now + 3_600_000)).toBe(now + 3_600_000 + 30_000 - burstMs)
  })

  test('are corrected by what they took in truth', async () => {
    await book(onlyTokens, 30_000, now)
    await correct(onlyTokens, -20_000)

    expect(await book(onlyTokens, 10, now)).toBe(now + 10_000 - burstMs)
  })

  test('are not booked further ahead than ten minutes', async () => {
    await book(onlyTokens, 700_000, now)

    expect(await book(onlyTokens, 10, now)).toBeUndefined()
    expect(await ahead()).toEqual([700_000 - burstMs])
    expect(await book(onlyTokens, 10, now + 700_000 - burstMs - farthestMs)).toBeDefined()
  })
})

test('a provider without limits is not looked at', async () => {
  expect(await waitsOf([{ uid: 8, requestsPerMinute: null, tokensPerMinute: null }], now)).toEqual([])
})

describe('groups whose calls are more than the provider takes', () => {
  const perSecond = { uid: 7, requestsPerMinute: 60, tokensPerMinute: null }
  const call = (tenant: string, at = now, hasWaited = false, weight = 1) =>
    bookFor(perSecond, { tenant, weight, hasWaited }, 10, at)
  const seconds = (times: ({ at: number; isBooked: boolean } | undefined)[]) =>
    times.map((time) => [((time?.at ?? 0) - now) / 1_000, time?.isBooked])

  test('book one call that is far ahead, and their other turns come when there is room, one after the other', async () => {
    const times = []
    for (let made = 0; made < 12; made++) times.push(await call('a'))

    expect(seconds(times.slice(0, 8))).toEqual([0, 0, 0, 1, 2, 3, 4, 5].map((at) => [at, true]))
    expect(seconds(times.slice(8))).toEqual([
      [6, true],
      [2, false],
      [3, false],
      [4, false],
    ])
  })

  test('leave a place to another group right behind that', async () => {
    for (let made = 0; made < 50; made++) await call('a')

    expect(seconds([await call('b')])).toEqual([[7, true]])
  })

  test('are admitted when they come again at their time, before those that come for the first time', async () => {
    for (let made = 0; made < 11; made++) await call('a')
    const later = now + 3_000

    expect(await call('a', later)).toEqual({ at: later + 1_000, isBooked: false })
    expect(await call('a', later, true)).toEqual({ at: now + 7_000, isBooked: true })
  })

  type Group = 'a' | 'b'

  /** How many calls each of two groups makes in 30 s, whose turns all come at once and in this order. */
  async function contend(turns: Group[], weights: Record<Group, number>): Promise<Record<Group, number>> {
    const made = { a: 0, b: 0 }
    const due = turns.map((tenant) => ({ tenant, at: now, hasWaited: false }))
    for (;;) {
      due.sort((one, other) => one.at - other.at)
      const next = due.shift()
      if (!next || next.at > now + 30_000) return made
      const time = await call(next.tenant, next.at, next.hasWaited, weights[next.tenant])
      if (time?.isBooked) made[next.tenant]++
      else if (time) due.push({ ...next, at: time.at, hasWaited: true })
    }
  }
  const turnsOf = (group: Group, count: number): Group[] => Array.from({ length: count }, () => group)

  test('take turns while both have more than there is: half of the calls each', async () => {
    const { a, b } = await contend([...turnsOf('a', 60), ...turnsOf('b', 20)], { a: 1, b: 1 })

    expect(a + b).toBeGreaterThanOrEqual(35)
    expect(Math.abs(a - b)).toBeLessThanOrEqual(12)
  })

  test('have as many of them as their weights say, beside what both are admitted at once', async () => {
    const turns = turnsOf('a', 40).flatMap((group): Group[] => [group, 'b'])
    const { a, b } = await contend(turns, { a: 1, b: 3 })

    expect(a + b).toBeGreaterThanOrEqual(35)
    expect(b / a).toBeGreaterThan(1.8)
  })

  test('wait behind none that was stopped: with room, the next one is booked', async () => {
    for (let made = 0; made < 30; made++) await call('a')
    const later = now + 7_000

    expect(await call('a', later)).toEqual({ at: later, isBooked: true })
    expect(await waitsOf([perSecond], later)).toEqual([{ all: 1_000, byTenant: new Map() }])
  })

  test('have no turn that waits for longer than ten minutes, and those that are refused take no place', async () => {
    const lines = { booked: now + 9_000, first: now + farthestMs + 1, again: 0 }
    await Table.put({ ...Item.key(7), requests_until: now + 9_000, schema: 1 })
    await Table.put({ ...Share.key(7, 'a'), ...Share.codec.encode(lines) })

    expect(await call('a')).toBeUndefined()
    expect(Share.decode(await Table.get(Share.key(7, 'a')))).toEqual(lines)
    expect(await call('b')).toEqual({ at: now + 7_000, isBooked: true })
  })

  test('tell how long each of them waits for its share', async () => {
    for (let made = 0; made < 12; made++) await call('a')
    await call('b')

    expect(await waitsOf([perSecond], now)).toEqual([{ all: 8_000, byTenant: new Map([['a', 5_000]]) }])
  })
})
