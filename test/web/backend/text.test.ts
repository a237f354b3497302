import { expect, test } from 'vitest'
import { de } from '../../../web/backend/labels/de.ts'
import { en } from '../../../web/backend/labels/en.ts'
import { day, direction, preferred, t, until } from '../../../web/backend/text.ts'

const placeholders = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([name]) => name).sort()

test('German says everything that English says, with the same values in it', () => {
  expect(Object.keys(de)).toEqual(Object.keys(en))
  for (const [label, text] of Object.entries(en)) {
    expect([label, placeholders(de[label as keyof typeof en])]).toEqual([label, placeholders(text)])
  }
})

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
  [['fr', 'de'], 'de'],
  [['fr'], 'en'],
  [['ar-EG', 'en'], 'ar'],
  [[], 'en'],
])('of %j it speaks %s', (languages, expected) => {
  expect(preferred(languages)).toBe(expected)
})

test('a day of another year says so', () => {
  const now = new Date('2026-11-20T12:00:00Z')

  expect(day('2026-11-18T12:00:00Z', now)).toBe('18 Nov')
  expect(day('2025-11-18T12:00:00Z', now)).toBe('18 Nov 2025')
})

test.each([
  [400, 'in 1 second'],
  [61_000, 'in 61 seconds'],
  [840_001, 'in 15 minutes'],
])('%i ms is %s', (ms, expected) => {
  expect(until(ms)).toBe(expected)
})
