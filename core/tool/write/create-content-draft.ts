import * as z from 'zod'
import { creating, Target } from '../schema.ts'
import { writes } from '../tool.ts'

/** `create_content_draft`: a hidden content element on a page, after an approval. */
export const createContentDraft = writes({
  name: 'create_content_draft',
  sign: 'pencil',
  words: {
    en: {
      title: 'Create a hidden content element',
      did: 'Created hidden content',
      doing: 'Creating hidden content',
      asked: 'Proposed content',
      heading: 'Create hidden content element “{title}”',
      stored: 'The hidden content “{title}” was created on page [{page}].',
    },
  },
  description:
    'Proposes a new content element on a page, hidden. text: paragraphs as HTML (<p>); header: a headline alone; list: plain text, one line per item; html: markup as it is.',
  guidance: creating,
  parameters: z
    .strictObject({
      page: Target,
      type: z.enum(['text', 'header', 'list', 'html']),
      header: z.string().trim().min(1).max(255).optional(),
      body: z.string().min(1).max(50_000).optional(),
    })
    .refine(({ type, header }) => type !== 'header' || header, {
      path: ['header'],
      message: 'an element of type header needs one',
    })
    .refine(({ header, body }) => header || body, {
      path: ['body'],
      message: 'give a body, a header or both',
    }),
  dataClass: 'internal',
  adminOnly: false,
  suits: ({ tree, writes }) => tree?.content === 'content' && writes.create.includes('content'),
  creates: () => true,
  write: ({ page, type, header, body }) => ({
    table: 'content',
    uid: null,
    place: { pid: page },
    fields: { type, ...(header !== undefined && { header }), ...(body !== undefined && { body }) },
  }),
})
