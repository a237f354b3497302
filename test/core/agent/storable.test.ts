import fc from 'fast-check'
import { expect, test } from 'vitest'
import { maxValueBytes, storable } from '../../../core/agent/write-outcome.ts'

const stored = (detail: Record<string, unknown>) => JSON.parse(JSON.stringify(storable(detail)))
const size = (value: unknown) => Buffer.byteLength(JSON.stringify(value))

test('a detail is kept as it is', () => {
  const detail = { kind: 'tool', round: 2, arguments: { table: 'pages', uids: [1, 2] }, error: null }

  expect(stored({ ...detail, nothing: undefined })).toEqual(detail)
})

test.each([
  ['in a text', 'Authorization: Bearer abcdef1234567890', 'Authorization: [redacted]'],
  ['by the name of its field', { password: 'open sesame' }, { password: '[redacted]' }],
  ['deep inside', [{ note: 'sk-ant-api03-abcdefgh12345678' }], [{ note: '[redacted]' }]],
])('a secret is not kept: %s', (_, result, kept) => {
  expect(stored({ result })).toEqual({ result: kept })
})

test('a value beyond 100 KB is cut to its beginning', () => {
  const { result, error } = stored({ result: 'ä'.repeat(200_000), error: 'no' })

  expect(result).toMatch(/^ä+ \[cut\]$/)
  expect(size(result)).toBeLessThanOrEqual(maxValueBytes)
  expect(size(result)).toBeGreaterThan(maxValueBytes * 0.8)
  expect(error).toBe('no')
})

test('a large object becomes the beginning of its text', () => {
  const { arguments: args } = stored({ arguments: { body: 'x'.repeat(200_000) } })

  expect(args).toMatch(/^\{"body":"x+ \[cut\]$/)
})

test('whatever is recorded, the item stays far below what the table takes', () => {
  const value = fc.oneof(
    fc
      .string({ unit: 'binary', minLength: 0, maxLength: 20 })
      .chain((text) => fc.nat(40_000).map((times) => text.repeat(times).slice(0, 400_000))),
    fc.jsonValue(),
  )
  fc.assert(
    fc.property(fc.dictionary(fc.string({ maxLength: 10 }), value, { maxKeys: 8 }), (detail) => {
      expect(size(storable(detail))).toBeLessThanOrEqual(320_000)
    }),
    { numRuns: 30 },
  )
})
