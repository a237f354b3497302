import { expect, test } from 'vitest'
import { readSettings } from '../../../infra/deployment.ts'
import { costOf, firstRequest, longCourse, standingOrder } from '../../../scripts/cost/course.ts'

const settings = readSettings('production')

test('400 turns with two tools and a pause each cost less than 60 dollars, and know how they began', () => {
  const { dollars, last } = costOf(longCourse, settings)

  expect(dollars).toBeGreaterThan(10)
  expect(dollars).toBeLessThan(60)
  const sent = JSON.stringify(last.messages)
  expect([sent.includes(firstRequest), sent.includes(standingOrder)]).toEqual([true, true])
})

test('a turn reads from the cache what the turn before it has sent, and after a pause nothing', () => {
  const of = (pauseMinutes: number) => costOf({ ...longCourse, turns: 8, pauseMinutes }, settings).dollars

  expect(of(0)).toBeLessThanOrEqual(of(4))
  expect(of(4)).toBeLessThan(of(10) * 0.7)
})

test('without a budget everything is sent again and again', () => {
  const of = (historyTokens: number | null) =>
    costOf({ ...longCourse, turns: 60 }, { ...settings, historyTokens })

  expect(of(null).dollars).toBeGreaterThan(2 * of(120_000).dollars)
})

test('each turn is told before it is counted', () => {
  const told: number[] = []

  costOf({ ...longCourse, turns: 3 }, settings, (turn) => told.push(turn))

  expect(told).toEqual([0, 1, 2])
})

test('a model without prices has no cost', () => {
  const models = settings.models.map((model) => ({ ...model, prices: null }))

  expect(() => costOf(longCourse, { ...settings, models })).toThrow('no prices')
})
