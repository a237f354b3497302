import { constants, deflateSync } from 'node:zlib'
import { openDocument, pdf, presentation, sheetParts, wordParts, zip } from './documents.ts'

/**
 * Files that are made to hurt their reader. Each is small and quick to make: what it becomes when it is unpacked
 * is the harm.
 */

const megabyte = 1024 ** 2

/** A zlib stream of `count` times the same megabyte; a block that ends with a full flush can simply be repeated. */
function repeated(chunk: Buffer, count: number): Buffer {
  const flush = deflateSync(chunk, { finishFlush: constants.Z_FULL_FLUSH })
  const [header, block] = [flush.subarray(0, 2), flush.subarray(2)]
  const last = Buffer.from([0x03, 0x00])
  return Buffer.concat([header, ...Array.from({ length: count }, () => block), last, Buffer.alloc(4)])
}

/** A PDF of raw objects, numbered from 1; the first is the catalog. */
function rawPdf(objects: (string | Buffer)[]): Buffer {
  const parts: Buffer[] = [Buffer.from('%PDF-1.7\n')]
  const offsets: number[] = []
  let length = (parts[0] as Buffer).length
  for (const [at, object] of objects.entries()) {
    offsets.push(length)
    const part = Buffer.concat([
      Buffer.from(`${at + 1} 0 obj\n`),
      Buffer.from(object),
      Buffer.from('\nendobj\n'),
    ])
    parts.push(part)
    length += part.length
  }
  const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('')
  const trailer = `trailer\n<</Size ${objects.length + 1}/Root 1 0 R>>\nstartxref\n${length}\n%%EOF\n`
  return Buffer.concat([
    ...parts,
    Buffer.from(`xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows}${trailer}`),
  ])
}

function pageOf(content: Buffer, filters: string): Buffer {
  const stream = Buffer.concat([
    Buffer.from(`<</Length ${content.length}/Filter${filters}>>\nstream\n`),
    content,
    Buffer.from('\nendstream'),
  ])
  return rawPdf([
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>',
    stream,
    '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>',
  ])
}

/** A page whose drawing is a gigabyte of nothing. */
export const pdfBomb = () => pageOf(repeated(Buffer.alloc(megabyte), 1_024), '/FlateDecode')

/** The same, packed twice: a few kilobytes. */
export const pdfDoubleBomb = () =>
  pageOf(deflateSync(repeated(Buffer.alloc(megabyte), 1_024)), '[/FlateDecode/FlateDecode]')

/** A page that writes two million letters, each at a place of its own. */
export const pdfManyOperators = () => {
  const operators = Buffer.from('BT /F1 9 Tf 1 0 0 1 9 9 Tm (a) Tj ET\n'.repeat(1_000))
  return pageOf(repeated(operators, 2_000), '/FlateDecode')
}

/** A tree of pages that contains itself, and says that it has two thousand million. */
export const pdfLoop = () =>
  rawPdf(['<</Type/Catalog/Pages 2 0 R>>', '<</Type/Pages/Kids[2 0 R 2 0 R]/Count 2000000000>>'])

export const pdfCut = async () => (await pdf(['Text', 'More'])).subarray(0, 700)

export const pdfGarbled = async () => {
  const file = await pdf(['Text'])
  for (let at = 20; at < file.length; at += 3) file[at] = (at * 31) % 256
  return file
}

const word = (body: string, prologue?: string) => zip(wordParts(body, prologue))
const sheet = (data: string, shared?: string) => zip(sheetParts(data, shared))

/** One paragraph of 40 MB. */
export const wordLongText = () => word(`<w:p><w:r><w:t>${'word '.repeat(8 * megabyte)}</w:t></w:r></w:p>`)

/** A million empty paragraphs in a few kilobytes. */
export const wordManyParagraphs = () => word('<w:p/>'.repeat(megabyte))

