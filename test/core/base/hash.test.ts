import fc from 'fast-check'
import { expect, test } from 'vitest'
import { canonical, hash } from '../../../core/base/hash.ts'

test.each([
  [{ b: 1, a: { d: [2, { f: 3, e: 4 }], c: null } }, '{"a":{"c":null,"d":[2,{"e":4,"f":3}]},"b":1}'],
  [{ a: undefined, b: 'ä' }, '{"b":"ä"}'],
  [[3, 1, 2], '[3,1,2]'],
  [undefined, 'null'],
])('%j reads %s', (value, text) => {
  expect(canonical(value)).toBe(text)
})

const reversed = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(reversed)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, item]) => [name, reversed(item)]),
  )
}

test('the order of keys does not matter, at any depth', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(hash(reversed(value))).toBe(hash(value))
    }),
  )
})

test('different values have different hashes', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
      expect(hash(one) === hash(other)).toBe(canonical(one) === canonical(other))
      expect(JSON.parse(canonical(one))).toEqual(JSON.parse(JSON.stringify(one)))
    }),
  )
})
