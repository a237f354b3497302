import { beforeEach, describe, expect, test } from 'vitest'
import * as Table from '../../../core/aws/table.ts'
import * as Item from '../../../core/pace/item.ts'
import { book, burstMs, correct, farthestMs, waits } from '../../../core/pace/pace.ts'

const now = Date.parse('2026-11-20T12:00:00Z')
const limits = { uid: 7, requestsPerMinute: 60, tokensPerMinute: 60_000 }
const onlyTokens = { ...limits, requestsPerMinute: null }
const ahead = () => waits([limits], now)

beforeEach(() => Table.remove(Item.key(7)))

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
  expect(await waits([{ uid: 8, requestsPerMinute: null, tokensPerMinute: null }], now)).toEqual([])
})
