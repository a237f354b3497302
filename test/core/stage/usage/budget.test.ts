import { expect, test } from 'vitest'
import { budgetSpent, dayOf, isSpent, tokensOf, untilMidnight } from '../../../../core/stage/usage/budget.ts'

test.each([
  ['2026-02-28T23:59:59.999Z', '2026-02-28', 1],
  ['2026-03-01T00:00:00.000Z', '2026-03-01', 86_400_000],
  ['2026-03-01T18:30:00.000Z', '2026-03-01', 19_800_000],
])('%s is on %s, and the next day begins in %i ms', (at, day, ms) => {
  const now = Date.parse(at)

  expect([dayOf(now), untilMidnight(now)]).toEqual([day, ms])
})

test('a spent budget says when it is possible again', () => {
  expect(budgetSpent(Date.parse('2026-03-01T23:00:00Z'))).toMatchObject({
    code: 'user.budgetSpent',
    retryAfterMs: 3_600_000,
  })
})

test.each([
  [null, 1_000_000, false],
  [100, 99, false],
  [100, 100, true],
])('a limit of %s tokens after %i is spent: %s', (daily, used, spent) => {
  expect(isSpent(daily, used)).toBe(spent)
})

test('all that was read and written counts', () => {
  expect(tokensOf({ input: 100, output: 20 })).toBe(120)
})
