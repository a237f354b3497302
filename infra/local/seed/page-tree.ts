import * as z from 'zod'
import { dayMs } from '../../../core/base/clock.ts'
import { seedRow } from '../../../core/cms/reference/bootstrap.ts'
import { type Row, Value } from '../../../core/cms/reference/item.ts'
import pageData from './pages.json' with { type: 'json' }
import productData from './products.json' with { type: 'json' }

const SeedPage = z.strictObject({
  uid: z.int(),
  parent: z.int(),
  title: z.string(),
  slug: z.string(),
  description: z.string(),
  isHidden: z.boolean().default(false),
  access: z.enum(['public', 'everybody', 'management']).default('public'),
  fields: z.record(z.string(), Value).default({}),
})
type SeedPage = z.infer<typeof SeedPage>

/** The pages in menu order, without those of the products, which come last. Two pages have no description yet. */
const outline: SeedPage[] = z.array(SeedPage).parse(pageData)

const open = { perms_userid: 1, perms_groupid: 1, perms_user: 31, perms_group: 27, perms_everybody: 1 }

/**
 * Rights by access. Only administrators see the pages of the management. On the news page, everybody may write whose
 * groups allow it.
 */
const rights: Record<SeedPage['access'], Record<string, Value>> = {
  public: open,
  everybody: { ...open, perms_everybody: 17 },
  management: { ...open, perms_groupid: null, perms_group: 0, perms_everybody: 0 },
}

/** The German record of “About us”; the other pages have no translation yet. */
const german = {
  uid: 66,
  original: 5,
  fields: {
    title: 'Über uns',
    slug: '/ueber-uns',
    description: 'Wer wir sind, wo wir arbeiten und was wir nicht tun.',
  },
}

/** Returns all pages of the site; the German page is the last. */
export function pageRows(now: number): Row[] {
  const shop = products.map(({ uid, parent, en, slug }) =>
    SeedPage.parse({ uid, parent, title: en.name, slug, description: en.text }),
  )
  const all = [...outline, ...shop]
  const byUid = new Map(all.map((page) => [page.uid, page]))
  const address = (uid: number): string => {
    const page = byUid.get(uid)
    return page && page.slug !== '' ? `${address(page.parent)}/${page.slug}` : ''
  }
  const rows = all.map(({ uid, parent, title, description, isHidden, access, fields }, at) => {
    const changedAt = now - (2 + ((uid * 37) % 180)) * dayMs
    const by = access === 'management' || uid % 3 === 0 ? 'admin' : 'editor'
    const place = { pid: parent, at: now - (400 + ((uid * 13) % 250)) * dayMs, changedAt, by }
    return seedRow('pages', uid, place, {
      title,
      slug: address(uid) || '/',
      description,
      hidden: isHidden,
      ...fields,
      sorting: (at + 1) * 256,
      ...rights[access],
    })
  })
  const { uid, original, fields } = german
  const about = rows.find((page) => page.uid === original)
  if (!about) throw new Error(`There is no page ${original}`)
  return [...rows, { ...about, uid, fields: { ...about.fields, ...fields, language: 1, original } }]
}

const Words = z.strictObject({ name: z.string(), material: z.string(), text: z.string() })

/** A product with its page: `uid` is the page, `parent` the category. Prices are in euros, sizes in centimetres. */
const Product = z.strictObject({
  uid: z.int(),
  parent: z.int(),
  slug: z.string(),
  price: z.number(),
  size: z.string(),
  en: Words,
  de: Words,
})
export type Product = z.infer<typeof Product>

/** All products of the shop; throws if the file has another form. */
export const products: Product[] = z.array(Product).parse(productData)
