import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { gap, passages } from '../../../core/agent/previewed.ts'

const shown = (before: string | null, after: string | null) => {
  const change = passages({ field: 'body', label: 'Text', before, after })
  return [change.before, change.after]
}
const words = (count: number) => Array.from({ length: count }, (_, at) => `word${at}`).join(' ')

test.each([
  ['short ones', 'Lamp', 'Aurora lamp'],
  ['a new one, however long', null, words(2_000)],
  ['a removed one', words(2_000), null],
])('%s are shown whole', (_, before, after) => {
  expect(shown(before, after)).toEqual([before, after])
})

describe('of a long value', () => {
  const before = words(1_000)

  test('each changed passage is shown with its context', () => {
    const [old, fresh] = shown(before, before.replace('word100 ', 'CHANGED ').replace('word800 ', ''))

    expect(old?.split(gap)).toEqual([
      '',
      expect.stringMatching(/^ word7\d .* word99 word100 word101 .* word11\d $/),
      expect.stringMatching(/^ word7\d\d .* word799 word800 word801 .* word8\d\d $/),
      '',
    ])
    expect(fresh).toBe(old?.replace('word100 ', 'CHANGED ').replace('word800 ', ''))
  })

  test('an added end is shown behind what precedes it', () => {
    const [old, fresh] = shown(before, `${before} The end.`)

    expect(old).toMatch(/^\[…\] word\d+ .* word999$/)
    expect(fresh).toBe(`${old} The end.`)
  })

  test('a rewrite is shown from its first change to its last', () => {
    const middle = (prefix: string) => Array.from({ length: 3_000 }, (_, at) => `${prefix}${at}`).join(' ')
    const text = (prefix: string) => `${before} ${middle(prefix)} ${before}`

    const [old, fresh] = shown(text('old'), text('new'))

    expect(old).toContain(middle('old'))
    expect(fresh).toContain(middle('new'))
    expect(old?.length).toBeLessThan(middle('old').length + 500)
  })
})

test('a passage of a very long value is shown alone, and far passages as one', () => {
  const before = words(60_000)
  const once = before.replace('word300 ', 'CHANGED ')

  const [near] = shown(before, once)
  const [far] = shown(before, once.replace('word59000 ', ''))

  expect(near?.length).toBeLessThan(500)
  expect(far?.length).toBeGreaterThan(400_000)
})

test('only what is the same on both sides is ever left out', () => {
  const piece = fc.oneof(fc.constantFrom(words(60), words(40), '\n', ' ', '🪔', 'x'.repeat(400)), fc.string())
  const text = fc.array(piece, { minLength: 5, maxLength: 15 }).map((pieces) => pieces.join(' '))
  const edited = fc.tuple(text, fc.array(fc.tuple(fc.nat(), fc.nat(50), fc.string()), { maxLength: 4 }))

  fc.assert(
    fc.property(edited, ([before, edits]) => {
      const after = edits.reduce((value, [at, length, insert]) => {
        const from = at % (value.length + 1)
        return value.slice(0, from) + insert + value.slice(from + length)
      }, before)
      const [old = '', fresh = ''] = shown(before, after) as string[]
      const [oldParts, freshParts] = [old.split(gap), fresh.split(gap)]

      expect(oldParts.length).toBe(freshParts.length)
      expect(leftOut(before, oldParts)).toBe(leftOut(after, freshParts))
      expect(inOrder(before, oldParts) && inOrder(after, freshParts)).toBe(true)
    }),
    { numRuns: 300 },
  )
})

const leftOut = (whole: string, parts: string[]) => whole.length - parts.join('').length

function inOrder(whole: string, parts: string[]): boolean {
  let from = 0
  return parts.every((part) => {
    const at = whole.indexOf(part, from)
    from = at + part.length
    return at >= 0
  })
}
