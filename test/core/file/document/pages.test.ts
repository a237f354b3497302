import { buffer } from 'node:stream/consumers'
import PDFDocument from 'pdfkit'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { sha256 } from '../../../../core/base/hash.ts'
import { pageLimits } from '../../../../core/file/document/excerpt.ts'
import { extract, pagePictures, pagePicturesOnce } from '../../../../core/file/document/extract.ts'
import { noise, pdf, scanned } from '../../../support/documents.ts'
import * as Hostile from '../../../support/hostile.ts'

/** The colours of a picture, at places from 0 to 1 across and down. */
async function colours(base64: string, places: [number, number][]): Promise<string[]> {
  const { data, info } = await sharp(Buffer.from(base64, 'base64'))
    .raw()
    .toBuffer({ resolveWithObject: true })
  const name = (rgb: number[]) =>
    rgb.every((value) => value > 200)
      ? 'white'
      : rgb.every((value) => value < 60)
        ? 'black'
        : ['red', 'green', 'blue'][rgb.indexOf(Math.max(...rgb))]
  return places.map(([x, y]) => {
    const at = (Math.floor(y * info.height) * info.width + Math.floor(x * info.width)) * info.channels
    return name([...data.subarray(at, at + 3)]) ?? ''
  })
}

const corners: [number, number][] = [
  [0.25, 0.25],
  [0.75, 0.25],
  [0.25, 0.75],
  [0.75, 0.75],
]

async function drawn(draw: (document: PDFKit.PDFDocument) => unknown): Promise<Buffer> {
  const document = new PDFDocument({ autoFirstPage: false })
  await draw(document)
  document.end()
  return buffer(document)
}

test.each(['jpeg', 'png'] as const)('each page of a scan in %s is one picture', async (format) => {
  const file = await scanned(['red', 'blue'], format)

  expect(await extract(file, 'pdf')).toMatchObject({ state: 'noText', unread: [1, 2] })
  const pictures = await pagePictures(file, [1, 2], {})

  const shown = pictures.map(async ({ page, mimeType, base64 }) => ({
    page,
    mimeType,
    colours: await colours(base64, corners),
  }))
  expect(await Promise.all(shown)).toEqual([
    { page: 1, mimeType: 'image/jpeg', colours: ['red', 'white', 'white', 'red'] },
    { page: 2, mimeType: 'image/jpeg', colours: ['blue', 'white', 'white', 'blue'] },
  ])
})

test('a picture of a page is at most 1,568 pixels high', async () => {
  const [picture] = await pagePictures(await scanned(['green']), [1], {})

  const { width, height } = await sharp(Buffer.from(picture?.base64 ?? '', 'base64')).metadata()
  expect([width, height]).toEqual([1212, 1568])
})

test('of a mix the pages without text are pictures, and a blank page is none', async () => {
  const file = await drawn((document) => {
    document.addPage().text('Words')
    document.addPage()
    document.addPage().rect(0, 0, 306, 792).fill('red')
  })

  const { text, leftOut, unread = [] } = await extract(file, 'pdf')
  const pictures = await pagePictures(file, unread, {})

  expect({ text, leftOut, unread, drawn: pictures.map(({ page }) => page) }).toEqual({
    text: '## Page 1\n\nWords',
    leftOut: ['pagesWithoutText'],
    unread: [2, 3],
    drawn: [3],
  })
  expect(await colours(pictures[0]?.base64 ?? '', corners)).toEqual(['red', 'white', 'red', 'white'])
})

test('letters that mean nothing are drawn as the page shows them', async () => {
  const file = await drawn((document) => {
    document.addPage().font('node_modules/pdfjs-dist/standard_fonts/LiberationSans-Bold.ttf')
    document.fontSize(700).fillColor('#0000ff').text('I', 200, 0, { lineBreak: false })
  })

  const [picture] = await pagePictures(file, [1], {})

  expect(
    await colours(picture?.base64 ?? '', [
      [0.49, 0.5],
      [0.2, 0.5],
      [0.8, 0.5],
    ]),
  ).toEqual(['blue', 'white', 'white'])
})

/** A page whose picture is a mask of two bits, painted in green. */
const masked = `%PDF-1.4
1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj
2 0 obj <</Type/Pages/Kids[3 0 R]/Count 1>> endobj
3 0 obj <</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]/Contents 4 0 R/Resources<</XObject<</M 5 0 R>>>>>> endobj
4 0 obj <</Length 50>> stream
0 1 0 rg q 200 0 0 200 0 0 cm /M Do Q             
endstream endobj
5 0 obj <</Type/XObject/Subtype/Image/ImageMask true/Width 2/Height 2/BitsPerComponent 1/Filter/ASCIIHexDecode/Length 5>> stream
4080>
endstream endobj
trailer <</Root 1 0 R>>
%%EOF`

test('a mask is painted in the colour of the page', async () => {
  const [picture] = await pagePictures(Buffer.from(masked, 'latin1'), [1], {})

  expect(await colours(picture?.base64 ?? '', corners)).toEqual(['green', 'white', 'white', 'green'])
})

test('a picture of a page with more bytes than the limit is not shown', async () => {
  const document = new PDFDocument({ autoFirstPage: false, margin: 0 })
  document.addPage().image(await noise('png', 1_200, 1_500), 0, 0, { width: 612, height: 792 })
  document.end()

  const pictures = await pagePictures(await buffer(document), [1], {})

  expect(pictures.every(({ base64 }) => Buffer.byteLength(base64, 'base64') <= pageLimits.bytes)).toBe(true)
})

test('pages of a file that is no PDF, or that do not exist, are no pictures', async () => {
  expect(await pagePictures(Buffer.from('%PDF-1.4 nothing'), [1], {})).toEqual([])
  expect(await pagePictures(await pdf(['Words']), [7], {})).toEqual([])
})

test('the pages of the same content are drawn once', async () => {
  const file = await scanned(['red'])
  const never = () => Promise.reject(new Error('was drawn twice'))

  const first = await pagePicturesOnce(sha256(file), [1], async () => file, {})

  expect(await pagePicturesOnce(sha256(file), [1], never, {})).toEqual(first)
})

test.each([
  ['runs in circles', Hostile.pdfLoop],
  ['unpacks to a gigabyte', Hostile.pdfBomb],
  ['is packed twice', Hostile.pdfDoubleBomb],
  ['has endless operators', Hostile.pdfManyOperators],
])('a PDF that %s gives no pictures, and another one is drawn', async (_, make) => {
  const [evil, served] = await Promise.all([
    pagePictures(await make(), [1], { user: 1 }),
    pagePictures(await scanned(['red']), [1], { user: 2 }),
  ])

  expect(evil).toEqual([])
  expect(served.map(({ page }) => page)).toEqual([1])
})
