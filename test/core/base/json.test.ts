import { expect, test } from 'vitest'
import { isRecord, own, parsedJson } from '../../../core/base/json.ts'

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

test.each<[string, unknown, unknown]>([
  ['a JSON text', '{"a":[1]}', { a: [1] }],
  ['the text null', 'null', null],
  ['a torn text', '{"a":', undefined],
  ['no text', { a: 1 }, undefined],
])('%s is read', (_, text, expected) => {
  expect(parsedJson(text)).toEqual(expected)
})

test.each(['constructor', '__proto__', 'toString', 'b'])(
  'a record has no value of its own under %s',
  (name) => {
    expect([own({ a: 1 }, 'a'), own<unknown>({ a: 1 }, name)]).toEqual([1, undefined])
  },
)
