import { expect, test } from 'vitest'
import { isRecord } from '../../core/json.ts'

test.each<[string, unknown, boolean]>([
  ['an object', { a: 1 }, true],
  ['an empty object', {}, true],
  ['a list', [], false],
  ['null', null, false],
  ['nothing', undefined, false],
  ['a text', '{}', false],
  ['a number', 1, false],
])('%s is or is not an object with names', (_, value, expected) => {
  expect(isRecord(value)).toBe(expected)
})
