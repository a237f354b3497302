import * as z from 'zod'
import { Limit } from '../schema.ts'
import { reads } from '../tool.ts'

/** `find_media`: pictures and other files of the CMS, by name, folder, use and missing alternative text. */
export const findMedia = reads({
  name: 'find_media',
  sign: 'image',
  source: 'named',
  words: {
    en: { title: 'Pictures and files of the site', did: 'Looked for media', doing: 'Looking for media' },
    de: { title: 'Bilder und Dateien der Website', did: 'Medien gesucht', doing: 'Sucht Medien' },
  },
  description:
    'Pictures and other files among the records of the CMS, each with its uid and alternative text. With missing_alternative only those without an alternative text, with unused only those that no record names. update_record changes title and alternative text, attach_media puts a file into a record.',
  parameters: z.strictObject({
    text: z
      .string()
      .trim()
      .min(1)
      .max(200)
      .optional()
      .describe('Words in the name, the folder or another text of the file'),
    missing_alternative: z.boolean().default(false),
    unused: z.boolean().default(false),
    limit: Limit,
  }),
  dataClass: 'internal',
  adminOnly: false,
  suits: ({ media }) => media,
  async run(args, context) {
    const { searchMedia } = await import('../media-search.ts')
    return searchMedia(args, context)
  },
})
