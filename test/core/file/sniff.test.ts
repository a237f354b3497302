import { describe, expect, test } from 'vitest'
import type { Format } from '../../../core/file/format.ts'
import { inspect } from '../../../core/file/sniff.ts'
import { docx, image, pdf, sheetParts, wordParts, xlsx, zip } from '../../support/documents.ts'
import * as Hostile from '../../support/hostile.ts'

describe('what is as its name says is taken', () => {
  test.each<[Format, () => Promise<Buffer>]>([
    ['png', () => image('png')],
    ['jpg', () => image('jpeg')],
    ['jpeg', () => image('jpeg')],
    ['gif', () => image('gif')],
    ['webp', () => image('webp')],
    ['pdf', () => pdf(['Text'])],
    ['docx', () => docx(['Text'])],
    ['xlsx', () => xlsx({ A: [['Text']] })],
    ['txt', async () => Buffer.from('<html>Text</html>')],
    ['csv', async () => Buffer.from('a;b')],
    ['eml', async () => Buffer.from('From: a@example.org\r\n\r\nText')],
    ['rtf', async () => Buffer.from('{\\rtf1 Text}')],
    ['odt', () => openDocument({ 'Basic/script-lc.xml': '', 'Basic/Standard/script-lb.xml': '' })],
    ['pdf', () => behind('\ufeff')],
    ['pdf', () => behind('GPL Ghostscript 10.0: no warnings\n')],
  ])('%s', async (format, make) => {
    expect(await inspect(await make(), format)).toBeUndefined()
  })
})

const behind = async (before: string | Uint8Array) =>
  Buffer.concat([Buffer.from(before as string), await pdf(['Text'])])
const openDocument = (parts: Record<string, string> = {}) =>
  zip({ mimetype: 'application/vnd.oasis.opendocument.text', 'content.xml': '', ...parts })

const oldOffice = Buffer.from('d0cf11e0a1b11ae1', 'hex')

describe('what is not is refused', () => {
  test.each<[string, Format, () => Buffer | Promise<Buffer>, string]>([
    ['nothing', 'png', () => Buffer.alloc(0), 'empty'],
    ['a JPEG as PNG', 'png', () => image('jpeg'), 'content'],
    ['a PDF as PNG', 'png', () => pdf(['Text']), 'content'],
    ['a drawing as PNG', 'png', () => Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'content'],
    ['a text as PDF', 'pdf', () => Buffer.from('Text'), 'content'],
    ['a PDF behind markup', 'pdf', () => behind('<script>'), 'content'],
    ['a PDF behind a picture', 'pdf', async () => behind(await image('gif')), 'content'],
    ['a PDF behind more than a kilobyte', 'pdf', () => behind('x'.repeat(1_025)), 'content'],
    ['a mail that is a text', 'eml', () => Buffer.from('Dear all: no mail'), 'content'],
    ['a text as RTF', 'rtf', () => Buffer.from('Text'), 'content'],
    ['a text document as OpenDocument workbook', 'ods', () => openDocument(), 'content'],
    [
      'macros in an OpenDocument text',
      'odt',
      () => openDocument({ 'Basic/Standard/Module1.xml': 'x' }),
      'macros',
    ],
    [
      'an encrypted OpenDocument text',
      'odt',
      () => openDocument({ 'META-INF/manifest.xml': '<manifest:encryption-data/>' }),
      'encrypted',
    ],
    ['a PDF with a password', 'pdf', () => pdf(['Text'], { userPassword: 'x' }), 'encrypted'],
    [
      'a newer PDF with a password',
      'pdf',
      () => pdf(['Text'], { userPassword: 'x', pdfVersion: '1.7ext3' }),
      'encrypted',
    ],
    ['a PDF as text', 'txt', () => pdf(['Text']), 'content'],
    ['a zip file as text', 'txt', () => zip({ a: 'b' }), 'content'],
    ['bytes as text', 'txt', () => Buffer.from([0, 1, 2, 3]), 'content'],
    ['a workbook as Word document', 'docx', () => xlsx({ A: [['Text']] }), 'content'],
    ['a Word document as workbook', 'xlsx', () => docx(['Text']), 'content'],
    ['any zip file as Word document', 'docx', () => zip({ a: 'b' }), 'content'],
    ['a text as Word document', 'docx', () => Buffer.from('Text'), 'content'],
    ['an old or encrypted Office file', 'docx', () => oldOffice, 'oldOffice'],
    ['macros in a Word document', 'docx', Hostile.wordMacros, 'macros'],
    ['the type of macros in a Word document', 'docx', Hostile.wordMacroType, 'macros'],
    [
      'macros in a workbook',
      'xlsx',
      () => zip({ ...sheetParts(''), 'xl/macrosheets/sheet1.xml': '' }),
      'macros',
    ],
    ['an encrypted zip file', 'docx', Hostile.zipEncrypted, 'encrypted'],
    ['a zip file that is cut off', 'docx', Hostile.zipCut, 'damaged'],
    ['a part that is there twice', 'docx', Hostile.zipDoubledEntry, 'damaged'],
    ['parts that overlap', 'docx', Hostile.zipOverlap, 'damaged'],
    ['too many parts', 'docx', Hostile.zipManyEntries, 'bomb'],
    ['a part that is too large', 'docx', Hostile.wordLongText, 'bomb'],
    [
      'a list of parts that is too large',
      'docx',
      () => zip({ ...wordParts(''), '[Content_Types].xml': ' '.repeat(2 ** 21) }),
      'bomb',
    ],
    [
      'something behind the zip file',
      'docx',
      async () => Buffer.concat([await docx(['Text']), Buffer.from('x')]),
      'damaged',
    ],
  ])('%s', async (_, format, make, reason) => {
    expect(await inspect(await make(), format)).toBe(reason)
  })
})
