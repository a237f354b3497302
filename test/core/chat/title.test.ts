import fc from 'fast-check'
import { expect, test } from 'vitest'
import { title } from '../../../core/chat/conversation.ts'

const words =
  'one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen'

test.each([
  ['Hello', undefined, 'Hello'],
  ['  Hello\n\n there\t you ', undefined, 'Hello there you'],
  ['', 'prices.pdf', 'prices.pdf'],
  ['   ', 'prices.pdf', 'prices.pdf'],
  ['\u200b\u0000', 'prices.pdf', 'prices.pdf'],
  ['A\u0000price\u0007 of\u001b a lamp', undefined, 'A price of a lamp'],
  ['', undefined, ''],
  ['x'.repeat(80), undefined, 'x'.repeat(80)],
  ['x'.repeat(81), undefined, `${'x'.repeat(79)}…`],
  [words, undefined, 'one two three four five six seven eight nine ten eleven twelve thirteen…'],
  ['😀'.repeat(81), undefined, `${'😀'.repeat(79)}…`],
])('%j with file %j is titled %j', (content, file, wanted) => {
  expect(title(content, file)).toBe(wanted)
})

test.each([
  ['Summarise', ['Aurora lamp'], 'Summarise Aurora lamp'],
  ['Translate into German', ['Aurora lamp'], 'Translate into German – Aurora lamp'],
  ['What is new? ', ['News', 'Home'], 'What is new? – News, Home'],
  ['Summarise the aurora lamp', ['Aurora lamp'], 'Summarise the aurora lamp'],
  ['Compare Home', ['News', 'Home'], 'Compare Home – News'],
  ['', ['Aurora lamp'], 'Aurora lamp'],
  ['Summarise', ['Aurora\n\u0000lamp'], 'Summarise Aurora lamp'],
  [words, ['Aurora lamp'], 'one two three four five six seven eight nine ten eleven twelve thirteen…'],
])('%j that names %j is titled %j', (content, titles, wanted) => {
  const mentions = titles.map((title) => ({ title }))

  expect(title(content, undefined, mentions)).toBe(wanted)
})

test('whatever is written: one line of at most 80 characters', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (content) => {
      const made = title(content, undefined)
      expect([...made].length).toBeLessThanOrEqual(80)
      expect(made).not.toMatch(/[\n\r]/)
    }),
  )
})
