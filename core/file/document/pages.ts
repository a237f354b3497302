import * as z from 'zod'
import { pagesKey } from '../item.ts'
import * as Store from '../store.ts'
import { Shrunk } from './image.ts'
import * as Sandbox from './sandbox.ts'

/** Pages of a PDF as pictures, for a model that sees and for pages that no text tells. */

/** Limits of pages as pictures: a file shows at most `pages`, a step of reading on `step`, each of at most `bytes`. */
export const pageLimits = { pages: 20, step: 4, bytes: 500_000 }

/** Increase this number when the same pages would give other pictures. */
const revision = 1

const Picture = Shrunk.extend({ page: z.int() })
/** A page and its picture. */
export type PagePicture = z.infer<typeof Picture>
const Cached = z.object({
  revision: z.literal(revision),
  pages: z.array(z.int()),
  pictures: z.array(Picture),
})

/** Pictures of these pages of a PDF, without those that cannot be drawn within the limits. */
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

/** Pictures of these pages of a stored PDF, drawn once for the same content. */
export async function pagePicturesOnce(
  sha256: string,
  pages: readonly number[],
  load: () => Promise<Uint8Array | undefined>,
  options: Sandbox.SandboxOptions,
): Promise<PagePicture[]> {
  const stored = await Store.get(pagesKey(sha256))
  const cached = Cached.safeParse(stored && JSON.parse(Buffer.from(stored.bytes).toString('utf8')))
  if (cached.success && cached.data.pages.join() === pages.join()) return cached.data.pictures
  const bytes = await load()
  const pictures = bytes ? await pagePictures(bytes, pages, options) : []
  // A machine that was busy may have drawn none: these are tried again.
  if (pictures.length > 0) {
    const kept = JSON.stringify({ revision, pages: [...pages], pictures } satisfies z.infer<typeof Cached>)
    await Store.put(pagesKey(sha256), kept, { contentType: 'application/json' })
  }
  return pictures
}
