/** The way in which a format is checked and read: as pixels, by a reader in the sandbox, or as plain text. */
type Way = 'picture' | 'pdf' | 'office' | 'openDocument' | 'markup' | 'mail' | 'text'

/**
 * The facts about a format: its MIME types (the first is used for storing and sending), and the way in which it is
 * read.
 */
type Known = {
  types: readonly [string, ...string[]]
  way: Way
  /** A substring of the main part's content type in an Office file. */
  mainPart?: string
}

const jpeg = { types: ['image/jpeg', 'image/jpg', 'image/pjpeg'], way: 'picture' } as const
const html = { types: ['text/html', 'application/xhtml+xml', 'text/plain'], way: 'text' } as const
const markdown = { types: ['text/markdown', 'text/x-markdown', 'text/plain'], way: 'text' } as const

/**
 * One record for each file extension. A new text format only needs a record; a format with its own reader also needs an
 * entry in `document/sandbox-child.ts`.
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

/** Formats of old programs, each with the supported format in which the program can save the file. */
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

/** Returns the record of a format. */
export const about = (format: Format): Known => knownFormats[format]

/**
 * Returns the formats that users of a model with these capabilities (`vision`, `pdf`) may attach: first images, then
 * documents that become text. A model with `pdf` reads a PDF itself.
 */
export function supportedFormats(capabilities: readonly string[]): Format[] {
  return formats.filter((format) => knownFormats[format].way !== 'picture' || capabilities.includes('vision'))
}

/** Returns the value of a file picker's `accept` for these formats: extensions with dots, then MIME types. */
export function acceptAttribute(supported: readonly Format[]): string {
  return [...supported.map((format) => `.${format}`), ...new Set(supported.map(mimeTypeOf))].join(',')
}

/** Returns the format that a file name claims; undefined for a format that is not supported. */
export function formatOf(name: string): Format | undefined {
  const extension = extensionOf(name)
  return formats.find((format) => format === extension)
}

/** Returns the extension of a file name in lower case; empty if it has none. */
export function extensionOf(name: string): string {
  return name.includes('.') ? name.slice(name.lastIndexOf('.') + 1).toLowerCase() : ''
}

/** Returns the only MIME type under which a format is stored and sent. */
export const mimeTypeOf = (format: Format): string => knownFormats[format].types[0]

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

/** Limits of a cleaned name with its extension; file systems allow 255 bytes. */
const maxCharacters = 100
const maxNameBytes = 200

/** Longer names are cut to this many characters first. */
const maxLooked = 1_000

/**
 * Cleans a file name so that it is safe to show, store and quote. The result is one line of at most 100 characters,
 * without a path. It has no control, bidi or zero-width characters, and none that file systems or markup interpret.
 * The extension stays.
 */
export function cleanName(name: string): string {
  const plain = shortened(name)
    .toWellFormed()
    .normalize('NFC')
    .replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cn}\u2028\u2029]/gu, '')
    .replace(/[<>:"|?*&`]/g, '_')
    .replace(/\s+/g, ' ')
    .replace(/^[. ]+|[. ]+$/g, '')
  const dot = plain.lastIndexOf('.')
  const stem = dot > 0 ? plain.slice(0, dot) : plain
  const extension = dot > 0 ? plain.slice(dot).slice(0, 12) : ''
  return `${cut(stem, extension) || 'file'}${extension}`
}

/** Returns the last part of a path; if it is long, its beginning and its end with the extension. */
function shortened(name: string): string {
  const leaf = name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1)
  return leaf.length > maxLooked ? leaf.slice(0, maxLooked - 20) + leaf.slice(-20) : leaf
}

function cut(stem: string, extension: string): string {
  let kept = ''
  let count = extension.length
  for (const character of stem) {
    count += 1
    if (count > maxCharacters || Buffer.byteLength(kept + character + extension) > maxNameBytes) break
    kept += character
  }
  return kept.trimEnd()
}

/** Returns a `Content-Disposition` that makes browsers save under this name and never open (RFC 6266, RFC 8187). */
export function attachmentHeader(name: string): string {
  const ascii = name.replace(/[^\x20-\x7e]/g, '_').replace(/["\\%]/g, '_')
  const encoded = encodeURIComponent(name).replace(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16)}`)
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`
}

/** The kinds of contents that the text of a document can leave out. */
export const leftOutKinds = [
  'pictures',
  'recordings',
  'charts',
  'chartSheets',
  'embeddedFiles',
  'pagesWithoutText',
  'unreadablePages',
  'dynamicForm',
  'columns',
  'cellComments',
  'trackedChanges',
] as const
