import { buffer } from 'node:stream/consumers'
import PDFDocument from 'pdfkit'
import { expect, test } from 'vitest'
import { extract } from '../../../../core/file/document/extract.ts'
import { image, pdf } from '../../../support/documents.ts'

async function drawn(draw: (document: PDFKit.PDFDocument) => unknown): Promise<Buffer> {
  const document = new PDFDocument()
  await draw(document)
  document.end()
  return buffer(document)
}

test('what is filled into a form is part of the text', async () => {
  const file = await drawn((document) => {
    document.font('Helvetica').initForm()
    document.text('Registration')
    document.formText('name', 50, 100, 200, 20, { value: 'Ada Lovelace' })
    document.formCombo('room', 50, 130, 200, 20, { select: ['Single', 'Double'], value: 'Double' })
    document.formText('empty', 50, 160, 200, 20)
    document.formPushButton('send', 50, 190, 200, 20, { label: 'Send' })
  })

  expect(await extract(file, 'pdf')).toEqual({
    state: 'whole',
    text: '## Page 1\n\nRegistration\n\n### Form fields\n\n- name: Ada Lovelace\n- room: Double',
    extent: { unit: 'page', from: 1, to: 1, total: 1 },
    leftOut: [],
  })
})

test('notes are part of the text, also of a page that has no other', async () => {
  const file = await drawn((document) => {
    document.note(50, 50, 20, 20, 'Please check the price', { T: new String('Grace') } as never)
    document
      .addPage()
      .text('Second page')
      .annotate(50, 50, 80, 20, { Subtype: 'Stamp', Contents: new String('Agreed') } as never)
  })

  expect(await extract(file, 'pdf')).toEqual({
    state: 'whole',
    text: '## Page 1\n\n### Notes\n\n- Grace: Please check the price\n\n## Page 2\n\nSecond page\n\n### Notes\n\n- Agreed',
    extent: { unit: 'page', from: 1, to: 2, total: 2 },
    leftOut: ['pagesWithoutText'],
    unread: [1],
  })
})

test('pictures and attached files are named as left out', async () => {
  const picture = await image('png')
  const file = await drawn((document) => {
    document.text('Text').image(picture, 50, 100)
    document.file(Buffer.from('inside'), { name: 'inside.txt' })
  })

  expect(await extract(file, 'pdf')).toEqual({
    state: 'whole',
    text: '## Page 1\n\nText',
    extent: { unit: 'page', from: 1, to: 1, total: 1 },
    leftOut: ['pictures', 'embeddedFiles'],
  })
})

test('a PDF that only its owner locked is read, and known as locked', async () => {
  expect(await extract(await pdf(['Open'], { ownerPassword: 'y' }), 'pdf')).toEqual({
    state: 'whole',
    text: '## Page 1\n\nOpen',
    extent: { unit: 'page', from: 1, to: 1, total: 1 },
    leftOut: [],
    isLocked: true,
  })
})

/** A PDF of two signs in GBK, whose font is not embedded. */
const eastAsian = `%PDF-1.4
1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj
2 0 obj <</Type/Pages/Kids[3 0 R]/Count 1>> endobj
3 0 obj <</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]/Contents 6 0 R/Resources<</Font<</F 4 0 R>>>>>> endobj
4 0 obj <</Type/Font/Subtype/Type0/BaseFont/STSong-Light/Encoding/GBK-EUC-H/DescendantFonts[5 0 R]>> endobj
5 0 obj <</Type/Font/Subtype/CIDFontType0/BaseFont/STSong-Light/CIDSystemInfo<</Registry(Adobe)/Ordering(GB1)/Supplement 2>>/DW 1000/FontDescriptor 7 0 R>> endobj
6 0 obj <</Length 43>> stream
BT /F 12 Tf 20 100 Td <CED2C3C7> Tj ET     
endstream endobj
7 0 obj <</Type/FontDescriptor/FontName/STSong-Light/Flags 6/FontBBox[0 0 1000 1000]/ItalicAngle 0/Ascent 800/Descent -200/StemV 80>> endobj
trailer <</Root 1 0 R>>
%%EOF`

const sentence =
  'The quick brown fox jumps over the lazy dog. Prices are valid until the end of the month and include delivery within the country. Ask for our offers.'

