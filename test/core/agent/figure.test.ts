import { expect, test } from 'vitest'
import { figuresOf, withoutReferences } from '../../../core/agent/figure.ts'

test.each([
  ['149 EUR', 149],
  ['1,490 EUR', 1490],
  ['1.490 EUR', 1490],
  ['1 490 EUR', 1490],
  ['1\u00a0490 EUR', 1490],
  ['6.90 EUR', 6.9],
  ['6,90 EUR', 6.9],
  ['12,345.50', 12345.5],
  ['216×92×80 cm', 92],
  ['pages 30,40', 40],
  ['two to three weeks', 3],
  ['achtunddreißig Euro', 38],
  ['vingt-deux lampes', 22],
])('%j names the figure %d', (text, figure) => {
  expect(figuresOf(text).has(figure)).toBe(true)
})

test('a figure within another is none, and a reference to a record is no figure', () => {
  expect(figuresOf('It costs 1490 EUR [31]')).toEqual(new Set([1490, 31]))
  expect(figuresOf(withoutReferences('It costs 1490 EUR [31], see uid 7 and [pages:9]'))).toEqual(
    new Set([1490]),
  )
})
