import { beforeAll, describe, expect, test } from 'vitest'
import type { Capabilities } from '../../../core/cms/capabilities.ts'
import type { Cms } from '../../../core/cms/cms.ts'
import type { CmsRecord } from '../../../core/cms/schema.ts'
import type { RecordId } from '../../../core/conversation/schema.ts'
import { withOtherTables } from '../../support/other-tables.ts'
import { type Bench, bench } from '../../support/tools.ts'

/** The tools for addresses and the page tree, on a CMS elsewhere whose pages are nested, of another type, and not at 1. */

let on: Bench
let cms: Cms
let product: RecordId
let draft: RecordId
let linking: RecordId

const origin = 'https://www.shop.example'
const website: Capabilities['addresses'] = {
  origins: [origin, 'https://shop.example'],
  types: ['news', 'page'],
}

/** The reference CMS with what WordPress says of itself: slugs are the last parts of addresses. */
function elsewhere(addresses: Capabilities['addresses'], home: Capabilities['home']): Cms {
  const other = withOtherTables(on.cms, { pages: 'page' })
  const addressesOf = ({ table, uid, hidden, fields }: CmsRecord): string[] => {
    if (table === 'news') return [`/2026/news-${uid}/`, `/?p=${uid}`]
    if (table !== 'page') return []
    const canonical = `/home${String(fields.slug).replace(/\/$/, '')}/`
    return [...(hidden ? [] : [canonical]), `/?page_id=${uid}`]
  }
  const placed = (record: CmsRecord): CmsRecord => {
    const { slug } = record.fields
    const last = typeof slug === 'string' ? { slug: slug.split('/').at(-1) ?? '' } : {}
    return {
      ...record,
      addresses: addresses ? addressesOf(record) : [],
      fields: { ...record.fields, ...last },
    }
  }
  return {
    ...other,
    capabilities: async () => ({
      ...(await on.cms.capabilities()),
      tree: { pages: 'page', content: 'content' },
      home,
      addresses,
    }),
    list: async (actor, query) => {
      const found = await other.list(actor, query)
      return found && { ...found, records: found.records.map(placed) }
    },
    record: async (...asked) => {
      const found = await other.record(...asked)
      return found && placed(found)
    },
  }
}

beforeAll(async () => {
  on = await bench()
  const shown = { hidden: false, perms_everybody: 31 }
  const make = async (title: string, slug: string, hidden: boolean) => {
    const uid = await on.write({ uid: null, table: 'pages', place: { pid: 2 }, fields: { title, slug } })
    if (!hidden) await on.write({ table: 'pages', uid, fields: shown })
    return uid
  }
  product = await make('Borealis', '/products/borealis', false)
  draft = await make('Plans', '/products/plans', true)
  const links = [
    '/home/products/borealis/',
    `${origin}/home/products/borealis?utm=1`,
    `http://shop.example/?page_id=${product}`,
    `/?preview=true&amp;page_id=${draft}`,
    '/2026/news-1/',
    'https://elsewhere.example/home/products/borealis/',
    '/home/products/nowhere/',
    '/?page_id=987654',
    'https://www.shop.example/products/borealis/',
  ]
  const body = links.map((href) => `<a href="${href}">x</a>`).join(' ')
  const fields = { type: 'text', header: 'Links', body }
  linking = await on.write({ uid: null, table: 'content', place: { pid: product }, fields })
  await on.write({ table: 'content', uid: linking, fields: { hidden: false } })
  cms = elsewhere(website, null)
})

const ask = async (name: string, args: object, over: Cms = cms) =>
  (await on.ask('admin', name, args, { cms: over })).text

