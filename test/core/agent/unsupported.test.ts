import { describe, expect, test } from 'vitest'
import { findUnsupported } from '../../../core/agent/unsupported.ts'

const now = Date.UTC(2026, 10, 25)
const lone = (answer: string, read: string, user = '', hasResults = true) =>
  findUnsupported(answer, { read: `Today: Wednesday, 2026-11-25\n${read}\n${user}`, user, now, hasResults })

describe('a figure that follows from what was read has no mark:', () => {
  test.each<[what: string, answer: string, read: string, user?: string]>([
    ['as it stands', 'It costs 149 EUR.', 'price: 149'],
    ['in another form', 'Cela coûte 1 234,50 €, also 1.234,50 € or $1,234.50.', 'price: 1234.5'],
    ['from words', 'It takes 38 days.', 'achtunddreißig Tage'],
    ['in words', 'It takes two to three weeks.', ''],
    ['a difference', 'The Vega is 150 EUR cheaper.', 'Vega: 169 EUR. Lumen: 319 EUR.'],
    ['a sum of many', 'Together 1,177 EUR.', '149 EUR, 169 EUR, 319 EUR, 540 EUR'],
    ['a product', 'Twelve cost 1,788 EUR.', 'price 149 EUR', 'What do 12 lamps cost?'],
    ['a discount', 'With it: 126.65 EUR, that is 22.35 EUR less.', '149 EUR', 'What if we give 15 % off?'],
    ['a share', 'That is 18 % more.', 'old 149 EUR, new 176 EUR'],
    ['an average', 'On average 212.33 EUR.', '149 EUR, 169 EUR, 319 EUR'],
    ['rounded', 'About 1,500 visitors, rund 20 EUR.', '1,487 visitors; 19.90 EUR'],
    ['rounded, without a word for it', 'It costs 150 EUR.', '149.99 EUR'],
    ['a unit', 'It is 1.2 m wide and 46 cm high.', 'width 120 cm, height 460 mm'],
    ['a scale', 'They earn 1.2 million EUR.', 'sales: 1200000'],
    ['a count', 'I found 12 pages, 7 of them hidden, on 3 levels.', ''],
    ['numbers of a list', '1. One\n2. Two\n103. Three', ''],
    ['a length that is advised', 'Keep it within 155 characters or 1200 pixels.', ''],
    ['a year and today', 'In 2026, on 25 November 2026, and in 2027.', ''],
    ['a day in words', 'Am 1. Dezember 2026, le 1er décembre 2026, on December 1, 2026.', 'start 2026-12-01'],
    ['a day soon', 'On Monday, 30 November 2026.', '', 'Publish it on Monday'],
    ['a day some time later', 'It ends on 24 January 2027.', 'from 2026-11-25', 'for 60 days'],
    ['a day in months', 'Until 12 March 2027.', 'since 12.12.2026', '3 months'],
    ['time from now', 'That is in 29 days, or 4 weeks.', 'on 2026-12-24'],
    ['time of day', 'At 08:00, at 14:05 UTC.', ''],
    ['names with numbers', 'ISO 8601, HTTP 404, WCAG 2.1, A4, version 4.5.1, +49 30 123456, 01069.', ''],
    ['an address', 'See https://example.com/404/page-1999 or [it](https://e.org/7777).', ''],
    ['a reference', 'See “Lamp” [1731] and pages [pages:4211], uid 887.', ''],
    ['code', 'Use `SELECT 4711` or\n```\n4711 EUR\n```', ''],
    ['entities', 'It costs 1 490 EUR.', '1&nbsp;490 EUR'],
  ])('%s', (_, answer, read, user) => {
    expect(lone(answer, read, user)).toEqual([])
  })
})

describe('a figure that stands nowhere is marked:', () => {
  const read = 'Aurora lamp: 149 EUR, 46 cm, 25,000 hours. Vega: 169 EUR. Updated 2026-11-02 10:00 UTC.'
  test.each([
    ['a price', 'The lamp costs 1,743 EUR.', ['1,743']],
    ['a price before its sign', 'La lampe coûte €587.', ['587']],
    ['a percentage', 'It is 63.7 % cheaper.', ['63.7']],
    ['a measure', 'It is 287 cm high.', ['287']],
    ['a time', 'You can return it within 45 days.', ['45']],
    ['a large number', '4,271 visitors have read it.', ['4,271']],
    ['a year', 'Founded in 1987.', ['1987']],
    ['a day', 'It was published on 12 March 2019.', ['12 March 2019']],
    ['a day in German', 'Erschienen am 12. März 2019.', ['12. März 2019']],
    ['a day in digits', 'Erschienen am 12.03.2019.', ['12.03.2019']],
    ['one among others', 'Aurora 149 EUR, Vega 169 EUR, Nova 733 EUR.', ['733']],
  ])('%s', (_, answer, marked) => {
    expect(lone(answer, read)).toEqual(marked)
  })

  test('where nothing was read, prices and days alone, and not those of an example', () => {
    expect(lone('It costs 587 EUR; 4,271 came.', '', '', false)).toEqual(['587'])
    expect(lone('Say: “Change the price to 139 EUR”.', '', '', false)).toEqual([])
  })
})

test('a long answer with many figures is looked at in a moment', () => {
  const numbers = Array.from({ length: 3_000 }, (_, at) => `${at * 7 + 3} EUR`).join(', ')
  expect(lone(numbers, numbers.replaceAll('7', '1')).length).toBeLessThanOrEqual(60)
})

test('sixty made-up prices beside a long list of small ones have no source', () => {
  const list = Array.from({ length: 200 }, (_, at) => `${(at * 0.37 + 3.11).toFixed(2)} EUR`).join('\n')
  const invented = Array.from({ length: 60 }, (_, at) => `${123_456 + at * 7_919}.${10 + at}`)

  expect(lone(invented.map((price) => `${price} EUR`).join('\n'), list)).toEqual(invented)
})

test('a share of a sum of read prices that begins anywhere in their list has a source', () => {
  const list = '9 EUR\n20 EUR\n31 EUR\n47 EUR\nDiscount: 15 EUR of 100'

  expect(lone('With 15 % off the last three cost 83.30 EUR, not 83.90 EUR.', list)).toEqual(['83.90'])
})
