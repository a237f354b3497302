import { describe, expect, test } from 'vitest'
import { figuresOf, misplaced, withoutReferences } from '../../../scripts/eval/figure.ts'

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

describe('a figure belongs to', () => {
  const owned = [
    { is: 169, of: 'Vega' },
    { is: 319, of: 'Lumen' },
  ]
  test.each([
    'The Vega costs 169, the Lumen 319.',
    'Vega and Lumen cost 169 and 319.',
    '169 for the Vega, 319 for the Lumen.',
    '| | Vega | Lumen |\n|---|---|---|\n| Price | 169 | 319 |',
    '**Vega**\n- Price: 169\n\n**Lumen**\n- Price: 319',
    'It is 150 more for the Lumen (319) than for the Vega (169).',
  ])('whom %j names', (text) => {
    expect(misplaced(text, owned)).toEqual([])
  })

  test.each([
    'The Vega costs 319, the Lumen 169.',
    'Vega and Lumen cost 319 and 169.',
    '319 for the Vega, 169 for the Lumen.',
    '| | Vega | Lumen |\n|---|---|---|\n| Price | 319 | 169 |',
    '**Vega**\n- Price: 319\n\n**Lumen**\n- Price: 169',
  ])('nobody else, as in %j', (text) => {
    expect(misplaced(text, owned)).toEqual(owned)
  })
})