describe('find_page_by_address', () => {
  test.each([
    '/home/products/borealis/',
    'home/products/borealis',
    'https://www.shop.example/HOME/products/borealis/?x=1#top',
  ])('%s', async (address) => {
    expect(await ask('find_page_by_address', { address })).toBe(
      `Page [${product}] “Borealis” has the address /home/products/borealis.`,
    )
  })

  test('knows the parameters that name a record, and records that are no pages', async () => {
    const address = `https://shop.example/?page_id=${product}`

    expect(await ask('find_page_by_address', { address })).toBe(
      `Page [${product}] “Borealis” has the address /?page_id=${product}.`,
    )
    expect(await ask('find_page_by_address', { address: '/2026/news-1/' })).toMatch(
      /^Record news \[1\] “.*” has the address \/2026\/news-1\.$/,
    )
  })

  test('takes the last part of an address for no address, and a draft for no home page', async () => {
    for (const address of ['/borealis', '/products/borealis', '/'])
      expect(await ask('find_page_by_address', { address })).toMatch(
        /^A page with the address “.*” was not found/,
      )
  })
})

describe('where_used', () => {
  test('finds links with and without the origin of the site, and those by id', async () => {
    const found = `- content [${linking}] “Links”, page [${product}]: link in body`

    expect(await ask('where_used', { table: 'page', uid: product })).toContain(found)
    expect(await ask('where_used', { table: 'page', uid: draft })).toContain(found)
    expect(await ask('where_used', { table: 'news', uid: 1 })).toContain(found)
    expect(await ask('where_used', { table: 'page', uid: 2 })).not.toContain('Links')
  })

  test('says that it knows no links where the CMS says no addresses', async () => {
    expect(await ask('where_used', { table: 'page', uid: draft }, elsewhere(null, null))).toMatch(
      /^No record .* Links by address are not known: this CMS does not say the addresses of its records\.$/,
    )
  })
})

describe('check_site', () => {
  test('names the links that lead to nothing, and no other', async () => {
    const text = await ask('check_site', { checks: ['links'], below: product })

    expect(text).toBe(
      [
        'Checked 1 page.',
        '',
        'With internal links that lead to no page that the user may see (1):',
        `- “Borealis” [${product}]: /home/products/nowhere/ in content [${linking}]; ` +
          `/?page_id=987654 in content [${linking}]; https://www.shop.example/products/borealis/ in content [${linking}]`,
      ].join('\n'),
    )
  })

  test('says that links are not checked where the CMS says no addresses, or where there was no time', async () => {
    const unchecked =
      'With internal links that lead to no page that the user may see: not checked, the addresses of the site are not known.'
    const args = { checks: ['links'], below: product }
    const { text } = await on.ask('admin', 'check_site', args, { cms, hasTime: () => false })

    expect(text).toContain(unchecked)
    expect(await ask('check_site', args, elsewhere(null, null))).toContain(unchecked)
  })
})

describe('the page tree', () => {
  test('begins at the home page of the CMS, and above all pages where there is none', async () => {
    const home = elsewhere(website, { table: 'page', uid: product })
    const post = elsewhere(website, { table: 'news', uid: 1 })

    expect(await ask('get_page_tree', {})).toMatch(/^The whole site\n/)
    expect(await ask('get_page_tree', {}, post)).toMatch(/^The whole site\n/)
    expect(await ask('get_page_tree', {}, home)).toMatch(/^Page “Borealis” /)
  })

  test('names its pages, and their places, by the type that the CMS has', async () => {
    const { records } = await on.ask('admin', 'get_page_tree', {}, { cms })
    const content = await on.ask('admin', 'get_page_content', { page: product }, { cms })

    expect(new Set(records?.map(({ table }) => table))).toEqual(new Set(['page']))
    expect(content.records?.[0]).toEqual({ table: 'page', uid: product, title: 'Borealis' })
    expect(await ask('get_record', { table: 'page', uid: product })).toMatch(
      new RegExp(
        `^Record page \\[${product}\\] “Borealis” \\(visible, English\\), path .* > Borealis \\[${product}\\]\n`,
      ),
    )
  })
})
