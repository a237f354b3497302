import * as z from 'zod'
import type { Actor } from '../../base/actor.ts'
import * as File from '../file.ts'
import { about, type Format, formatOf, isImage, type SandboxedFormat } from '../format.ts'
import { extractKey, pagesKey } from '../item.ts'
import * as Store from '../store.ts'
import { fromText, type Limits, limits, pageLimits, without } from './excerpt.ts'
import * as Sandbox from './sandbox.ts'
import { Extraction, Shrunk } from './schema.ts'

/**
 * Extracts the text of documents; the sandbox runs the dangerous formats. The result is stored under the hash of the
 * content: the same content is read once for all users.
 */

/** A failure that a busy machine may have caused is cached this long, in milliseconds. */
const doubtfulMs = 3_600_000

/** Increase it when a new version extracts another text from the same bytes. */
const textRevision = 11
const CachedText = z.object({ revision: z.literal(textRevision), at: z.number(), extraction: Extraction })

/**
 * Returns the text of a document from a given page, slide, row or character on; otherwise the reason why it has none.
 * Takes at most 20 s of processor time, then returns `tooSlow`; never throws for a bad document.
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
 * Returns the text of a stored document, extracted once for the same content. Calls `load` for the bytes only if no
 * text is stored; undefined if `load` finds no bytes.
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
  const cached: z.infer<typeof CachedText> = { revision: textRevision, at: now, extraction }
  await keep(extractKey(sha256), cached)
  return extraction
}

/** Characters of one further part: it becomes the result of a tool call, and results are limited. */
const stepCharacters = 16_000

/**
 * Returns a further part of the actor's own file, from a page, slide, row or character on, without its first `skip`
 * characters; undefined if the actor has no such document. If the model `sees` images, the part contains pictures of
 * pages without readable text, up to a limit. It then ends before the first such page beyond the limit.
 */
export async function readOn(
  actor: Actor,
  { fileUid, from, skip = 0, sees }: { fileUid: number; from: number; skip?: number; sees: boolean },
  signal: AbortSignal,
): Promise<{ name: string; extraction: Extraction; pictures: PagePicture[] } | undefined> {
  const file = await File.load(actor.uid, fileUid)
  const format = file && formatOf(file.name)
  if (file?.state !== 'stored' || !format || isImage(file.mimeType)) return undefined
  const bytes = (await Store.get(file.objectKey))?.bytes
  if (!bytes) return undefined
  const over = { from, characters: skip + stepCharacters }
  const options = { user: actor.uid, signal }
  const whole = await extract(bytes, format, options, over)
  const extraction = { ...whole, text: whole.text.slice(skip) }
  const unread = sees ? (extraction.unread ?? []) : []
  const pictures =
    unread.length > 0 ? await pagePictures(bytes, unread.slice(0, pageLimits.step), options) : []
  const next = unread[pageLimits.step]
  return { name: file.name, extraction: next ? endBefore(extraction, next) : extraction, pictures }
}

/** Returns the part of the text before a page. */
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
  const cached = await kept(extractKey(sha256), CachedText)
  if (!cached) return undefined
  const { state, isCutByTime } = cached.extraction
  const isDoubtful = state === 'tooSlow' || state === 'tooLarge' || isCutByTime
  return isDoubtful && now - cached.at > doubtfulMs ? undefined : cached.extraction
}

/** Reads the stored result under a key. Answers undefined if it is missing or has another revision. */
async function kept<S extends z.ZodType>(key: string, schema: S): Promise<z.infer<S> | undefined> {
  const object = await Store.get(key)
  return object && schema.safeParse(JSON.parse(Buffer.from(object.bytes).toString('utf8'))).data
}

async function keep(key: string, result: unknown): Promise<void> {
  await Store.put(key, JSON.stringify(result), { contentType: 'application/json' })
}

/** Reads the text of a text file. This only decodes bytes, so it needs no sandbox. */
export async function readText(
  bytes: Uint8Array,
  limits: Limits,
  format: Format = 'txt',
): Promise<Extraction> {
  // Imports the detector of encodings only here, because only turns with a text file need it.
  const { decodeText } = await import('../text.ts')
  const whole = decodeText(bytes)?.trim()
  if (whole === undefined) return without('damaged')
  const extraction = fromText(whole, limits)
  if (extraction.state !== 'truncated' || !['csv', 'tsv'].includes(format)) return extraction
  const lines = whole.split('\n')
  return { ...extraction, outline: `${lines.length} lines; the first: ${lines[0]?.slice(0, 500)}` }
}

const Picture = Shrunk.extend({ page: z.int() })
/** A page and its picture. */
export type PagePicture = z.infer<typeof Picture>
/** Increase `revision` when a new version draws other pictures of the same pages. */
const CachedPages = z.object({ revision: z.literal(1), pages: z.array(z.int()), pictures: z.array(Picture) })

/** Draws pages of a PDF as pictures; leaves out pages that cannot be drawn within the limits. */
export async function pagePictures(
  bytes: Uint8Array,
  pages: readonly number[],
  options: Sandbox.SandboxOptions,
): Promise<PagePicture[]> {
  const drawn = await Sandbox.run({ kind: 'pages', pages: [...pages] }, bytes, options)
  if (drawn.ended !== 'answered') return []
  const drawings = new TextEncoder().encode(JSON.stringify(drawn.answer))
  const painted = await Sandbox.run({ kind: 'drawings', bytes: pageLimits.bytes }, drawings, options)
  const pictures = z.array(Shrunk.nullable()).safeParse(painted.ended === 'answered' && painted.answer)
  if (!pictures.success) return []
  return pictures.data.flatMap((picture, at) => (picture ? [{ ...picture, page: pages[at] ?? 0 }] : []))
}

/** Returns pictures of these pages of a stored PDF, drawn once for the same content. */
export async function pagePicturesOnce(
  sha256: string,
  pages: readonly number[],
  load: () => Promise<Uint8Array | undefined>,
  options: Sandbox.SandboxOptions,
): Promise<PagePicture[]> {
  const cached = await kept(pagesKey(sha256), CachedPages)
  if (cached?.pages.join() === pages.join()) return cached.pictures
  const bytes = await load()
  const pictures = bytes ? await pagePictures(bytes, pages, options) : []
  // A busy machine may have drawn no pictures: then the next call tries again.
  if (pictures.length > 0)
    await keep(pagesKey(sha256), { revision: 1, pages: [...pages], pictures } satisfies z.infer<
      typeof CachedPages
    >)
  return pictures
}
