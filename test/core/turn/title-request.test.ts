import { expect, test } from 'vitest'
import { titleIn } from '../../../core/turn/title-request.ts'

test.each([
  ['Aurora lamp: price', 'Aurora lamp: price'],
  ['  "Aurora lamp: price"\n\nThis title names …', 'Aurora lamp: price'],
  ['„Preis der Lampe“', 'Preis der Lampe'],
  ['« Prix de la lampe »', 'Prix de la lampe'],
  ['**Aurora lamp**', 'Aurora lamp'],
  ['# Aurora lamp.', 'Aurora lamp'],
  ['“Aurora” and “Borealis”', '“Aurora” and “Borealis”'],
  ['Aurora \u202elamp\u{e0041}\t now', 'Aurora lamp now'],
  [
    'Aurora lamp and Borealis desk: prices, weights and colours of all variants',
    'Aurora lamp and Borealis desk: prices, weights and colours…',
  ],
])('the title in %j is %j', (text, title) => {
  expect(titleIn(text)).toBe(title)
})

test.each(['', ' \n', '""', 'password: hunter2hunter2', 'word '.repeat(40)])('%j holds no title', (text) => {
  expect(titleIn(text)).toBeUndefined()
})
