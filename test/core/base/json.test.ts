import { expect, test } from 'vitest'
import { isDeeper, isRecord, own, parsedJson } from '../../../core/base/json.ts'

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

test.each<[unknown, number, boolean]>([
  [1, 0, false],
  [{}, 0, true],
  [{ a: 1 }, 1, false],
  [{ a: [] }, 1, true],
  [{ a: [], b: [1, { c: null }] }, 2, true],
  [{ a: [], b: [1, { c: null }] }, 3, false],
])('%j in more than %i levels: %s', (value, levels, expected) => {
  expect(isDeeper(value, levels)).toBe(expected)
})

test('a value of any depth is measured', () => {
  const deep = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`)

  expect(isDeeper(deep, 32)).toBe(true)
})
