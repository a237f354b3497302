import * as z from 'zod'
import { dayMs } from '../../../core/base/clock.ts'
import { seedRow } from '../../../core/cms/reference/bootstrap.ts'
import type { Row, Value } from '../../../core/cms/reference/item.ts'
import data from './articles.json' with { type: 'json' }
import { type Product, products } from './page-tree.ts'

type Element = {
  page: number
  language: number
  hidden?: boolean
  /** How many elements before this one its original comes; absent: it is no translation. */
  behind?: number
  fields: Record<string, Value>
}

const textElement = (page: number, language: number, [header, paragraphs]: Part): Element => ({
  page,
  language,
  fields: { type: 'text', header, body: paragraphs.map((paragraph) => `<p>${paragraph}</p>`).join('\n') },
})
/** The translation of the element that comes so many before it. */
const german = (behind: number, element: Element): Element => ({ ...element, behind })
const list = (page: number, language: number, [header, lines]: Part): Element => ({
  page,
  language,
  fields: { type: 'list', header, body: lines.join('\n') },
})

function ofProduct(product: Product): Element[] {
  const { uid, price, size, en, de } = product
  const stock =
    uid % 5 === 0 ? ['Made to order: six weeks', 'Auf Bestellung: sechs Wochen'] : ['In stock', 'Vorrätig']
  return [
    textElement(uid, 0, [en.name, [en.text, `The ${en.name} costs ${price} EUR.`]]),
    list(uid, 0, [
      'Facts',
      [`Price: ${price} EUR`, `Material: ${en.material}`, `Size in cm: ${size}`, stock[0] ?? ''],
    ]),
    textElement(uid, 0, [
      'Delivery and care',
      [delivery(price), 'Five years of warranty, repairs for life.'],
    ]),
    german(3, textElement(uid, 1, [de.name, [de.text, `Preis: ${price} EUR.`]])),
    german(
      3,
      list(uid, 1, [
        'Daten',
        [
          `Preis: ${price} EUR`,
          `Material: ${de.material}`,
          `Maße in cm: ${size.replace('height', 'Höhe')}`,
          stock[1] ?? '',
        ],
      ]),
    ),
  ]
}

function delivery(price: number): string {
  return price > 300
    ? 'Delivered by our own van and carried to where it belongs.'
    : 'Sent as a parcel within two to four days, free from 120 EUR.'
}

function ofArticle({ page, en, de }: Article): Element[] {
  return [
    textElement(page, 0, en.text),
    list(page, 0, en.list),
    german(2, textElement(page, 1, de.text)),
    german(2, list(page, 1, de.list)),
  ]
}

/** Contents of a few pages: short pages without a list, drafts, and the pages of the management. */
const others: Element[] = [
  textElement(18, 0, [
    'Showroom Vienna',
    ['Neubaugasse 27, first floor, 1070 Vienna. Ring the bell with the lamp on it.'],
  ]),
  german(
    1,
    textElement(18, 1, [
      'Ausstellung Wien',
      ['Neubaugasse 27, erster Stock, 1070 Wien. Läuten Sie bei der Lampe.'],
    ]),
  ),
  textElement(19, 0, [
    'Customer service',
    ['Maren, Deniz and Jakob pick up the phone. If all three are talking, they call back the same day.'],
  ]),
  german(
    1,
    textElement(19, 1, [
      'Kundendienst',
      ['Maren, Deniz und Jakob gehen ans Telefon. Sprechen alle drei, rufen sie am selben Tag zurück.'],
    ]),
  ),
  textElement(9, 0, [
    'Imprint',
    [
      'Northlight eG, Große Elbstraße 118, 22767 Hamburg. Board: Ada Lindqvist, Henrik Sommer. Court of registration Hamburg, GnR 1187.',
    ],
  ]),
  german(
    1,
    textElement(9, 1, [
      'Impressum',
      [
        'Northlight eG, Große Elbstraße 118, 22767 Hamburg. Vorstand: Ada Lindqvist, Henrik Sommer. Registergericht Hamburg, GnR 1187.',
      ],
    ]),
  ),
  textElement(63, 0, [
    'Privacy',
    [
      'We store what an order needs, for as long as the law asks. No tracking, no profile, no sale of addresses.',
    ],
  ]),
  german(
    1,
    textElement(63, 1, [
      'Datenschutz',
      [
        'Wir speichern, was eine Bestellung braucht, so lange das Gesetz es verlangt. Kein Tracking, kein Profil, kein Verkauf von Adressen.',
      ],
    ]),
  ),
  {
    ...textElement(3, 0, [
      'Aurora lamp in sea green',
      ['Draft: the new shade comes in spring. Price and date are still open.'],
    ]),
    hidden: true,
  },
  {
    ...textElement(4, 0, ['Borealis desk in walnut', ['Draft: walnut is tested until March.']]),
    hidden: true,
  },
  textElement(10, 0, ['Management', ['Minutes, budget and plans. For the management alone.']]),
  textElement(11, 0, [
    'Board minutes, October',
    [
      'The board discussed Nightjar: the takeover of the glassworks is to be decided in spring. Nothing of it leaves this page.',
      'Henrik reports on the lease of the showroom in Vienna.',
    ],
  ]),
  list(11, 0, [
    'Resolutions',
    [
      'Nightjar: due diligence until the end of February, budget 40,000 EUR',
      'Vienna: extend the lease by five years',
      'Next meeting: first Tuesday of the quarter',
    ],
  ]),
  list(64, 0, [
    'Budget of the year',
    [
      'Revenue, plan: 8.4 million EUR',
      'Revenue, actual to date: 6.9 million EUR',
      'Repairs: 310,000 EUR, plan 280,000 EUR',
    ],
  ]),
]

/** The pictures of elements, by their uids: those of the Aurora lamp and of the Borealis desk. */
const pictures: Record<number, number> = { 1: 1, 4: 1, 6: 3 }

/** All content elements of the site. */
export function contentRows(now: number): Row[] {
  const elements = [...products.flatMap(ofProduct), ...articles.flatMap(ofArticle), ...others]
  const onPage = new Map<string, number>()
  return elements.map(({ page, language, hidden, behind, fields }, at) => {
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
      image: pictures[uid] ?? null,
      original: behind === undefined ? null : uid - behind,
      hidden: hidden ?? false,
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

/** The texts of all pages that sell nothing directly; throws where the file has another shape. */
const articles: Article[] = z.array(Article).parse(data)
