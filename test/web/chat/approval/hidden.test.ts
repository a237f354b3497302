import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type HiddenKind, withHidden } from '../../../../web/chat/approval/hidden.ts'

const tagged = (text: string) =>
  [...text].map((one) => String.fromCodePoint(0xe0000 + one.charCodeAt(0))).join('')
const one = (code: string, kind: HiddenKind, count = 1) => ({ kind, code, count })

describe('a text of a proposal', () => {
  test.each<[string, string, ReturnType<typeof one>]>([
    ['tag characters', tagged('pay me'), one('pay me', 'tag', 6)],
    ['a space without width', '\u200b', one('U+200B', 'zeroWidth')],
    ['many of them', '\u200b\u200b\u200b', one('U+200B', 'zeroWidth', 3)],
    ['a byte order mark', '\ufeff', one('U+FEFF', 'zeroWidth')],
    ['a joiner of letters', '\u200d', one('U+200D', 'zeroWidth')],
    ['an override of the direction', '\u202e', one('U+202E', 'direction')],
    ['an isolate', '\u2066', one('U+2066', 'direction')],
    ['a variation selector', '\ufe0f', one('U+FE0F', 'variation')],
    ['one of the supplement', '\u{e0101}', one('U+E0101', 'variation')],
    ['a soft hyphen', '\u00ad', one('U+00AD', 'softHyphen')],
    ['a Hangul filler', '\u3164', one('U+3164', 'filler')],
    ['an empty braille pattern', '\u2800', one('U+2800', 'filler')],
    ['a space that does not break', '\u00a0', one('U+00A0', 'space')],
    ['a line separator', '\u2028', one('U+2028', 'space')],
    ['a control character', '\u0007', one('U+0007', 'control')],
    ['a private character', '\ue000', one('U+E000', 'unassigned')],
    ['half of a pair', '\ud800', one('U+D800', 'unassigned')],
  ])('tells of %s', (_, hidden, expected) => {
    expect(withHidden(`Con${hidden}tact`)).toEqual(['Con', expected, 'tact'])
  })

  test.each([
    ['words', 'A lamp,\n\t149 € (“new”) – größer'],
    ['line breaks of Windows', 'one\r\ntwo'],
    ['emoji with their selectors and joiners', '❤️ 👩‍👩‍👧 1️⃣ 🏴󠁧󠁢󠁥󠁮󠁧󠁿 🇩🇪'],
    ['other scripts', '中文 العربية हिन्दी 한국어'],
    ['nothing', ''],
  ])('leaves %s as they are', (_, text) => {
    expect(withHidden(text).join('')).toBe(text)
  })

  test('has tags that follow an emoji told, unless they belong to it', () => {
    expect(withHidden(`🏴${tagged('hidden')}`)).toEqual(['🏴', one('hidden', 'tag', 6)])
  })

  test('is never shown without a trace of one of its characters', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (text) => {
        const lengths = withHidden(text).map((part) =>
          typeof part === 'string' ? [...part].length : part.count,
        )
        expect(lengths.reduce((sum, length) => sum + length, 0)).toBe([...text].length)
      }),
    )
  })
})