/** A document that a user could really have: a table of 100,000 cells. */
export const wordManyCells = () => {
  const cell = '<w:tc><w:p><w:r><w:t>1</w:t></w:r></w:p></w:tc>'
  return word(`<w:tbl>${`<w:tr>${cell.repeat(10)}</w:tr>`.repeat(10_000)}</w:tbl>`)
}

/** Three thousand tables, each in a cell of the one before. */
export const wordDeepTables = () =>
  word(`${'<w:tbl><w:tr><w:tc>'.repeat(3_000)}<w:p/>${'</w:tc></w:tr></w:tbl>'.repeat(3_000)}`)

export const wordEntities = () => {
  const levels = Array.from({ length: 9 }, (_, n) => `<!ENTITY e${n + 1} "${`&e${n};`.repeat(10)}">`)
  return word('<w:p><w:r><w:t>&e9;</w:t></w:r></w:p>', `<!DOCTYPE d [<!ENTITY e0 "ha">${levels.join('')}]>`)
}

export const wordMacros = () => zip({ ...wordParts('<w:p/>'), 'word/vbaProject.bin': 'Sub AutoOpen()' })

/** The type of a macro document under the name of one without. */
export const wordMacroType = () => {
  const parts = wordParts('<w:p/>')
  const types = parts['[Content_Types].xml'] as string
  return zip({
    ...parts,
    '[Content_Types].xml': types.replace(
      /application\/vnd\.openxmlformats-officedocument\.wordprocessingml\.document\.main\+xml/,
      'application/vnd.ms-word.document.macroEnabled.main+xml',
    ),
  })
}

export const zipManyEntries = () =>
  zip({
    ...wordParts('<w:p/>'),
    ...Object.fromEntries(Array.from({ length: 2_001 }, (_, n) => [`word/part${n}.xml`, ''])),
  })

/** The main part twice: which one is read depends on the reader. */
export const zipDoubledEntry = async () => {
  const file = await zip({ ...wordParts('<w:p/>'), 'word/document.xmk': '<other/>' })
  return replaced(file, 'word/document.xmk', 'word/document.xml')
}

/** Sizes in the directory that are smaller than what is unpacked. */
export const zipLyingSizes = async () => {
  const file = await word('<w:p/>'.repeat(2_000))
  eachDirectoryEntry(file, (at) => file.writeUInt32LE(300, at + 24))
  return file
}

/** All entries marked as encrypted. */
export const zipEncrypted = async () => {
  const file = await word('<w:p/>')
  eachDirectoryEntry(file, (at) => file.writeUInt16LE(file.readUInt16LE(at + 8) | 1, at + 8))
  return file
}

/** Two entries that share their content: the trick of the densest bombs. */
export const zipOverlap = async () => {
  const file = await zip({ ...wordParts('<w:p/>'), 'word/documens.xml': '<other/>' })
  const offsets: number[] = []
  eachDirectoryEntry(file, (at) => offsets.push(at))
  const last = offsets.at(-1) as number
  file.copy(file, last + 42, (offsets.at(-2) as number) + 42, (offsets.at(-2) as number) + 46)
  return file
}

export const zipCut = async () => (await word('<w:p/>')).subarray(0, -30)

export const zipGarbled = async () => {
  const file = await word('<w:p/>'.repeat(500))
  for (let at = 60; at < 300; at += 7) file[at] = (at * 13) % 256
  return file
}

const numbers = `<row>${'<c><v>1234567890</v></c>'.repeat(10)}</row>`

/** A worksheet of 300 MB. */
export const sheetHuge = () =>
  sheet(`<sheetData>${numbers.repeat(Math.ceil((300 * megabyte) / numbers.length))}</sheetData>`)

/** A worksheet of 40 MB: large, and made in earnest. */
export const sheetLarge = () =>
  sheet(`<sheetData>${numbers.repeat(Math.ceil((40 * megabyte) / numbers.length))}</sheetData>`)

