import { buffer } from 'node:stream/consumers'
import { Document, type IParagraphOptions, Packer, Paragraph, Table, TableCell, TableRow } from 'docx'
import PDFDocument from 'pdfkit'
import sharp from 'sharp'
import writeExcelFile from 'write-excel-file/node'
import yazl from 'yazl'

/** Files for tests, made by the writers that real ones are made with. */

/** A PDF with a page for each text; an empty text gives a page that only holds a drawing, like a scan. */
export async function pdf(pages: string[], options: PDFKit.PDFDocumentOptions = {}): Promise<Buffer> {
  const document = new PDFDocument({ autoFirstPage: false, ...options })
  for (const text of pages) {
    document.addPage()
    if (text) document.text(text)
    else document.rect(50, 50, 200, 200).fill('black')
  }
  document.end()
  return buffer(document)
}

/** A scan: each page is one picture of a colour, at its top left and at its bottom right; without a colour it is blank. */
export async function scanned(colours: string[], format: 'jpeg' | 'png' = 'jpeg'): Promise<Buffer> {
  const document = new PDFDocument({ autoFirstPage: false, margin: 0 })
  for (const background of colours) {
    document.addPage()
    if (!background) continue
    const part = { input: { create: { width: 620, height: 800, channels: 3 as const, background } } }
    const page = await sharp({ create: { width: 1_240, height: 1_600, channels: 3, background: 'white' } })
      .composite([
        { ...part, left: 0, top: 0 },
        { ...part, left: 620, top: 800 },
      ])
      [format]()
      .toBuffer()
    document.image(page, 0, 0, { width: 612, height: 792 })
  }
  document.end()
  return buffer(document)
}

/** A Word document of paragraphs, and of tables where a block is an array of rows. */
export async function docx(blocks: (string | IParagraphOptions | string[][])[]): Promise<Buffer> {
  const children = blocks.map((block) => (Array.isArray(block) ? table(block) : new Paragraph(block)))
  return Packer.toBuffer(new Document({ sections: [{ children }] }))
}

function table(rows: string[][]): Table {
  const cell = (text: string) => new TableCell({ children: [new Paragraph(text)] })
  return new Table({ rows: rows.map((cells) => new TableRow({ children: cells.map(cell) })) })
}

type Cell = string | number | boolean | Date | null

/** A workbook of sheets by name. */
export async function xlsx(sheets: Record<string, Cell[][]>): Promise<Buffer> {
  const pages = Object.entries(sheets).map(([sheet, rows]) => ({
    sheet,
    data: rows.map((row) =>
      row.map((value) => (value instanceof Date ? { value, format: 'yyyy-mm-dd' } : value)),
    ),
  }))
  return writeExcelFile(pages).toBuffer()
}

/** A picture of one colour. */
export function image(format: 'png' | 'jpeg' | 'gif' | 'webp', width = 8, height = 8): Promise<Buffer> {
  return sharp({ create: { width, height, channels: 3, background: '#c84' } })
    [format]()
    .toBuffer()
}

/** A picture of noise, which no encoder makes small. */
export function noise(format: 'png' | 'jpeg', width: number, height: number): Promise<Buffer> {
  const bytes = new Uint8Array(width * height * 3)
  let state = 1
  for (let at = 0; at < bytes.length; at++) {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    bytes[at] = state >> 16
  }
  return sharp(bytes, { raw: { width, height, channels: 3 } })
    [format]()
    .toBuffer()
}

/** A zip file of these entries, deflated. */
export function zip(entries: Record<string, string | Uint8Array>): Promise<Buffer> {
  const file = new yazl.ZipFile()
  for (const [name, content] of Object.entries(entries)) file.addBuffer(Buffer.from(content), name)
  file.end()
  return buffer(file.outputStream)
}

const types = (part: string, type: string) =>
  `<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>
<Default Extension="xml" ContentType="application/xml"/><Override PartName="${part}" ContentType="${type}"/></Types>`

const relations = (...list: [id: string, type: string, target: string][]) =>
  `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${list
    .map(
      ([id, type, target]) =>
        `<Relationship Id="${id}" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/${type}" Target="${target}"/>`,
    )
    .join('')}</Relationships>`

export const wordType = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml'
const sheetType = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml'

/** The parts of a Word document with this body, for tests that need what no writer would write. */
export function wordParts(body: string, prologue = ''): Record<string, string> {
  return {
    '[Content_Types].xml': types('/word/document.xml', wordType),
    '_rels/.rels': relations(['rId1', 'officeDocument', 'word/document.xml']),
    'word/document.xml': `<?xml version="1.0"?>${prologue}<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>${body}</w:body></w:document>`,
  }
}

/** The parts of a workbook with this sheet data, and with shared strings where given. */
export function sheetParts(data: string, shared?: string): Record<string, string> {
  const main = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
  return {
    '[Content_Types].xml': types('/xl/workbook.xml', sheetType),
    '_rels/.rels': relations(['rId1', 'officeDocument', 'xl/workbook.xml']),
    'xl/workbook.xml': `<workbook ${main} xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="S" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relations(
      ['rId1', 'worksheet', 'worksheets/sheet1.xml'],
      ...(shared ? [['rId2', 'sharedStrings', 'sharedStrings.xml'] as [string, string, string]] : []),
    ),
    'xl/worksheets/sheet1.xml': `<worksheet ${main}>${data}</worksheet>`,
    ...(shared && { 'xl/sharedStrings.xml': `<sst ${main}>${shared}</sst>` }),
  }
}

/** The parts of a presentation with a slide for each text of shapes. */
export function presentation(slides: string[], parts: Record<string, string> = {}): Record<string, string> {
  const names = slides.map((_, at) => `slide${at + 1}`)
  const office = 'xmlns:p="urn:p" xmlns:a="urn:a" xmlns:r="urn:r"'
  return {
    '[Content_Types].xml': types(
      '/ppt/presentation.xml',
      'application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml',
    ),
    '_rels/.rels': relations(['rId1', 'officeDocument', 'ppt/presentation.xml']),
    'ppt/presentation.xml': `<p:presentation ${office}><p:sldIdLst>${names.map((name) => `<p:sldId r:id="${name}"/>`).join('')}</p:sldIdLst></p:presentation>`,
    'ppt/_rels/presentation.xml.rels': relations(
      ...names.map((name): [string, string, string] => [name, 'slide', `slides/${name}.xml`]),
    ),
    ...Object.fromEntries(
      slides.map((shapes, at) => [`ppt/slides/slide${at + 1}.xml`, `<p:sld ${office}>${shapes}</p:sld>`]),
    ),
    ...parts,
  }
}

/** The parts of an OpenDocument file with this body. */
export function openDocument(kind: 'text' | 'spreadsheet', body: string): Record<string, string> {
  return {
    mimetype: `application/vnd.oasis.opendocument.${kind}`,
    'content.xml': `<office:document-content><office:body><office:${kind}>${body}</office:${kind}></office:body></office:document-content>`,
  }
}
