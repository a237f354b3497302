import { expect, test } from 'vitest'
import { replacePassage } from '../../../core/cms/change.ts'

test.each([
  ['149 EUR', '149', '139', { times: 1, value: '139 EUR' }],
  ['a $& b', '$&', '$1', { times: 1, value: 'a $1 b' }],
  ['one two one', 'one', 'x', { times: 2, value: 'one two one' }],
  ['one', 'two', 'x', { times: 0, value: 'one' }],
  ['aaa', 'aa', 'x', { times: 2, value: 'aaa' }],
])('in “%s”, “%s” is replaced with “%s” where it is there once', (text, find, replace, expected) => {
  expect(replacePassage(text, { find, replace })).toEqual(expected)
})

test('in the texts of a rich text, and never in the names of its nodes', () => {
  const nodes = (text: string) => ({ root: { type: 'text', children: [{ type: 'text', text }] } })

  expect(replacePassage(nodes('A text'), { find: 'text', replace: 'word' })).toEqual({
    times: 1,
    value: nodes('A word'),
  })
})
