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
  },
  description: 'Pictures and other files among the records, each with its uid and alternative text.',
  parameters: z.strictObject({
    text: z.string().trim().min(1).max(200).optional().describe('Words in its name, folder or texts'),
    missing_alternative: z.boolean().default(false).describe('Only those without alternative text'),
    unused: z.boolean().default(false).describe('Only those that no record names'),
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