/** A PDF with an embedded font; without a mapping of its signs to characters, as some programs write it. */
async function embedded(pages: string[], hasMapping: (page: number) => boolean): Promise<Buffer> {
  const file = await drawn((document) => {
    // Each page has a font of its own, so that one can lack its mapping.
    for (const [at, text] of pages.entries()) {
      if (at > 0) document.addPage()
      const weight = ['Regular', 'Bold'][at]
      document.font(`node_modules/pdfjs-dist/standard_fonts/LiberationSans-${weight}.ttf`).text(text)
    }
  })
  let page = -1
  const raw = file.toString('latin1').replaceAll('/ToUnicode', (name) => {
    page += 1
    return hasMapping(page) ? name : '/ToUnicodf'
  })
  return Buffer.from(raw, 'latin1')
}

test('a PDF whose signs are mapped to no characters is called unreadable', async () => {
  expect(await extract(await embedded([sentence], () => false), 'pdf')).toMatchObject({
    state: 'unreadable',
    text: '',
    extent: { unit: 'page', from: 1, to: 1, total: 1 },
  })
  expect(await extract(await embedded([sentence], () => true), 'pdf')).toMatchObject({
    state: 'whole',
    leftOut: [],
  })
})

test('pages whose signs mean nothing are left out and named', async () => {
  const file = await embedded([sentence, sentence], (page) => page === 0)

  const { state, text, leftOut } = await extract(file, 'pdf')

  expect({ state, leftOut, pages: text.match(/## Page \d/g) }).toEqual({
    state: 'whole',
    leftOut: ['unreadablePages'],
    pages: ['## Page 1'],
  })
})

test('a page on which some letters mean nothing is read, named and drawn', async () => {
  const file = await drawn((document) => {
    document.font('node_modules/pdfjs-dist/standard_fonts/LiberationSans-Regular.ttf')
    document.text(`${sentence} `.repeat(12))
    document.font('node_modules/pdfjs-dist/standard_fonts/LiberationSans-Bold.ttf').text(sentence)
  })
  let font = 0
  // The second of its two fonts lacks its mapping.
  const raw = file.toString('latin1').replaceAll('/ToUnicode', (name) => (++font === 2 ? '/ToUnicodf' : name))

  const { state, text, leftOut, unread } = await extract(Buffer.from(raw, 'latin1'), 'pdf')

  expect({ state, leftOut, unread, isRead: text.includes('The quick brown fox') }).toEqual({
    state: 'whole',
    leftOut: ['unreadablePages'],
    unread: [1],
    isRead: true,
  })
})

test('words of two sizes stay two words', async () => {
  const file = await drawn((document) => {
    document.fontSize(24).text('Big', 72, 100, { lineBreak: false })
    document.fontSize(9).text('Small', 114, 112, { lineBreak: false })
  })

  expect((await extract(file, 'pdf')).text).toBe('## Page 1\n\nBig Small')
})

test('a small word below a large one stays a word', async () => {
  const file = await drawn((document) => {
    document.fontSize(45).text('1st', 100, 100, { lineBreak: false })
    document.fontSize(14).text('woman', 90, 146, { lineBreak: false })
  })

  expect((await extract(file, 'pdf')).text).toMatch(/1st\s+woman/)
})

test('letters of a font that only names a map of East Asian characters are read', async () => {
  expect((await extract(Buffer.from(eastAsian, 'latin1'), 'pdf')).text).toBe('## Page 1\n\n我们')
})

test('a PDF behind the words of the program that wrote it is read', async () => {
  const file = Buffer.concat([Buffer.from('\ufeffGPL Ghostscript\n'), await pdf(['Text'])])

  expect((await extract(file, 'pdf')).text).toBe('## Page 1\n\nText')
})

test('the bookmarks of a long PDF are its outline', async () => {
  const file = await drawn((document) => {
    document.text('One')
    document.outline.addItem('Chapter one')
    document.addPage().text('Two')
    document.outline.addItem('Chapter two')
  })

  expect((await extract(file, 'pdf', {}, { pages: 1 })).outline).toBe(
    'Chapter one (page 1)\nChapter two (page 2)',
  )
})
