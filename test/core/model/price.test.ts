import { expect, test } from 'vitest'
import { microDollars, microDollarsOf } from '../../../core/model/price.ts'
import { cardOf } from '../../../core/stage/settings/cards.ts'

const usage = (input: number, over: object = {}) => ({
  input,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  ...over,
})
const pricesOf = (model: string) => cardOf(model)?.prices ?? null

test('a model without prices costs an unknown sum, and never nothing', () => {
  expect([microDollars(usage(1_000), null), microDollarsOf([usage(1_000)], null)]).toEqual([null, null])
})

test.each([
  ['read', usage(1_000_000), 2],
  ['written', usage(0, { output: 1_000_000 }), 10],
  ['read from the cache', usage(1_000_000, { cacheRead: 1_000_000 }), 0.1],
  ['kept in the cache for minutes', usage(1_000_000, { cacheWrite: 1_000_000 }), 2.5],
  ['kept for an hour', usage(1_000_000, { cacheWrite: 1_000_000, cacheWriteHour: 1_000_000 }), 4],
])('a million tokens of Sonnet 5.5 that are %s cost what the card says', (_, used, dollars) => {
  expect(microDollars(used, pricesOf('claude-sonnet-5-5'))).toBe(dollars * 1e6)
})

test('from its step on a longer prompt makes the whole request dearer, what it writes included', () => {
  const haiku = pricesOf('claude-haiku-5-5')
  const [short, long] = [
    usage(100_000, { output: 1_000 }),
    usage(100_001, { cacheRead: 100_000, output: 1_000 }),
  ]

  expect(microDollars(short, haiku)).toBe(100_000 * 0.1 + 1_000 * 0.5)
  expect(microDollars(long, haiku)).toBe(Math.round(0.5 + 100_000 * 0.05 + 1_000 * 2.5))
  expect(microDollarsOf([short, long], haiku)).toBe(10_500 + 7_501)
})
