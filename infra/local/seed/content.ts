import { readFile } from 'node:fs/promises'
import * as z from 'zod'
import { dayMs } from '../../../core/base/clock.ts'
import { seedRow } from '../../../core/cms/reference/bootstrap.ts'
import { type Row, textOf, type Value } from '../../../core/cms/reference/item.ts'
import { keyOf } from '../../../core/cms/reference/read.ts'
import { load } from '../../../core/file/document/image.ts'
import * as Store from '../../../core/file/store.ts'
import articleData from './articles.json' with { type: 'json' }
import elementData from './elements.json' with { type: 'json' }
import newsData from './news.json' with { type: 'json' }
import { type Product, products } from './page-tree.ts'
import data from './pictures.json' with { type: 'json' }

type Element = {
  page: number
  language: number
  isHidden?: boolean | undefined
  /** The original comes this many elements before the translation; absent: the element is no translation. */
  behind?: number | undefined
  fields: Record<string, Value>
}

/** An element of paragraphs, or of the lines of a list. */
function element(type: 'text' | 'list', page: number, language: number, [header, lines]: Part): Element {
  const body = type === 'list' ? lines : lines.map((line) => `<p>${line}</p>`)
  return { page, language, fields: { type, header, body: body.join('\n') } }
}

/** Returns the translation of the element that comes `behind` elements before it. */
const german = (behind: number, type: 'text' | 'list', page: number, part: Part): Element => ({
  ...element(type, page, 1, part),
  behind,
})

function ofProduct({ uid, price, size, en, de }: Product): Element[] {
  const isMadeToOrder = uid % 5 === 0
  const facts = [
    `Price: ${price} EUR`,
    `Material: ${en.material}`,
    `Size in cm: ${size}`,
    isMadeToOrder ? 'Made to order: six weeks' : 'In stock',
  ]
  const germanFacts = [
    `Preis: ${price} EUR`,
    `Material: ${de.material}`,
    `Maße in cm: ${size.replace('height', 'Höhe')}`,
    isMadeToOrder ? 'Auf Bestellung: sechs Wochen' : 'Vorrätig',
  ]
  const care = [delivery(price), 'Five years of warranty, repairs for life.']
  return [
    element('text', uid, 0, [en.name, [en.text, `The ${en.name} costs ${price} EUR.`]]),
    element('list', uid, 0, ['Facts', facts]),
    element('text', uid, 0, ['Delivery and care', care]),
    german(3, 'text', uid, [de.name, [de.text, `Preis: ${price} EUR.`]]),
    german(3, 'list', uid, ['Daten', germanFacts]),
  ]
}

function delivery(price: number): string {
  return price > 300
    ? 'Delivered by our own van and carried to where it belongs.'
    : 'Sent as a parcel within two to four days, free from 120 EUR.'
}

function ofArticle({ page, en, de }: Article): Element[] {
  return [
    element('text', page, 0, en.text),
    element('list', page, 0, en.list),
    german(2, 'text', page, de.text),
    german(2, 'list', page, de.list),
  ]
}

const ofRecord = ({ page, language, type, header, lines, ...rest }: Other): Element => ({
  ...element(type, page, language, [header, lines]),
  ...rest,
})

/** The pictures of elements, by their uids: those of the Aurora lamp and of the Borealis desk. */
const picturesOfElements: Record<number, number> = { 1: 1, 4: 1, 6: 3 }

/** All content elements of the site. */
export function contentRows(now: number): Row[] {
  const elements = [...products.flatMap(ofProduct), ...articles.flatMap(ofArticle), ...others.map(ofRecord)]
  const onPage = new Map<string, number>()
  return elements.map(({ page, language, isHidden = false, behind, fields }, at) => {
    const place = `${page} ${language}`
    const position = (onPage.get(place) ?? 0) + 1
    onPage.set(place, position)
    const uid = at + 1
    const times = {
      pid: page,
      at: now - (300 + ((uid * 11) % 300)) * dayMs,
      changedAt: now - (1 + ((uid * 29) % 200)) * dayMs,
      by: uid % 7 === 0 ? 'admin' : 'editor',
    }
    return seedRow('content', uid, times, {
      ...fields,
      language,
      image: picturesOfElements[uid] ?? null,
      original: behind === undefined ? null : uid - behind,
      hidden: isHidden,
      sorting: position * 256,
    })
  })
}

/** A header with its paragraphs or its lines. */
const Part = z.tuple([z.string(), z.array(z.string())])
type Part = z.infer<typeof Part>

const Words = z.strictObject({ text: Part, list: Part })

/** The content of a page that is no product: a text and a list, each in both languages. */
const Article = z.strictObject({ page: z.int(), en: Words, de: Words })
type Article = z.infer<typeof Article>

/** The texts of all pages that are not about a product; throws if the file has another form. */
const articles: Article[] = z.array(Article).parse(articleData)

const Other = z.strictObject({
  page: z.int(),
  language: z.literal([0, 1]),
  type: z.enum(['text', 'list']),
  header: z.string(),
  lines: z.array(z.string()),
  behind: z.int().optional(),
  isHidden: z.boolean().optional(),
})
type Other = z.infer<typeof Other>

/** The elements of a few other pages: short pages without a list, drafts, and the pages of the management. */
const others: Other[] = z.array(Other).parse(elementData)

const Story = z.strictObject({
  category: z.string(),
  language: z.literal([0, 1]),
  title: z.string(),
  teaser: z.string(),
  body: z.string(),
})

/** The news, the oldest first; about one every two weeks. */
const stories = z.array(Story).parse(newsData)

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

const Picture = z.strictObject({
  title: z.string(),
  file: z.string(),
  folder: z.string(),
  alternative: z.string(),
})

/** The data of the pictures; some pictures still lack a text for people who do not see them. */
const pictures = z.array(Picture).parse(data)

/** Returns the pictures of the site. They belong to the home page, so that all who see that page may use them. */
export function mediaRows(now: number): Row[] {
  return pictures.map((picture, at) =>
    seedRow(
      'media',
      at + 1,
      { pid: 1, at: now - (90 + at * 12) * dayMs, by: 'editor' },
      { ...picture, mime_type: 'image/jpeg' },
    ),
  )
}

/** Stores the picture files that the bucket of the stage does not have yet, as SVG of 640 × 480 pixels. */
export async function seedPictures(): Promise<void> {
  const rows = mediaRows(0)
  const there = await Promise.all(rows.map((row) => Store.head(keyOf(row))))
  const missing = rows.filter((_, at) => !there[at])
  if (missing.length === 0) return
  const sharp = await load()
  for (const row of missing) {
    const drawing = await readFile(
      new URL(`pictures/${textOf(row, 'file').replace('.jpg', '.svg')}`, import.meta.url),
    )
    const bytes = await sharp(drawing).jpeg({ quality: 82 }).toBuffer()
    await Store.put(keyOf(row), bytes, { contentType: 'image/jpeg' })
  }
}
