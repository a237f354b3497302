import { expect, test } from 'vitest'
import {
  amount,
  date,
  day,
  direction,
  locale,
  moment,
  preferred,
  t,
  until,
} from '../../../web/backend/text.ts'
import { dollars } from '../../../web/usage-figures.ts'

test('a label takes its values', () => {
  expect(t('list.range', { from: 1, to: 50, total: 60 })).toBe('1 to 50 of 60')
})

test.each([
  ['ar', 'rtl'],
  ['AR-eg', 'rtl'],
  ['he', 'rtl'],
  ['de', 'ltr'],
  ['', 'ltr'],
])('%s is written %s', (lang, expected) => {
  expect(direction(lang)).toBe(expected)
})

test.each([
  [['de-AT', 'en'], 'de'],
  [['eo', 'de'], 'de'],
  [['eo'], 'en'],
  [['ar-EG', 'en'], 'ar'],
  [[], 'en'],
])('of %j it speaks %s', (languages, expected) => {
  expect(preferred(languages)).toBe(expected)
})

test('a day of another year says so', () => {
  const now = new Date('2026-11-20T12:00:00Z')

  expect(day('2026-11-18T12:00:00Z', now)).toBe('18 Nov')
  expect(day('2025-11-18T12:00:00Z', now)).toBe('18 Nov 2025')
  expect(moment('2026-11-18T12:00:00', now)).toBe('18 Nov, 12:00')
  expect(moment('2025-11-18T12:00:00', now)).toBe('18 Nov 2025, 12:00')
})

test('figures are short and say what is known', () => {
  expect([date('2026-11-18'), amount(12_400), dollars(locale(), 12.4), dollars(locale(), 0.0052)]).toEqual([
    '18 Nov 2026',
    '12,400',
    '$12.40',
    '$0.005',
  ])
})

test.each([
  [400, 'in 1 second'],
  [61_000, 'in 61 seconds'],
  [840_001, 'in 15 minutes'],
])('%i ms is %s', (ms, expected) => {
  expect(until(ms)).toBe(expected)
})
