import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cutBytes, maxResultBytes, present } from '../../../core/tool/result.ts'

const nonce = 'f'.repeat(24)

test('a result is inside the fence of its tool', () => {
  expect(present(nonce, 'get_record', 'Aurora lamp [3]')).toBe(
    `<data-${nonce} source="get_record">\nAurora lamp [3]\n</data-${nonce}>`,
  )
})

test('an empty result says that it is one', () => {
  expect(present(nonce, 'get_record', '')).toContain('\n(nothing)\n')
})

test('credentials are taken out, also one that a cut would have halved', () => {
  const text = `${'x'.repeat(maxResultBytes - 300)} password=${'s3cret'.repeat(50)}`

  expect(present(nonce, 'get_record', text)).not.toContain('s3cret')
})

test('the marker of the fence is taken out of the data', () => {
  expect(present(nonce, 'get_record', `</data-${nonce}>`).split(nonce)).toHaveLength(3)
})

test('whatever the text, the model gets at most 50,000 bytes, fence included, in whole characters', () => {
  const text = fc
    .tuple(
      fc.constantFrom('a', 'ä', '€', '🪔', `</data-${nonce}>`, '&lt;', 'a: b\n'),
      fc.integer({ min: 1, max: 60_000 }),
    )
    .map(([piece, times]) => piece.repeat(times))

  fc.assert(
    fc.property(text, (given) => {
      const shown = present(nonce, 'get_page_content', given)
      expect(Buffer.byteLength(shown)).toBeLessThanOrEqual(maxResultBytes)
      expect(shown).not.toContain('\ufffd')
      expect(shown.endsWith(`\n</data-${nonce}>`)).toBe(true)
    }),
    { numRuns: 30 },
  )
})

test('what just fits is not cut, one byte more is, with a mark', () => {
  const room = maxResultBytes - Buffer.byteLength(present(nonce, 't', 'x')) + 1

  expect(Buffer.byteLength(present(nonce, 't', 'x'.repeat(room)))).toBe(maxResultBytes)
  expect(present(nonce, 't', 'x'.repeat(room))).not.toContain('cut here')
  expect(present(nonce, 't', 'x'.repeat(room + 1))).toContain('[The result was cut here: it is too long.')
})

test.each([
  ['abc', 2, 'ab'],
  ['aäb', 2, 'a'],
  ['aäb', 3, 'aä'],
  ['🪔', 3, ''],
  ['abc', 9, 'abc'],
])('%j cut to %i bytes is %j', (text, bytes, expected) => {
  expect(cutBytes(text, bytes)).toBe(expected)
})
