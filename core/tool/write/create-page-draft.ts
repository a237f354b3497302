import * as z from 'zod'
import { creating, Target } from '../schema.ts'
import { writes } from '../tool.ts'

/** `create_page_draft`: a hidden page below another, after an approval. */
export const createPageDraft = writes({
  name: 'create_page_draft',
  sign: 'pencil',
  words: {
    en: {
      title: 'Create a hidden page',
      did: 'Created a hidden page',
      doing: 'Creating a hidden page',
      asked: 'Proposed a page',
      heading: 'Create hidden page “{title}”',
      stored: 'The hidden page “{title}” was created.',
    },
  },
  description: 'Proposes a new page below another one, hidden.',
  guidance: creating,
  parameters: z.strictObject({
    parent: Target,
    title: z.string().trim().min(1).max(255),
    slug: z.string().trim().min(1).max(255).optional().describe('absent: made from the title'),
  }),
  dataClass: 'internal',
  adminOnly: false,
  suits: ({ tree, writes }) => tree?.pages === 'pages' && writes.create.includes('pages'),
  creates: () => true,
  write: ({ parent, title, slug }) => ({
    table: 'pages',
    uid: null,
    place: { pid: parent },
    fields: { title, ...(slug !== undefined && { slug }) },
  }),
})
