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
    expect(before?.short?.[1].length).toBeLessThanOrEqual(60)
    expect(after?.short?.[1]).toBe('')
  })

  test('folds many short lines that stay to the line of the change', () => {
    const list = Array.from({ length: 12 }, (_, at) => `${at}. item`).join('\n')
    const { will } = compare(`${list}\nPrice 149\n${list}`, `${list}\nPrice 139\n${list}`)

    expect(will.map(({ text, short }) => short ?? text)).toEqual([['', 'Price '], '139', ['', '']])
  })

  test.each([
    [
      'one or two words that stay between changes',
      'Buy the red lamp with warm shade today, it is the one that we like best of all the lamps in the shop.',
      'Buy the blue lamp with cold cover today, it is the one that we like best of all the lamps in the shop.',
      'Buy the [red lamp with warm shade] today,',
      'Buy the [blue lamp with cold cover] today,',
    ],
    [
      'more words, which stay unmarked',
      'The red lamp stands on the table by the window.',
      'The blue lamp stands on the table by the door.',
      'The [red] lamp stands on the table by the [window].',
      'The [blue] lamp stands on the table by the [door].',
    ],
  ])('takes %s', (_, before, after, was, will) => {
    const { was: left, will: right } = compare(before, after)

    expect([marked(left).slice(0, was.length), marked(right).slice(0, will.length)]).toEqual([was, will])
  })

  test('shows a text that is mostly new as one passage on each side', () => {
    const before = `Our lamps. ${'The old lamp stands with the others in a row on the shelf. '.repeat(4)}`
    const after = `Our lamps. ${'Few people knew why the light of it was never turned on by the family. '.repeat(4)}`
    const { was, will } = compare(before, after)

    expect([was, will].map((side) => side.filter(({ changed }) => changed).length)).toEqual([1, 1])
    expect(was[0]).toEqual({ text: 'Our lamps. ', changed: false, short: null })
    expect([whole(was), whole(will)]).toEqual([before, after])
  })

  const pick = (count: number, word: (index: number) => string) =>
    Array.from({ length: count }, (_, at) => word(at))
  test.each<[string, (length: number) => [string, string]]>([
    [
      'of words',
      (n) => [
        pick(n / 5, (at) => `a${at % 997} `).join(''),
        pick(n / 5, (at) => `b${(at * 7) % 991} `).join(''),
      ],
    ],
    [
      'without spaces',
      (n) => [pick(n, (at) => letter(at * 31)).join(''), pick(n, (at) => letter(at * 57 + 3)).join('')],
    ],
    ['of marks', (n) => ['.,'.repeat(n / 2), ',.;'.repeat(n / 3)]],
    ['that share every other word', (n) => ['a b '.repeat(n / 4), 'a c '.repeat(n / 4)]],
  ])('takes time in proportion to its length: texts %s', (_, texts) => {
    const [short, long] = [texts(5_000), texts(20_000)]
    let [few, many] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
    // Work that grows with the square of the length takes 16 times as much for 4 times the text.
    const most = () => 8 * Math.max(few, 2)
    // Measured again while it seems too much: the quickest run tells what the work is.
    for (let attempt = 0; attempt < 3 || (attempt < 20 && many >= most()); attempt++) {
      few = Math.min(
        few,
        timeOf(() => compare(...short)),
      )
      many = Math.min(
        many,
        timeOf(() => compare(...long)),
      )
    }

    expect(many).toBeLessThan(most())
  })
})

const letter = (number: number) => String.fromCharCode(0x4e00 + (number % 900))

/** Processor time of this process, in milliseconds. */
function timeOf(act: () => void): number {
  const before = process.cpuUsage()
  act()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}
