import { readFile } from 'node:fs/promises'
import { dayMs } from '../../../core/base/clock.ts'
import { seedRow } from '../../../core/cms/reference/bootstrap.ts'
import { type Row, textOf, type Value } from '../../../core/cms/reference/item.ts'
import { keyOf } from '../../../core/cms/reference/read.ts'
import { load } from '../../../core/file/document/image.ts'
import * as Store from '../../../core/file/store.ts'
import articles from './articles.json' with { type: 'json' }
import others from './elements.json' with { type: 'json' }
import stories from './news.json' with { type: 'json' }
import pictures from './pictures.json' with { type: 'json' }
import products from './products.json' with { type: 'json' }

/** A header with its paragraphs or its lines. */
type Section = [header: string, lines: string[]]
type Words = { text: Section; list: Section }
type Article = { page: number; en: Words; de: Words }

type Element = {
  page: number
  language: number
  isHidden?: boolean | undefined
  /** For a translation: by how many positions its original is earlier in the list. Absent: no translation. */
  behind?: number | undefined
  fields: Record<string, Value>
}

/** Returns an element of paragraphs, or of the lines of a list. */
function element(type: string, page: number, language: number, [header, lines]: Section): Element {
  const body = type === 'list' ? lines : lines.map((line) => `<p>${line}</p>`)
  return { page, language, fields: { type, header, body: body.join('\n') } }
}

/** Returns a translation into German. Its original is the element `behind` positions earlier in the list. */
const german = (behind: number, type: 'text' | 'list', page: number, section: Section): Element => ({
  ...element(type, page, 1, section),
  behind,
})

function ofProduct({ uid, price, size, en, de }: (typeof products)[number]): Element[] {
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

/** Returns the content of a page that is no product: a text and a list, each in both languages. */
function ofArticle({ page, en, de }: Article): Element[] {
  return [
    element('text', page, 0, en.text),
    element('list', page, 0, en.list),
    german(2, 'text', page, de.text),
    german(2, 'list', page, de.list),
  ]
}

/** Returns an element of one of the other pages: a short page without a list, a draft, or a page of the management. */
const ofRecord = ({ page, language, type, header, lines, ...rest }: (typeof others)[number]): Element => ({
  ...element(type, page, language, [header, lines]),
  ...rest,
})

/** The pictures of elements, by their uids: those of the Aurora lamp and of the Borealis desk. */
const picturesOfElements: Record<number, number> = { 1: 1, 4: 1, 6: 3 }

/** Returns all content elements of the site. */
export function contentRows(now: number): Row[] {
  const elements = [
    ...products.flatMap(ofProduct),
    ...(articles as Article[]).flatMap(ofArticle),
    ...others.map(ofRecord),
  ]
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

const authors = ['editor', 'autorin']
const names = ['Edgar Holm', 'Astrid Winter']

/** Returns the news of the last eighteen months, about one every two weeks; uid 1 is the oldest. */
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

/**
 * Returns the pictures of the site; some still have no alternative text. They belong to the home
 * page, so that all who see that page may use them.
 */
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
