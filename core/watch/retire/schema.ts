import * as z from 'zod'

/** The release of the pages, as their bucket has it, and the notes of parts that have left the release. */

/**
 * The file in which a build lists its parts; a deploy uploads it with the parts. The keys below are keys of the bucket.
 */
export const releaseKey = 'backend/release.json'
/** The folder with the parts of all releases: files whose names contain a hash of their content. */
export const partsPrefix = 'backend/assets/'
/** The list of the parts that left the release. The Router does not serve it, because it is outside of `backend/`. */
export const leftKey = 'left.json'

/**
 * The folder with the pages and entries of the served release; each deploy overwrites the files of the release before.
 */
export const pagesPrefix = 'backend/'

/**
 * The content of a build: the paths of its parts, relative to the file that lists them, and the SHA-256 of some files.
 * These are the pages and scripts that a browser requests by a name without a hash. A release without parts or without
 * pages is not valid.
 */
export const Release = z.object({
  parts: z.array(z.string().startsWith('assets/')).min(1),
  pages: z.record(z.string().min(1), z.hex()).refine((pages) => Object.keys(pages).length > 0),
})
export type Release = z.infer<typeof Release>

/** For each part that no deployed release has: its key, and the time when this was first found. */
export const Left = z.record(z.string(), z.iso.datetime())
export type Left = z.infer<typeof Left>
