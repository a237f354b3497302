import type { Field } from './schema.ts'

/** The most bytes of a picture: with base64 around them they fit one answer of the bridge. */
export const maxPictureBytes = 3_000_000

/** Reads a file of the site by its key, of at most so many bytes. */
export type ReadFile = (key: string, most: number) => Promise<Uint8Array | 'tooLarge' | undefined>

/** The tables that fields for pictures and files point into: where a CMS keeps files as records. */
export const mediaTables = (types: readonly { fields: readonly Field[] }[]): Set<string> =>
  new Set(
    types.flatMap(({ fields }) =>
      fields.flatMap(({ kind, target }) => (kind === 'media' && target ? [target] : [])),
    ),
  )
