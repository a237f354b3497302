import fc from 'fast-check'
import { expect, test } from 'vitest'
import { attachmentHeader, cleanName } from '../../../core/file/format.ts'

test.each([
  ['a plain one', 'Preisliste 2026.pdf', 'Preisliste 2026.pdf'],
  ['umlauts and emoji', 'Übersicht 😀.txt', 'Übersicht 😀.txt'],
  ['a path of Windows', 'C:\\Users\\me\\a.pdf', 'a.pdf'],
  ['a path that climbs', '../../etc/passwd.txt', 'passwd.txt'],
  ['reversed writing', 'invoice\u202Efdp.txt', 'invoicefdp.txt'],
  ['control characters', 'a\r\nb\0.txt', 'ab.txt'],
  ['zero-width characters', 'a\u200b\ufeff.txt', 'a.txt'],
  ['markup', '<b onload="x">&.txt', '_b onload=_x___.txt'],
  ['dots and spaces around', '  ..a . b.txt ', 'a . b.txt'],
  ['many spaces', 'a   b.txt', 'a b.txt'],
  ['a decomposed umlaut', 'u\u0308.txt', 'ü.txt'],
  ['only an extension', '.txt', 'txt'],
  ['nothing', '', 'file'],
  ['half a character', 'a\ud800.txt', 'a\ufffd.txt'],
  ['a long one', `${'x'.repeat(300)}.pdf`, `${'x'.repeat(96)}.pdf`],
  ['a long one of wide characters', `${'語'.repeat(300)}.pdf`, `${'語'.repeat(65)}.pdf`],
])('%s is cleaned', (_, name, clean) => {
  expect(cleanName(name)).toBe(clean)
})

test('whatever the name, it is short, of one line and without a path, and stays as it is when cleaned again', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (name) => {
      const clean = cleanName(name)
      expect(clean).toMatch(/^[^\\/\p{Cc}\u202a-\u202e<>"]+$/u)
      expect(Buffer.byteLength(clean)).toBeLessThanOrEqual(200)
      expect(cleanName(clean)).toBe(clean)
    }),
  )
})

test.each([
  ['a.pdf', `attachment; filename="a.pdf"; filename*=UTF-8''a.pdf`],
  [
    'Übersicht (1).txt',
    `attachment; filename="_bersicht (1).txt"; filename*=UTF-8''%C3%9Cbersicht%20%281%29.txt`,
  ],
  ['50%.txt', `attachment; filename="50_.txt"; filename*=UTF-8''50%25.txt`],
])('a download of %s keeps its name', (name, header) => {
  expect(attachmentHeader(name)).toBe(header)
})
