import * as z from 'zod'
import type { Actor } from '../../base/actor.ts'
import * as File from '../file.ts'
import { about, type Format, formatOf, isImage, type SandboxedFormat } from '../format.ts'
import { extractKey } from '../item.ts'
import * as Store from '../store.ts'
import { type PagePicture, pageLimits, pagePictures } from './pages.ts'
import * as Sandbox from './sandbox.ts'
import { Extraction, fromText, type Limits, limits, without } from './schema.ts'

/**
 * Extracts the text of documents; the sandbox runs the dangerous formats. The result is stored under the hash of the
 * content, so that the same content is read once for all users.
 */

/** Increase this number when the same bytes would give another text. */
const revision = 4

/** A failure that the load of the machine may have caused is kept this long, in milliseconds. */
const doubtfulMs = 3_600_000

const Cached = z.object({ revision: z.literal(revision), at: z.number(), extraction: Extraction })

/**
 * The text of a document from a unit on, or the reason why it has none. Takes at most 20 s of processor time, then
 * answers `tooSlow`; never throws for a bad document.
 */
export async function extract(
  bytes: Uint8Array,
  format: Format,
  options: Sandbox.SandboxOptions = {},
  over: Partial<Limits> = {},
): Promise<Extraction> {
  const { way } = about(format)
  if (way === 'picture') throw new Error(`No extractor reads ${format}`)
  if (way === 'text') return readText(bytes, { ...limits, ...over }, format)
  const job = { kind: 'document', format: format as SandboxedFormat, limits: { ...limits, ...over } } as const
  const outcome = await Sandbox.run(job, bytes, options)
  if (outcome.ended === 'answered') return Extraction.parse(outcome.answer)
  return without(outcome.ended === 'broken' ? 'damaged' : outcome.ended)
}

/**
 * The text of a stored document, read once for the same content. Calls `load` for the bytes only if no text is stored;
 * undefined if `load` finds no bytes.
 */
export async function extractOnce(
  sha256: string,
  format: Format,
  load: () => Promise<Uint8Array | undefined>,
  now: number,
  options: Sandbox.SandboxOptions = {},
): Promise<Extraction | undefined> {
  const known = await recall(sha256, now)
  if (known) return known
  const bytes = await load()
  if (!bytes) return undefined
  const extraction = await extract(bytes, format, options)
  const kept = JSON.stringify({ revision, at: now, extraction } satisfies z.infer<typeof Cached>)
  await Store.put(extractKey(sha256), kept, { contentType: 'application/json' })
  return extraction
}

/** Characters of one step of reading on: it is the result of a call, and these are limited. */
const stepCharacters = 16_000

/**
 * A part of the actor's own file from a page, slide, row or character on, which a turn asks for when it got another
 * part; undefined if the actor has no such document. Where the model `sees`, pages that no text tells come as pictures;
 * the part then ends before the first of them that has none.
 */
export async function readOn(
  actor: Actor,
  { fileUid, from, sees }: { fileUid: number; from: number; sees: boolean },
  signal: AbortSignal,
): Promise<{ name: string; extraction: Extraction; pictures: PagePicture[] } | undefined> {
  const file = await File.load(actor.uid, fileUid)
  const format = file && formatOf(file.name)
  if (file?.state !== 'stored' || !format || isImage(file.mimeType)) return undefined
  const bytes = (await Store.get(file.objectKey))?.bytes
  if (!bytes) return undefined
  const over = { from, characters: stepCharacters }
  const options = { user: actor.uid, signal }
  const extraction = await extract(bytes, format, options, over)
  const unread = sees ? (extraction.unread ?? []) : []
  const pictures =
    unread.length > 0 ? await pagePictures(bytes, unread.slice(0, pageLimits.step), options) : []
  const next = unread[pageLimits.step]
  return { name: file.name, extraction: next ? endBefore(extraction, next) : extraction, pictures }
}

/** The part of a text of pages that ends before a page. */
function endBefore(extraction: Extraction, page: number): Extraction {
  const { text, extent } = extraction
  const later = [...text.matchAll(/^## Page (\d{1,6})$/gm)].find(([, number]) => Number(number) >= page)
  return {
    ...extraction,
    state: 'truncated',
    text: later ? text.slice(0, later.index).trimEnd() : text,
    extent: extent && { ...extent, to: page - 1 },
  }
}

async function recall(sha256: string, now: number): Promise<Extraction | undefined> {
  const object = await Store.get(extractKey(sha256))
  if (!object) return undefined
  const cached = Cached.safeParse(JSON.parse(Buffer.from(object.bytes).toString('utf8')))
  if (!cached.success) return undefined
  const { at, extraction } = cached.data
  const isDoubtful = extraction.state === 'tooSlow' || extraction.isCutByTime
  return isDoubtful && now - at > doubtfulMs ? undefined : extraction
}

/** The text of a file that is one. It only decodes bytes, so it needs no sandbox. */
export async function readText(
  bytes: Uint8Array,
  limits: Limits,
  format: Format = 'txt',
): Promise<Extraction> {
  // The import brings the detector of encodings, which only turns with a text file need.
  const { decodeText } = await import('../text.ts')
  const whole = decodeText(bytes)?.trim()
  if (whole === undefined) return without('damaged')
  const extraction = fromText(whole, limits)
  if (extraction.state !== 'truncated' || !['csv', 'tsv'].includes(format)) return extraction
  const lines = whole.split('\n')
  return { ...extraction, outline: `${lines.length} lines; the first: ${lines[0]?.slice(0, 500)}` }
}
