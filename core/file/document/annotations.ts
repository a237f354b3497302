import { getDocument, type PDFDocumentProxy } from 'pdfjs-dist/legacy/build/pdf.mjs'
import { oneLine, paragraphs } from './excerpt.ts'
import { characterMaps } from './process.ts'

/** The members of a pdf.js annotation from which its text is made. */
type Annotation = {
  subtype: string
  hidden?: boolean
  fieldName?: string
  alternativeText?: string
  fieldType?: string
  fieldValue?: unknown
  password?: boolean
  pushButton?: boolean
  checkBox?: boolean
  radioButton?: boolean
  buttonValue?: string
  options?: { exportValue: string; displayValue: string }[]
  contentsObj?: { str: string }
  richText?: { str: string } | null
  titleObj?: { str: string }
}

/** Kinds of annotations that are no notes: links, the pop-up windows of notes, form fields. */
const wordless = new Set(['Link', 'Popup', 'Widget'])

/** Settings of pdf.js: it runs no code of the file, and it finds the character maps that East Asian fonts name. */
export const settings = {
  isEvalSupported: false,
  enableXfa: false,
  verbosity: 0,
  cMapUrl: characterMaps,
  cMapPacked: true,
} as const

/** Opens a PDF with pdf.js to read more than the text of its pages. Throws the errors of pdf.js. */
export function open(bytes: Uint8Array): Promise<PDFDocumentProxy> {
  return getDocument({ data: bytes, ...settings }).promise
}

/**
 * Returns the filled-in fields and the notes of a page, each group under a heading; an empty text if there are none.
 */
export async function annotationsOf(document: PDFDocumentProxy, pageNumber: number): Promise<string> {
  const page = await document.getPage(pageNumber)
  const annotations = (await page.getAnnotations()) as Annotation[]
  page.cleanup()
  const visible = annotations.filter(({ hidden }) => !hidden)
  return paragraphs(group('Form fields', visible.map(field)), group('Notes', visible.map(noteText)))
}

function group(heading: string, lines: string[]): string {
  const filled = [...new Set(lines.filter((line) => line !== ''))]
  return filled.length === 0 ? '' : [`### ${heading}`, '', ...filled].join('\n')
}

function field(annotation: Annotation): string {
  const { subtype, fieldName, alternativeText, password } = annotation
  if (subtype !== 'Widget' || password) return ''
  const value = oneLine(filledIn(annotation))
  return value === '' ? '' : `- ${oneLine(alternativeText || fieldName || 'Field')}: ${value}`
}

function filledIn(annotation: Annotation): string {
  const { fieldType, fieldValue, pushButton, checkBox, radioButton, buttonValue, options = [] } = annotation
  if (pushButton || fieldType === 'Sig') return ''
  if (checkBox) return fieldValue === 'Off' ? 'no' : 'yes'
  if (radioButton) return fieldValue === buttonValue && typeof fieldValue === 'string' ? fieldValue : ''
  const values = (Array.isArray(fieldValue) ? fieldValue : [fieldValue]).filter(
    (value): value is string => typeof value === 'string',
  )
  const shown = (value: string) => options.find(({ exportValue }) => exportValue === value)?.displayValue
  return values.map((value) => shown(value) ?? value).join(', ')
}

function noteText({ subtype, contentsObj, richText, titleObj }: Annotation): string {
  if (wordless.has(subtype)) return ''
  const words = oneLine(contentsObj?.str || richText?.str || '')
  const author = oneLine(titleObj?.str ?? '')
  return words === '' ? '' : `- ${author ? `${author}: ` : ''}${words}`
}
