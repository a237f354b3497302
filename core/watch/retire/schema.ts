import * as z from 'zod'

/** A release of the pages in the bucket that serves them, and what is noted of parts that are no longer of it. */

/** The file in which a build lists its parts; a deploy puts it with them. Keys here are those of the bucket. */
export const releaseKey = 'backend/release.json'
/** The folder with the parts of all releases; a part has a hash of its content in its name. */
export const partsPrefix = 'backend/assets/'
/** The list of the parts that left. The Router serves nothing outside of `backend/`. */
export const leftKey = 'left.json'

/** The folder with the pages and entries of the served release; each deploy puts its own over those before. */
export const pagesPrefix = 'backend/'

/**
 * The content of a build: its parts, as paths beside the file that names them, and the SHA-256 of each page and script that a
 * browser asks for by a name without a hash. A release without either is none.
 */
export const Release = z.object({
  parts: z.array(z.string().startsWith('assets/')).min(1),
  pages: z.record(z.string().min(1), z.hex()).refine((pages) => Object.keys(pages).length > 0),
})
export type Release = z.infer<typeof Release>

/** When each part was first seen to be of no release that is deployed, by its key. */
export const Left = z.record(z.string(), z.iso.datetime())
export type Left = z.infer<typeof Left>
