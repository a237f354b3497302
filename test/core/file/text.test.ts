import { expect, test } from 'vitest'
import { decodeText } from '../../../core/file/text.ts'

const utf16be = (text: string) => Buffer.from(text, 'utf16le').swap16()

test.each([
  ['UTF-8', Buffer.from('Grüße €'), 'Grüße €'],
  ['UTF-8 with a mark', Buffer.from('\ufeffGrüße'), 'Grüße'],
  ['UTF-16 with a mark', Buffer.from('\ufeffGrüße €', 'utf16le'), 'Grüße €'],
  ['UTF-16 of the other order', utf16be('\ufeffGrüße €'), 'Grüße €'],
  ['UTF-16 without a mark', Buffer.from('Ein langer Satz.', 'utf16le'), 'Ein langer Satz.'],
  ['UTF-16 of the other order without a mark', utf16be('Ein langer Satz.'), 'Ein langer Satz.'],
  ['Windows-1252', Buffer.from([0x47, 0x72, 0xfc, 0xdf, 0x65, 0x20, 0x80]), 'Grüße €'],
  ['line ends of three systems', Buffer.from('a\r\nb\rc\n'), 'a\nb\nc\n'],
  ['nothing', Buffer.alloc(0), ''],
])('%s is text', (_, bytes, text) => {
  expect(decodeText(bytes)).toBe(text)
})

test.each([
  ['zero bytes', Buffer.from('a\0b\0\0c')],
  ['control characters', Buffer.from([1, 2, 3, 4, 65, 66, 67])],
  ['half a character after a mark', Buffer.from([0xff, 0xfe, 0x00, 0xd8])],
])('%s are no text', (_, bytes) => {
  expect(decodeText(bytes)).toBeUndefined()
})
