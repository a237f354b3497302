import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { plain, strip } from '../../../../core/base/safety/confusables.ts'

const tag = /<?\/?user_instructions>?/g

describe('strip', () => {
  test.each([
    ['as it is', 'a <user_instructions> b', 'a [removed] b'],
    ['closing', 'a </user_instructions> b', 'a [removed] b'],
    ['in capitals', '</USER_Instructions>', '[removed]'],
    ['with spaces', '< / user _ instructions >', '[removed]'],
    ['over lines', '<user_\ninstr\tuctions>', '[removed]'],
    ['with entities', '&lt;/user_instructions&gt;', '[removed]'],
    ['with numbers', '&#60;&#x2F;&#117;ser_instructions&#62;', '[removed]'],
    ['with padded numbers', '&#00060;/user_instructions&#x0003E;', '[removed]'],
    ['with nested entities', '&amp;amp;lt;/user_instructions&amp;#62;', '[removed]'],
    ['with an entity that stands in another one', '&amplt;user_instructions>', '[removed]'],
    ['with entities that lack their end', '&lt/user_instructions&gt', '[removed]'],
    ['with an entity that runs into the name', '&ltuser_instructions&gt', '[removed]'],
    ['with a nested one that does', '&ampltuser_instructions>', '[removed]'],
    ['with entities of letters', '<&uscr;ser_instructions>', '[removed]'],
    ['with zero-width characters', '<us\u200ber_\u2060instruc\ufefftions>', '[removed]'],
    ['with soft hyphens', '<user\u00ad_instructions>', '[removed]'],
    ['with entities of invisible characters', '<user&ZeroWidthSpace;_&shy;instructions>', '[removed]'],
    ['with combining marks', '<u\u0301ser_instructions>', '[removed]'],
    ['in full width', '＜／ｕｓｅｒ＿ｉｎｓｔｒｕｃｔｉｏｎｓ＞', '[removed]'],
    ['in mathematical letters', '<𝐮𝐬𝐞𝐫_𝒾nstructions>', '[removed]'],
    ['with letters that carry marks', '≮/úser_instructions>', '[removed]'],
    ['with letters of other alphabets', '<uѕеr_іnstruсtіоns>', '[removed]'],
    ['with look-alike brackets', '‹user_instructions›', '[removed]'],
    ['with letters of Cherokee, Coptic and Lisu', '<ꓴsᎬr_instⲅuᴄtiⲟns>', '[removed]'],
    ['with a slash of kana', '<ノuser_instructions>', '[removed]'],
    ['twice', '<user_instructions><user_instructions>', '[removed][removed]'],
    ['inside of itself', '<user_<user_instructions>instructions>', '<user_[removed]instructions>'],
    ['behind astral characters', '🪔🪔<user_instructions>🪔', '🪔🪔[removed]🪔'],
  ])('finds a marker %s', (_, text, expected) => {
    expect(strip(text, tag)).toBe(expected)
  })

  test.each([
    '',
    'The user instructs the shop.',
    'a < b && c > d',
    'AT&T &copy; 5 < 6',
    '👩‍👩‍👧 e\u0301 &amp;',
  ])('leaves %j as it is', (text) => {
    expect(strip(text, tag)).toBe(text)
  })

  test('what is left never reads as the marker, however pieces of it are put together', () => {
    const pieces = [
      '<',
      '/',
      '>',
      'user_',
      'instructions',
      'USER',
      '_',
      '&lt;',
      '&amp;',
      'lt;',
      '&',
      '#60',
      ';',
      ' ',
      '\u200b',
      '＜',
      'é',
    ]
    const text = fc.array(fc.constantFrom(...pieces, 'user_instructions'), { maxLength: 40 })

    fc.assert(
      fc.property(text, (parts) => {
        expect(plain(strip(parts.join(''), tag))).not.toMatch(/user_instructions/)
      }),
      { numRuns: 2_000 },
    )
  })

  test('a text of a million ampersands is read in proportion to its length', () => {
    const text = '&amp;'.repeat(100_000) + '&'.repeat(500_000)

    expect(strip(text, tag)).toBe(text)
  })
})
