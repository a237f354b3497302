import { expect, test } from 'vitest'
import type { UsageAnswer, UsageSum } from '../../core/stage/usage/schema.ts'
import { barsOf } from '../../web/usage-chart.ts'

const sum: UsageSum = {
  turns: 2,
  failed: 0,
  calls: 4,
  input: 100,
  output: 20,
  cacheRead: 10,
  cacheWrite: 0,
  dollars: null,
}
const report = (over: Partial<UsageSum>): UsageAnswer => ({
  from: '2026-10-20',
  to: '2026-11-02',
  since: '2026-10-30',
  total: { ...sum, ...over },
  budget: { stage: null, user: null },
  unpriced: [],
  byUser: [],
  byGroup: [],
  byModel: [],
  byDay: [{ ...sum, ...over, key: '2026-11-01', name: null }],
})

test.each([
  ['tokens', {}, 120],
  ['turns', { input: 0, output: 0 }, 2],
] as const)('each counted day has a bar of %s, also over the end of a month', (unit, over, value) => {
  expect(barsOf(report(over))).toEqual({
    unit,
    bars: [
      { day: '2026-10-30', value: 0 },
      { day: '2026-10-31', value: 0 },
      { day: '2026-11-01', value },
      { day: '2026-11-02', value: 0 },
    ],
  })
})
