import { expect, test } from 'vitest'
import * as z from 'zod'
import { Value } from '../../../core/cms/reference/item.ts'
import articles from '../../../infra/local/seed/articles.json' with { type: 'json' }
import changes from '../../../infra/local/seed/changes.json' with { type: 'json' }
import elements from '../../../infra/local/seed/elements.json' with { type: 'json' }
import log from '../../../infra/local/seed/log.json' with { type: 'json' }
import news from '../../../infra/local/seed/news.json' with { type: 'json' }
import pages from '../../../infra/local/seed/pages.json' with { type: 'json' }
import pictures from '../../../infra/local/seed/pictures.json' with { type: 'json' }
import products from '../../../infra/local/seed/products.json' with { type: 'json' }
import users from '../../../infra/local/seed/users.json' with { type: 'json' }

const language = z.literal([0, 1])
const fields = z.record(z.string(), Value)
const part = z.tuple([z.string(), z.array(z.string())])
const words = z.strictObject({ text: part, list: part })
const names = z.strictObject({ name: z.string(), material: z.string(), text: z.string() })
const line = { hour: z.number(), level: z.string(), component: z.string(), message: z.string() }
const records = z.array(z.strictObject({ daysAgo: z.int(), fields }))

test.each([
  ['articles', articles, z.array(z.strictObject({ page: z.int(), en: words, de: words }))],
  [
    'changes',
    changes,
    z.array(
      z.strictObject({
        daysAgo: z.int(),
        table: z.string(),
        uid: z.int(),
        user: z.int(),
        by: z.string(),
        changes: z.array(z.strictObject({ field: z.string(), before: Value, after: Value })),
      }),
    ),
  ],
  [
    'elements',
    elements,
    z.array(
      z.strictObject({
        page: z.int(),
        language,
        type: z.enum(['text', 'list']),
        header: z.string(),
        lines: z.array(z.string()),
        behind: z.int().optional(),
        isHidden: z.boolean().optional(),
      }),
    ),
  ],
  [
    'log',
    log,
    z.strictObject({
      daily: z.array(z.strictObject({ ...line, username: z.string().optional() })),
      events: z.array(
        z.strictObject({
          ...line,
          username: z.string().optional(),
          daysAgo: z.int(),
          thrown: z
            .object({ exception_trace: z.array(z.string()) })
            .catchall(Value)
            .optional(),
        }),
      ),
    }),
  ],
  [
    'news',
    news,
    z.array(
      z.strictObject({
        category: z.string(),
        language,
        title: z.string(),
        teaser: z.string(),
        body: z.string(),
      }),
    ),
  ],
  [
    'pages',
    pages,
    z.array(
      z.strictObject({
        uid: z.int(),
        parent: z.int(),
        title: z.string(),
        slug: z.string(),
        description: z.string(),
        isHidden: z.boolean().optional(),
        access: z.enum(['public', 'everybody', 'management']).optional(),
        fields: fields.optional(),
      }),
    ),
  ],
  [
    'pictures',
    pictures,
    z.array(
      z.strictObject({ title: z.string(), file: z.string(), folder: z.string(), alternative: z.string() }),
    ),
  ],
  [
    'products',
    products,
    z.array(
      z.strictObject({
        uid: z.int(),
        parent: z.int(),
        slug: z.string(),
        price: z.number(),
        size: z.string(),
        en: names,
        de: names,
      }),
    ),
  ],
  ['users', users, z.strictObject({ groups: records, users: records })],
])('the file of the %s has exactly the members of its schema', (_, data, schema) => {
  expect(schema.safeParse(data).error?.issues ?? []).toEqual([])
})
