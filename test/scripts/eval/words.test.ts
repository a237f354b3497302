import { expect, test } from 'vitest'
import { figuresOf, languageOf } from '../../../scripts/eval/words.ts'

test.each([
  ['149 EUR', 149],
  ['1,490 EUR', 1490],
  ['1.490 EUR', 1490],
  ['1\u00a0490 EUR', 1490],
  ['6.90 EUR', 6.9],
  ['6,90 EUR', 6.9],
  ['12,345.50', 12345.5],
  ['216×92×80 cm', 92],
  ['pages 30,40', 40],
])('%j names the figure %d', (text, figure) => {
  expect(figuresOf(text).has(figure)).toBe(true)
})

test('a figure within another is none', () => {
  expect(figuresOf('It costs 1490 EUR [31]')).toEqual(new Set([1490, 31]))
})

test.each([
  ['The lamp is on the table.', 'en'],
  ['Die Lampe ist auf dem Tisch.', 'de'],
  ['Der Titel ist „What is the price of the lamp and of the desk“ und nicht kurz.', 'de'],
  ['149 EUR', undefined],
])('the language of %j is %s', (text, lang) => {
  expect(languageOf(text)).toBe(lang)
})
