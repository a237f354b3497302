import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compare, type Piece } from '../../../../web/chat/approval/diff.ts'

const marked = (pieces: Piece[]) => pieces.map(({ text, changed }) => (changed ? `[${text}]` : text)).join('')
const whole = (pieces: Piece[]) => pieces.map(({ text }) => text).join('')

describe('a comparison', () => {
  test.each([
    ['A lamp, 149 EUR.', 'A lamp, 139 EUR.', 'A lamp, [149] EUR.', 'A lamp, [139] EUR.'],
    ['Winter', 'Winter prices', 'Winter', 'Winter [prices]'],
    [
      '1. December 2026, 08:00',
      '27. November 2026, 08:00',
      '[1. December] 2026, 08:00',
      '[27. November] 2026, 08:00',
    ],
    ['one, two', 'one,  two', 'one,[ ]two', 'one,[  ]two'],
    ['a table lamp', 'one desk lamp', '[a table] lamp', '[one desk] lamp'],
    ['', 'New', '', '[New]'],
  ])('marks the words that change: %s → %s', (before, after, was, will) => {
    const { was: left, will: right } = compare(before, after)

    expect([marked(left), marked(right)]).toEqual([was, will])
  })

  test('loses nothing of either side', () => {
    fc.assert(
      fc.property(fc.lorem({ maxCount: 30 }), fc.lorem({ maxCount: 30 }), (before, after) => {
        const { was, will } = compare(before, after)
        expect([whole(was), whole(will)]).toEqual([before, after])
      }),
    )
  })

  test('shortens what stays the same, at its ends too, and never what changes', () => {
    const long = 'word '.repeat(200)
    const { was } = compare(`${long}old ${long}`, `${long}new ${long}`)
    const [before, change, after] = was

    expect(change).toMatchObject({ changed: true, short: null })
    expect(before?.short?.[0]).toBe('')
    expect(before?.short?.[1].length).toBeLessThanOrEqual(120)
    expect(after?.short?.[1]).toBe('')
  })

  test('does not look for words in what is too long for it', () => {
    const { was, will } = compare('a '.repeat(15_000), 'b '.repeat(15_000))

    expect([was.length, will.length]).toEqual([1, 1])
  })
})
