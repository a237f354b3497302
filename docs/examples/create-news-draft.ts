import * as z from 'zod'
import { Uid } from '../../core/tool/schema.ts'
import { writes } from '../../core/tool/tool.ts'

export const createNewsDraft = writes({
  name: 'create_news_draft',
  sign: 'plus',
  en: {
    title: 'Create hidden news',
    did: 'Created hidden news',
    doing: 'Creating hidden news',
    asked: 'Proposed news',
    heading: 'Create hidden news “{title}”',
    stored: 'The hidden news “{title}” was created on page [{page}].',
  },
  description: 'Proposes news on a page. They are always created hidden, after the user’s approval.',
  parameters: z.strictObject({ page: Uid, title: z.string().trim().min(1).max(255) }),
  write: ({ page, title }) => ({ table: 'news', uid: null, place: { pid: page }, fields: { title } }),
})
