import * as z from 'zod'
import { dayMs } from '../../../core/base/clock.ts'
import { seedRow } from '../../../core/cms/reference/bootstrap.ts'
import type { Row } from '../../../core/cms/reference/item.ts'
import data from './news.json' with { type: 'json' }

const Story = z.strictObject({
  category: z.string(),
  language: z.literal([0, 1]),
  title: z.string(),
  teaser: z.string(),
  body: z.string(),
})

/** The oldest first; about one every two weeks. */
const stories = z.array(Story).parse(data)

const authors = ['editor', 'autorin']
const names = ['Edgar Holm', 'Astrid Winter']

/** The news of the last eighteen months, uid 1 the oldest. */
export function newsRows(now: number): Row[] {
  return stories.map(({ category, language, title, teaser, body }, at) => {
    const published = now - (4 + (stories.length - 1 - at) * 13) * dayMs
    const author = language === 1 || at === stories.length - 1 ? 1 : at % 2
    return seedRow(
      'news',
      at + 1,
      { pid: 7, at: published - dayMs, by: authors[author] ?? 'editor' },
      {
        title,
        teaser,
        body: `<p>${teaser}</p>\n<p>${body}</p>`,
        date: new Date(Math.floor(published / dayMs) * dayMs + (9 * dayMs) / 24).toISOString(),
        author: names[author] ?? '',
        category,
        language,
        hidden: false,
      },
    )
  })
}
