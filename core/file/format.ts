/** How a format is checked and read: as pixels, by a reader in the sandbox, or as the text that it is. */
type Way = 'picture' | 'pdf' | 'office' | 'openDocument' | 'markup' | 'mail' | 'text'

/** All that is known of a format: its MIME types, the first for storing and sending, and the way it is read. */
type Known = {
  types: readonly [string, ...string[]]
  way: Way
  /** Part of the content type of the main part of an Office file. */
  mainPart?: string
}

const jpeg = { types: ['image/jpeg', 'image/jpg', 'image/pjpeg'], way: 'picture' } as const
const html = { types: ['text/html', 'application/xhtml+xml', 'text/plain'], way: 'text' } as const
const markdown = { types: ['text/markdown', 'text/x-markdown', 'text/plain'], way: 'text' } as const

/**
 * One record for each file extension. A further text format is one more record; a format with a reader of its own also
 * has a line in `document/readers.ts`.
 */
const knownFormats = {
  png: { types: ['image/png'], way: 'picture' },
  jpg: jpeg,
  jpeg,
  gif: { types: ['image/gif'], way: 'picture' },
  webp: { types: ['image/webp'], way: 'picture' },
  pdf: { types: ['application/pdf', 'application/x-pdf'], way: 'pdf' },
  docx: {
    types: ['application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
    way: 'office',
    mainPart: 'wordprocessingml.document.main+xml',
  },
  xlsx: {
    types: ['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
    way: 'office',
    mainPart: 'spreadsheetml.sheet.main+xml',
  },
  pptx: {
    types: ['application/vnd.openxmlformats-officedocument.presentationml.presentation'],
    way: 'office',
    mainPart: 'presentationml.presentation.main+xml',
  },
  odt: { types: ['application/vnd.oasis.opendocument.text'], way: 'openDocument' },
  ods: { types: ['application/vnd.oasis.opendocument.spreadsheet'], way: 'openDocument' },
  rtf: { types: ['application/rtf', 'text/rtf', 'application/x-rtf', 'text/richtext'], way: 'markup' },
  eml: { types: ['message/rfc822', 'text/plain'], way: 'mail' },
  txt: { types: ['text/plain'], way: 'text' },
  md: markdown,
  markdown,
  // With Excel installed, Windows declares a CSV as a workbook.
  csv: { types: ['text/csv', 'application/csv', 'text/plain', 'application/vnd.ms-excel'], way: 'text' },
  tsv: { types: ['text/tab-separated-values', 'text/plain'], way: 'text' },
  html,
  htm: html,
  json: { types: ['application/json', 'text/json', 'text/plain'], way: 'text' },
  xml: { types: ['application/xml', 'text/xml', 'text/plain'], way: 'text' },
} as const satisfies Record<string, Known>

/** A supported format, named by its file extension; `jpg` and `jpeg` are two names of one format. */
export type Format = keyof typeof knownFormats
type Having<W extends Way> = { [F in Format]: (typeof knownFormats)[F]['way'] extends W ? F : never }[Format]
/** Formats that are zip archives of XML parts. */
export type OfficeFormat = Having<'office' | 'openDocument'>
/** Formats that only the sandbox parses. */
export type SandboxedFormat = Having<'pdf' | 'office' | 'openDocument' | 'markup' | 'mail'>

/** The supported formats. */
export const formats = Object.keys(knownFormats) as Format[]

/** Formats of old programs, with the format in which their programs can save them for us. */
export const saveAs: Record<string, Format> = {
  doc: 'docx',
  docm: 'docx',
  dot: 'docx',
  pages: 'docx',
  xls: 'xlsx',
  xlsm: 'xlsx',
  xlsb: 'xlsx',
  numbers: 'xlsx',
  ppt: 'pptx',
  pptm: 'pptx',
  key: 'pptx',
  odp: 'pptx',
  msg: 'eml',
  heic: 'jpg',
  tif: 'png',
  tiff: 'png',
  svg: 'png',
}

/** The MIME types that browsers and tools declare when they do not know the type of a file. */
const undeclared = new Set(['', 'application/octet-stream'])

/** The record of a format. */
export function about(format: Format): Known {
  return knownFormats[format]
}

/**
 * The formats that users of a model with these capabilities (`vision`, `pdf`) may attach: first images, then documents
 * that become text. A model with `pdf` reads a PDF itself.
 */
export function supportedFormats(capabilities: readonly string[]): Format[] {
  return formats.filter((format) => knownFormats[format].way !== 'picture' || capabilities.includes('vision'))
}

/** The value of a file picker's `accept` for these formats: extensions with dots, then MIME types. */
export function acceptAttribute(supported: readonly Format[]): string {
  return [...supported.map((format) => `.${format}`), ...new Set(supported.map(mimeTypeOf))].join(',')
}

/** The format that a file name claims; undefined for a format that is not supported. */
export function formatOf(name: string): Format | undefined {
  const extension = extensionOf(name)
  return formats.find((format) => format === extension)
}

/** The extension of a file name in lower case; empty if it has none. */
export function extensionOf(name: string): string {
  return name.includes('.') ? name.slice(name.lastIndexOf('.') + 1).toLowerCase() : ''
}

/** The only MIME type under which a format is stored and sent. */
export function mimeTypeOf(format: Format): string {
  return knownFormats[format].types[0]
}

/** True if a declared MIME type, without its parameters, matches the format or declares nothing. */
export function declares(mimeType: string, format: Format): boolean {
  const type = (mimeType.split(';')[0] ?? '').trim().toLowerCase()
  return undeclared.has(type) || about(format).types.includes(type)
}

/** True for the MIME type of an image. */
export function isImage(mimeType: string): boolean {
  return formats.some(
    (format) => knownFormats[format].way === 'picture' && knownFormats[format].types[0] === mimeType,
  )
}