/** One shared string of 50 MB. */
export const sheetLongString = () =>
  sheet(
    '<sheetData><row><c t="s"><v>0</v></c></row></sheetData>',
    `<si><t>${'text '.repeat(10 * megabyte)}</t></si>`,
  )

/** The first cell and the very last one: a rectangle of 17 thousand million. */
export const sheetCorners = () =>
  sheet(
    '<sheetData><row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>2</v></c></row></sheetData>',
  )

/** All cells of a sheet joined to one. */
export const sheetMerged = () =>
  sheet(
    '<sheetData><row r="1"><c r="A1"><v>1</v></c></row></sheetData><mergeCells count="1"><mergeCell ref="A1:XFD1048576"/></mergeCells>',
  )

/** One slide of 40 MB. */
export const slideLong = () => zip(presentation([`<a:p><a:t>${'word '.repeat(8 * megabyte)}</a:t></a:p>`]))

/** A presentation with a program in it. */
export const slideMacros = () => zip({ ...presentation(['']), 'ppt/vbaProject.bin': 'Sub AutoOpen()' })

/** Two million empty paragraphs in a few kilobytes. */
export const slideParagraphs = () => zip(presentation(['<a:p><a:t>.</a:t></a:p>'.repeat(megabyte)]))

/** Three thousand tables, each in a cell of the one before. */
export const textDeepTables = () => {
  const [open, close] = [
    '<table:table><table:table-row><table:table-cell>',
    '</table:table-cell></table:table-row></table:table>',
  ]
  return zip(openDocument('text', `${open.repeat(3_000)}<text:p>x</text:p>${close.repeat(3_000)}`))
}

/** A few letters with a thousand million spaces between them. */
export const textSpaces = () =>
  zip(openDocument('text', '<text:p>a<text:s text:c="1000000000"/>b</text:p>'.repeat(1_000)))

/** A million empty paragraphs. */
export const textParagraphs = () => zip(openDocument('text', '<text:p>.</text:p>'.repeat(megabyte)))

/** One cell that is repeated over the whole sheet, seventeen thousand million times. */
export const sheetRepeated = () =>
  zip(
    openDocument(
      'spreadsheet',
      '<table:table table:name="S"><table:table-row table:number-rows-repeated="1048576"><table:table-cell table:number-columns-repeated="16384"><text:p>x</text:p></table:table-cell></table:table-row></table:table>',
    ),
  )

const rich = (body: string) => Buffer.from(`{\\rtf1 ${body}}`)

/** A hundred thousand groups, each in the one before. */
export const richDeep = () => rich('{'.repeat(100_000))

/** A picture whose bytes are said to go on behind the end of the file. */
export const richLyingBytes = () => rich('Text{\\pict\\bin2000000000 x}')

/** Five megabytes of control words. */
export const richControls = () => rich('\\b\\b0'.repeat(megabyte))

/** A thousand parts of a mail, each in the one before. */
export const mailDeep = () =>
  Buffer.from(
    Array.from(
      { length: 1_000 },
      (_, n) => `Content-Type: multipart/mixed; boundary=b${n}\r\n\r\n--b${n}\r\n`,
    ).join(''),
  )

/** A mail whose head has three megabytes. */
export const mailHead = () =>
  Buffer.from(`From: a@example.org\r\n${'X-Long: word\r\n'.repeat(3 * 80_000)}\r\nText`)

/** A mail of a hundred thousand attachments. */
export const mailParts = () =>
  Buffer.from(
    `From: a@example.org\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n${'--b\r\nContent-Type: a/b\r\n\r\nx\r\n'.repeat(100_000)}--b--`,
  )

function eachDirectoryEntry(file: Buffer, act: (at: number) => void): void {
  const signature = Buffer.from('PK\x01\x02', 'latin1')
  for (let at = file.indexOf(signature); at >= 0; at = file.indexOf(signature, at + 1)) act(at)
}

function replaced(file: Buffer, from: string, to: string): Buffer {
  return Buffer.from(file.toString('latin1').replaceAll(from, to), 'latin1')
}
