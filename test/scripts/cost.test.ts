import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { metrics } from '../../core/base/metric/name.ts'
import { readDeployment, readSettings } from '../../infra/deployment.ts'
import { assumptions, assumptionsOf, optionOf, withOptions } from '../../scripts/cost/assumption.ts'
import { idle, inUse, measured, priceTurn, tokens, total } from '../../scripts/cost/bill.ts'
import { price } from '../../scripts/cost/price.ts'

const units = { pollReads: 4, sendWrites: 10, roundWrites: 16 }

test('a month without users costs less than 3 dollars, and every part of it is named', () => {
  const items = idle(assumptions)

  expect(total(items)).toBeLessThan(3)
  expect(items.map(({ what }) => what)).toEqual([
    'cleanup: schedule and function, every minute',
    'cleanup: looks into the indexes',
    'cleanup: its log',
    'queue: long polls of an empty queue',
    'alarms: 20 metrics',
    'dashboards: 0',
  ])
  for (const { dollars } of items.slice(0, -1)) expect(dollars).toBeGreaterThan(0)
})

test('a turn is the sum of what it asks of AWS', () => {
  const it = {
    ...assumptions,
    turnSeconds: 3,
    pollMs: 1_500,
    toolRounds: 0,
    pollFunctionMs: 0,
    sendFunctionMs: 0,
    logKilobytes: 0,
    turnKilobytes: 0,
    listFunctionMs: 0,
  }
  const bill = Object.fromEntries(priceTurn(it, units).map(({ what, dollars }) => [what, dollars * 1e6]))

  // Per million: CDN 1, two runs at the edge 0.2, gateway 1, invocation 0.2.
  const request = 2.4
  expect(bill['send: request, function, rows, queue']).toBeCloseTo(request + 10 * 0.625 + 3 * 0.4, 6)
  expect(bill['polls: 2 requests with their reads']).toBeCloseTo(2 * (request + 4 * 0.125), 6)
  expect(bill['lists and status: 3 requests with their reads']).toBeCloseTo(3 * (request + 14 * 0.125), 6)
  expect(bill['process: the function while it waits']).toBeCloseTo(0.2 + 3 * 13.3334, 6)
  expect(bill['process: rows of 1 rounds']).toBeCloseTo(16 * 0.625, 6)
  expect([bill.logs, bill['kept: table and backup']]).toEqual([0, 0])
})

test('a stage in use pays for each of its metrics, and every price is part of a bill', () => {
  const count = Object.keys(metrics).length
  expect(inUse(assumptions)[0]).toEqual({ what: `metrics: ${count}`, dollars: count * 0.3 })

  const model = readFileSync(new URL('../../scripts/cost/bill.ts', import.meta.url), 'utf8')
  expect(Object.keys(price).filter((name) => !model.includes(`price.${name}`))).toEqual([])
})

test('tokens cost what the provider takes for a million', () => {
  const it = { ...assumptions, inputTokens: 1e6, outputTokens: 2e6, inputPrice: 3, outputPrice: 15 }

  expect(tokens(it).dollars).toBe(33)
})

test('a stage is priced by its own model and canary', () => {
  const it = assumptionsOf(readSettings('production'), {
    ...readDeployment('dev'),
    canary: { everyMinutes: 5, turnsEveryHours: 6, user: 'canary', page: 3 },
  })

  expect([it.inputPrice, it.outputPrice]).toEqual([2, 10])
  expect(inUse(it)[1]).toEqual({
    what: 'canary: 122 visits that ask the model',
    dollars: expect.closeTo(5.84),
  })
  expect(inUse(assumptionsOf(readSettings('dev'), readDeployment('dev')))[1]?.dollars).toBe(0)
})

test('a slower model costs more of the function and more polls', () => {
  const of = (turnSeconds: number) => total(priceTurn({ ...assumptions, turnSeconds }, units))

  expect(of(60)).toBeGreaterThan(2 * of(15))
})

test('the units are those that were measured, within the bounds of the contract', () => {
  const { pollReads, sendWrites, roundWrites } = measured()

  expect(pollReads).toBeLessThanOrEqual(4)
  expect(sendWrites).toBeLessThanOrEqual(16)
  expect(roundWrites).toBeLessThanOrEqual(18)
})

test('every assumption is an option', () => {
  const changed = withOptions(assumptions, { 'turns-per-day': '7', 'input-price': '0.25' })

  expect(changed).toEqual({ ...assumptions, turnsPerDay: 7, inputPrice: 0.25 })
  expect(Object.keys(assumptions).map(optionOf)).toContain('cleanup-read-units')
})

test.each(['-1', 'many', '1e3', ''])('%j is no value of an option', (value) => {
  expect(() => withOptions(assumptions, { 'turns-per-day': value })).toThrow('--turns-per-day')
})
