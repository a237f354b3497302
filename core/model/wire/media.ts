import { type Size, sizeOf } from '../../file/picture-facts.ts'
import { type Block, blocksOf, type ModelFacts, type PlacedBlock, type WireRequest } from './shape.ts'

/** Rules of images and documents: their number, their size, and that their bytes match the declared type. */

const maxImageChars = 5_242_880
const maxEdge = 8_000
const maxEdgeOfMany = 2_000
const many = 20

/** Returns the first broken rule in the API's words; undefined if there is none. */
export function brokenMedia({ messages }: WireRequest, { mostMedia }: ModelFacts): string | undefined {
  const placed = messages.flatMap(blocksOf)
  const images = placed.filter(({ block }) => block.type === 'image')
  if (images.length > mostMedia)
    return `messages: too many images and documents: ${images.length} > ${mostMedia}`
  const edge = images.length > many ? maxEdgeOfMany : maxEdge
  for (const entry of placed) {
    const broken = brokenImage(entry, edge) ?? brokenPdf(entry)
    if (broken) return broken
  }
  const pages = placed.reduce((sum, { block }) => sum + pagesOf(block), 0)
  return pages > mostMedia ? `A maximum of ${mostMedia} PDF pages may be provided.` : undefined
}

function brokenImage({ block, path }: PlacedBlock, edge: number): string | undefined {
  if (block.type !== 'image') return undefined
  const { media_type, data } = block.source
  const where = `${path}.image.source.base64`
  if (!isBase64(data)) return `${where}.data: Input should be a valid base64 string`
  if (data.length > maxImageChars)
    return `${where}: image exceeds 5 MB maximum: ${data.length} bytes > ${maxImageChars} bytes`
  const found = picture(Buffer.from(data, 'base64'))
  if (!found) return `${path}: Could not process image`
  if (found.type !== media_type)
    return `${where}.data: The image was specified using the ${media_type} media type, but the image appears to be a ${found.type} image`
  if (Math.max(found.width, found.height) <= edge) return undefined
  const note = edge === maxEdgeOfMany ? ' for many-image requests' : ''
  return `${where}.data: At least one of the image dimensions exceed max allowed size${note}: ${edge} pixels`
}

function brokenPdf({ block, path }: PlacedBlock): string | undefined {
  const bytes = pdfOf(block)
  if (!bytes) return undefined
  const where = `${path}.document.source.base64.data`
  if (!bytes.subarray(0, 1_024).includes('%PDF-')) return `${where}: The PDF specified was not valid.`
  return bytes.includes('/Encrypt') ? `${where}: The PDF specified is password protected.` : undefined
}

/** Counts the pages that are visible in the bytes; misses pages within compressed object streams. */
function pagesOf(block: Block): number {
  const text = pdfOf(block)?.toString('latin1') ?? ''
  return text.match(/\/Type\s*\/Page(?![a-zA-Z])/g)?.length ?? 0
}

function pdfOf(block: Block): Buffer | undefined {
  return block.type === 'document' ? Buffer.from(block.source.data, 'base64') : undefined
}

function isBase64(data: string): boolean {
  return data.length > 0 && data.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(data)
}

type Picture = Size & { type: `image/${(typeof starts)[number][0]}` }

/** The first bytes of each type of image, as Latin-1. */
const starts = [
  ['png', /^\x89PNG\r\n\cZ\n/],
  ['jpeg', /^\xff\xd8/],
  ['gif', /^GIF8[79]a/],
  ['webp', /^RIFF.{4}WEBP/s],
] as const

/** Returns the real type of an image and its size in pixels, from its bytes; undefined for any other type. */
export function picture(bytes: Buffer): Picture | undefined {
  const start = bytes.toString('latin1', 0, 12)
  for (const [format, pattern] of starts) {
    const size = pattern.test(start) ? sizeOf(bytes, format) : undefined
    if (size) return { type: `image/${format}`, ...size }
  }
  return undefined
}
