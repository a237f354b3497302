/** The supported formats by file extension; `jpg` and `jpeg` are two names of one format. */
export const formats = ['png', 'jpg', 'jpeg', 'gif', 'webp', 'pdf', 'docx', 'xlsx', 'txt'] as const
export type Format = (typeof formats)[number]
/** Formats of office programs: archives of XML parts. */
export type OfficeFormat = Extract<Format, 'docx' | 'xlsx'>
/** Formats that only the sandbox parses. */
export type SandboxedFormat = 'pdf' | OfficeFormat

const images: readonly Format[] = ['png', 'jpg', 'jpeg', 'gif', 'webp']
const extractable: readonly Format[] = ['pdf', 'docx', 'xlsx', 'txt']

const types: Record<Format, readonly [string, ...string[]]> = {
  png: ['image/png'],
  jpg: ['image/jpeg', 'image/jpg', 'image/pjpeg'],
  jpeg: ['image/jpeg', 'image/jpg', 'image/pjpeg'],
  gif: ['image/gif'],
  webp: ['image/webp'],
  pdf: ['application/pdf', 'application/x-pdf'],
  docx: ['application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
  xlsx: ['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
  txt: ['text/plain'],
}

/** The MIME types that browsers and tools declare when they do not know the type of a file. */
const undeclared = new Set(['', 'application/octet-stream'])

/**
 * The formats that users of a model with these capabilities (`vision`, `pdf`) may attach: first images, then documents
 * that the model reads itself, then documents that become text.
 */
export function supportedFormats(capabilities: readonly string[]): Format[] {
  const own = [
    ...(capabilities.includes('vision') ? images : []),
    ...(capabilities.includes('pdf') ? (['pdf'] as const) : []),
  ]
  return [...new Set<Format>([...own, ...extractable])]
}

/** The value of a file picker's `accept` for these formats: extensions with dots, then MIME types. */
export function acceptAttribute(supported: readonly Format[]): string {
  return [...supported.map((format) => `.${format}`), ...new Set(supported.map(mimeTypeOf))].join(',')
}

/** The format that a file name claims; undefined for a format that is not supported. */
export function formatOf(name: string): Format | undefined {
  const extension = name.slice(name.lastIndexOf('.') + 1).toLowerCase()
  return formats.find((format) => name.includes('.') && format === extension)
}

/** The only MIME type under which a format is stored and sent. */
export function mimeTypeOf(format: Format): string {
  return types[format][0]
}

/** True if a declared MIME type, without its parameters, matches the format or declares nothing. */
export function declares(mimeType: string, format: Format): boolean {
  const type = (mimeType.split(';')[0] ?? '').trim().toLowerCase()
  return undeclared.has(type) || types[format].includes(type)
}

/** True for the MIME type of an image. */
export function isImage(mimeType: string): boolean {
  return images.some((format) => types[format][0] === mimeType)
}
