import * as z from 'zod'
import { dayMs } from '../../../core/base/clock.ts'
import { seedRow } from '../../../core/cms/reference/bootstrap.ts'
import type { Row, Value } from '../../../core/cms/reference/item.ts'
import data from './products.json' with { type: 'json' }

type Outline = [uid: number, parent: number, title: string, slug: string, description: string]

/** The tree in menu order; the pages of the products come after it. Two are still without a description. */
const outline: Outline[] = [
  [1, 0, 'Home', '', 'Northlight: lamps and furniture from the north, made to be repaired.'],
  [2, 1, 'Products', 'products', 'Everything that we make, by room and by use.'],
  [20, 2, 'Lighting', 'lighting', 'Lamps that do not dazzle, with parts that can be replaced.'],
  [21, 2, 'Desks and tables', 'tables', 'Tops to work, eat and argue at.'],
  [22, 2, 'Seating', 'seating', 'Chairs, sofas and benches with covers that come off.'],
  [23, 2, 'Storage', 'storage', 'A place for everything, and a door before some of it.'],
  [24, 2, 'Outdoor', 'outdoor', 'Furniture that stays outside.'],
  [65, 2, 'Winter sale', 'winter-sale', ''],
  [5, 1, 'About us', 'about', 'Who we are, where we work, what we refuse to do.'],
  [12, 5, 'Our story', 'story', 'From a lamp for a grandmother to 46 people.'],
  [13, 5, 'Workshop', 'workshop', 'Where everything is made, and when you can visit.'],
  [14, 5, 'Sustainability', 'sustainability', 'Figures rather than promises.'],
  [15, 5, 'Materials', 'materials', 'Wood, glass, metal and wool: where they come from.'],
  [16, 5, 'Jobs', 'jobs', 'Work with us in Hamburg or Vienna.'],
  [8, 1, 'Service', 'service', 'Before and after you buy.'],
  [25, 8, 'Delivery', 'delivery', 'How long it takes and what it costs.'],
  [26, 8, 'Returns', 'returns', '60 days, at our expense.'],
  [27, 8, 'Care guides', 'care', 'How things stay beautiful.'],
  [60, 27, 'Caring for wood', 'wood', 'Oil, soap, and what to do about rings.'],
  [61, 27, 'Caring for glass and metal', 'glass-metal', 'Less is more, and never a scouring pad.'],
  [62, 27, 'Caring for textiles', 'textiles', 'Washing, pilling, and the sun.'],
  [28, 8, 'Warranty and repairs', 'repairs', 'Five years on everything, repairs for life.'],
  [29, 8, 'Questions and answers', 'faq', 'What we are asked most often.'],
  [7, 1, 'News', 'news', 'What is new in the shop and in the workshop.'],
  [6, 1, 'Contact', 'contact', 'Write, call or come by.'],
  [17, 6, 'Showroom Hamburg', 'hamburg', 'Große Elbstraße, by the water.'],
  [18, 6, 'Showroom Vienna', 'vienna', 'Neubaugasse, on the first floor.'],
  [19, 6, 'Customer service', 'customer-service', 'People who pick up the phone.'],
  [9, 1, 'Imprint', 'imprint', 'Who is responsible for this site.'],
  [63, 1, 'Privacy', 'privacy', ''],
  [10, 1, 'Management', 'management', 'For the management alone.'],
  [11, 10, 'Board minutes', 'board-minutes', 'Minutes of the board.'],
  [64, 10, 'Budget', 'budget', 'Plan and actual figures of the year.'],
]

const hidden = new Set([65])

/** Previews for visitors who share a page's address; the other pages have none yet. */
const shared = new Map<number, Record<string, Value>>([
  [
    20,
    {
      og_title: 'Light that does not dazzle',
      og_description: 'Lamps from Hamburg, each part of which can be replaced.',
      og_image: 1,
    },
  ],
])

/** Pages of the management are for administrators alone. On the news page everybody whose groups allow it may write. */
const closed: Record<string, Value> = {
  perms_userid: 1,
  perms_groupid: null,
  perms_user: 31,
  perms_group: 0,
  perms_everybody: 0,
}
const open: Record<string, Value> = {
  perms_userid: 1,
  perms_groupid: 1,
  perms_user: 31,
  perms_group: 27,
  perms_everybody: 1,
}
const management = new Set([10, 11, 64])

function rights(uid: number): Record<string, Value> {
  if (management.has(uid)) return closed
  return uid === 7 ? { ...open, perms_everybody: 17 } : open
}

/** The German record of “About us”; the other pages are still to be translated. */
const german = {
  uid: 66,
  original: 5,
  fields: {
    title: 'Über uns',
    slug: '/ueber-uns',
    description: 'Wer wir sind, wo wir arbeiten und was wir nicht tun.',
  },
}

/** All pages of the site, and last the one in German. */
export function pageRows(now: number): Row[] {
  const shop: Outline[] = products.map(({ uid, parent, en, slug }) => [uid, parent, en.name, slug, en.text])
  const all = [...outline, ...shop]
  const bySlug = new Map(all.map(([uid, parent, , slug]) => [uid, { parent, slug }]))
  const address = (uid: number): string => {
    const page = bySlug.get(uid)
    return page && page.slug !== '' ? `${address(page.parent)}/${page.slug}` : ''
  }
  const rows = all.map(([uid, pid, title, , description], at) => {
    const changedAt = now - (2 + ((uid * 37) % 180)) * dayMs
    const place = { pid, at: now - (400 + ((uid * 13) % 250)) * dayMs, changedAt, by: authorOf(uid) }
    return seedRow('pages', uid, place, {
      title,
      slug: address(uid) || '/',
      description,
      hidden: hidden.has(uid),
      ...shared.get(uid),
      sorting: (at + 1) * 256,
      ...rights(uid),
    })
  })
  const { uid, original, fields } = german
  const about = rows.find((page) => page.uid === original)
  if (!about) throw new Error(`There is no page ${original}`)
  return [...rows, { ...about, uid, fields: { ...about.fields, ...fields, language: 1, original } }]
}

function authorOf(uid: number): string {
  return management.has(uid) || uid % 3 === 0 ? 'admin' : 'editor'
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

/** All products of the shop; throws where the file has another shape. */
export const products: Product[] = z.array(Product).parse(data)
