import { beforeAll, describe, expect, test } from 'vitest'
import type { CmsRecord, Field, Table } from '../../../core/cms/schema.ts'
import type { RecordId } from '../../../core/conversation/schema.ts'
import { type Bench, bench, now } from '../../support/tools.ts'

/** The tools that look over the whole site, on a page with one fault of each kind. */

let on: Bench
let page: RecordId
let faulty: RecordId

beforeAll(async () => {
  on = await bench()
  page = await on.write({
    uid: null,
    table: 'pages',
    place: { pid: 1 },
    fields: { title: 'Tour', slug: '/tour' },
  })
  await on.write({ table: 'pages', uid: page, fields: { hidden: false, perms_everybody: 31 } })
  const body =
    '<h2>One</h2><h4>Two</h4><p><a href="/products">Ours</a> <a href="/gone?x=1">Lost</a> <a href="/a.pdf">File</a></p>'
  const fields = { type: 'text', header: 'Faults', body }
  faulty = await on.write({ uid: null, table: 'content', place: { pid: page }, fields })
  await on.write({ table: 'content', uid: faulty, fields: { hidden: false } })
})

const text = async (...call: Parameters<Bench['ask']>) => (await on.ask(...call)).text

describe('check_site', () => {
  test('finds what there is to mend on a page, and names it', async () => {
    const found = await on.ask('admin', 'check_site', { below: page })

    expect(found.text).toBe(
      [
        'Checked 1 page.',
        'Without a title: none.',
        `Without a description (1):\n- “Tour” [${page}]`,
        `With internal links that lead to no page that the user may see (1):\n- “Tour” [${page}]: /gone?x=1 in content [${faulty}]`,
        'Unchanged for a year: none.',
        `With headings that leave out a level (1):\n- “Tour” [${page}]: h4 follows h2 in content [${faulty}]`,
        `Without an element in a language of the site (1):\n- “Tour” [${page}]: Deutsch`,
      ].join('\n\n'),
    )
    expect(found.records).toEqual([{ table: 'pages', uid: page, title: 'Tour', page: 1 }])
  })

  test('finds pages that did not change for a year', async () => {
    const later = { now: now + 366 * 24 * 60 * 60 * 1_000 }
    const found = await on.ask('admin', 'check_site', { below: page, checks: ['age'] }, later)

    expect(found.text).toBe(
      `Checked 1 page.\n\nUnchanged for a year (1):\n- “Tour” [${page}], last changed 2026-11-20 12:00 UTC`,
    )
  })

  test('looks only at what the user may see, and says so of links too', async () => {
    const pagesOf = async (who: 'admin' | 'editor') =>
      Number((await text(who, 'check_site', { checks: ['title'] })).match(/^Checked (\d+)/)?.[1])

    expect(await pagesOf('editor')).toBeLessThan(await pagesOf('admin'))
    expect(await on.ask('editor', 'check_site', { below: 11 })).toEqual({
      text: 'Page 11 was not found, or the user may not see it.',
      isError: true,
      outcome: 'missing',
    })
  })

  test('looks at all that is below a page, however deep', async () => {
    const deep = await on.cms.record(on.actors.admin, { table: 'pages', uid: page })
    const line = Array.from({ length: 40 }, (_, at) => ({
      uid: 2_000 + at,
      pid: at === 0 ? page : 1_999 + at,
    }))
    const list: Bench['cms']['list'] = async (actor, wanted) => {
      const found = await on.cms.list(actor, wanted)
      if (!found || !deep || wanted.table !== 'pages') return found
      const more = line.map((place) => ({ ...deep, ...place, title: '' }))
      return { records: wanted.offset === 0 ? [...more, ...found.records] : [], total: found.total + 40 }
    }
    const checks = { below: page, checks: ['title'] }

    expect(await text('admin', 'check_site', checks, { cms: { ...on.cms, list } })).toMatch(
      /^Checked 41 pages\.\n\nWithout a title \(40\):/,
    )
  })

  /** A site with so many pages like this one, and as many elements on the last of them. */
  const large = (pages: number): Bench['cms'] => ({
    ...on.cms,
    list: async (actor, { table, limit, offset }) => {
      const record = await on.cms.record(actor, { table, uid: table === 'pages' ? page : faulty })
      if (!record) return undefined
      const uids = Array.from({ length: pages }, (_, at) => 1_000 + at).slice(offset, offset + limit)
      return { records: uids.map((uid) => ({ ...record, uid, pid: 999 + pages })), total: pages }
    },
  })

  test('reads a site of any size to its end, and tells how far it is', async () => {
    const told: number[][] = []
    const progress = async (n: number, total: number) => void told.push([n, total])
    const { text } = await on.ask('admin', 'check_site', {}, { cms: large(6_000), progress })

    expect(text).toMatch(/^Checked 6000 pages\.\n\n/)
    expect(text).toContain(
      'With headings that leave out a level (1):\n- “Tour” [6999]: h4 follows h2 in content',
    )
    expect([told.length, told[0], told.at(-1)]).toEqual([120, [100, 12_000], [12_000, 12_000]])
  })

  test('reads no element where only pages matter', async () => {
    const told: number[][] = []
    const progress = async (n: number, total: number) => void told.push([n, total])
    const checks = ['title', 'description']
    await on.ask('admin', 'check_site', { checks }, { cms: large(150), progress })

    expect(told).toEqual([
      [100, 150],
      [150, 150],
    ])
  })

  test('ends with what it has when its time is over, and says so', async () => {
    let requests = 0
    const hasTime = () => ++requests < 3
    const { text } = await on.ask('admin', 'check_site', { checks: ['age'] }, { cms: large(250), hasTime })

    expect(text).toBe(
      'Checked 250 pages, not the whole site: there was no time for the last 250 records.\n\nUnchanged for a year: none.',
    )
  })

  test('ends with the turn', async () => {
    const over = new AbortController()
    over.abort(new Error('over'))

    await expect(on.ask('admin', 'check_site', {}, { signal: over.signal })).rejects.toThrow('over')
  })
})

describe('where_used', () => {
  test('names the records that link to a page', async () => {
    const { text, records } = await on.ask('admin', 'where_used', { table: 'pages', uid: 2 })

    expect(text).toContain(`- content [${faulty}] “Faults”, page [${page}]: link in body`)
    expect(records).toContainEqual({ table: 'content', uid: faulty, title: 'Faults', page })
  })

  test('names the records that point with a relation', async () => {
    expect(await text('admin', 'where_used', { table: 'be_groups', uid: 1 })).toMatch(
      /^\d+ records point at be_groups \[1\] “editors”:\n- pages \[1\] “Home”, page \[0\]: relation perms_groupid\n/,
    )
  })

  test('says when there is none, and nothing of what the user may not see', async () => {
    expect(await text('editor', 'where_used', { table: 'news', uid: 8 })).toMatch(
      /^No record that the user may see points at news \[8\] “/,
    )
    expect(await text('editor', 'where_used', { table: 'pages', uid: 11 })).toBe(
      'Record pages [11] was not found, or the user may not see it.',
    )
  })
})

describe('find_page_by_address', () => {
  test.each(['/tour', 'tour/', 'https://www.example.com/tour?x=1#top', '/TOUR'])('%s', async (address) => {
    expect(await text('admin', 'find_page_by_address', { address })).toBe(
      `Page [${page}] “Tour” has the address /tour.`,
    )
  })

  test('says the same of what is not there and of what is not for the user', async () => {
    const address = String((await on.cms.record(on.actors.admin, { table: 'pages', uid: 11 }))?.fields.slug)

    expect(await text('admin', 'find_page_by_address', { address })).toContain('Page [11]')
    expect(await text('editor', 'find_page_by_address', { address })).toMatch(
      /^A page with the address “.*” was not found, or the user may not see it\.$/,
    )
  })
})

describe('describe_table', () => {
  test('shows each field with its limits', async () => {
    const lines = (await text('admin', 'describe_table', { table: 'content' })).split('\n')

    expect(lines.slice(0, 3)).toEqual([
      'Table content (Content). The user may change records of it.',
      '- type: Type, select (required, one of text, header, list, html)',
      '- header: Header, text (at most 255 characters, translated)',
    ])
  })

  test('leaves out the fields that the user may not read, and names the tables that there are', async () => {
    expect(await text('admin', 'describe_table', { table: 'pages' })).toContain(
      '- perms_userid: Owner, relation (of the table be_users)',
    )
    expect(await text('editor', 'describe_table', { table: 'pages' })).not.toContain('perms_userid')
    expect(await text('editor', 'describe_table', { table: 'be_users' })).toMatch(
      /^The table be_users was not found, .* Tables that the user may read: pages, content, news, media\.$/,
    )
  })
})

describe('find_media', () => {
  test.each<[string, object, RegExp]>([
    [
      'by words in any text',
      { text: 'AURORA shade' },
      /^1 file:\n- media \[2\] “Aurora lamp, the shade”, aurora-lamp-shade\.jpg, no alternative text$/,
    ],
    [
      'of a folder without alternative text',
      { text: 'about', missing_alternative: true },
      /^2 files:\n- media \[4\].*\n- media \[6\]/,
    ],
    [
      'that no record names',
      { unused: true, limit: 2 },
      /^4 files:\n- media \[2\].*\n- media \[4\].*\nThere are more/,
    ],
    [
      'of which there is none',
      { text: 'borealis', missing_alternative: true },
      /^No file that the user may see is like that\.$/,
    ],
  ])('finds files %s', async (_what, args, found) => {
    expect(await text('editor', 'find_media', args)).toMatch(found)
  })
})

describe('a CMS with parts in its fields and pictures in its texts', () => {
  const field = (name: string, kind: Field['kind'], target?: string): Field => ({
    name,
    label: name,
    kind,
    required: false,
    max: null,
    readOnly: false,
    ...(target && { target }),
  })
  const tables: Table[] = [
    { name: 'media', label: 'Media', mayModify: true, fields: [field('title', 'text')] },
    {
      name: 'pages',
      label: 'Pages',
      mayModify: true,
      fields: [
        field('body', 'html'),
        field('image', 'media', 'media'),
        field('related', 'relation'),
        field('text', 'blocks'),
      ],
    },
  ]
  const record = (table: string, uid: number, address: string, fields: CmsRecord['fields']): CmsRecord => ({
    table,
    uid,
    pid: 0,
    title: `${table} ${uid}`,
    hidden: false,
    language: 0,
    fields,
    addresses: [address],
    changedAt: '2026-11-20T12:00:00.000Z',
    version: '1',
    mayEdit: true,
  })
  const link = (fields: object) => ({ type: 'link', fields })
  const records: Record<string, CmsRecord[]> = {
    media: [
      record('media', 1, '/files/a-scaled.jpg', {}),
      record('media', 2, '/files/b.jpg', {}),
      record('media', 3, '/files/c.pdf', {}),
      record('media', 4, '/files/d.jpg', {}),
      record('media', 5, '/files/e.jpg', { sizes: { small: { url: '/files/e-300x200.jpg' } } }),
    ],
    pages: [
      record('pages', 1, '/one', {
        body: '<img class="wide" src="/files/a-300x200.jpg"><a href="/files/c.pdf">List</a>',
        image: 4,
        related: [{ relationTo: 'pages', value: { id: 2 } }],
        text: {
          root: {
            children: [
              { type: 'upload', relationTo: 'media', value: 2 },
              link({ url: '/two' }),
              link({ url: '/nowhere' }),
            ],
          },
        },
      }),
      record('pages', 2, '/two', {}),
    ],
  }
  const cms = (): Bench['cms'] => ({
    ...on.cms,
    tables: async () => tables,
    list: async (_actor, { table }) => ({
      records: records[table] ?? [],
      total: records[table]?.length ?? 0,
    }),
    record: async (_actor, { table, uid }) => records[table]?.find((one) => one.uid === uid),
    capabilities: async () => ({
      ...(await on.cms.capabilities()),
      addresses: { origins: [], types: ['pages'] },
    }),
  })
  const bound = 'Parts of a record that name another only by its number were not recognised.'

  test('an unused file is one that no relation, part, link or picture leads to', async () => {
    expect(await text('admin', 'find_media', { unused: true }, { cms: cms() })).toBe(
      `1 file: ${bound}\n- media [5] “media 5”`,
    )
  })

  test.each<['NFC' | 'NFD', 'NFC' | 'NFD']>([
    ['NFC', 'NFD'],
    ['NFD', 'NFC'],
  ])('a file is found by words in %s whose name has accents in %s', async (typed, kept) => {
    const file = { ...record('media', 6, '/files/f.jpg', {}), title: 'Café'.normalize(kept) }
    const list = async () => ({ records: [file], total: 1 })
    const found = await text(
      'admin',
      'find_media',
      { text: 'café'.normalize(typed) },
      { cms: { ...cms(), list } },
    )

    expect(found.normalize()).toBe('1 file:\n- media [6] “Café”')
  })

  test('a record is used by a relation that names its type, and by a link of the editor', async () => {
    expect(await text('admin', 'where_used', { table: 'pages', uid: 2 }, { cms: cms() })).toBe(
      `1 record points at pages [2] “pages 2”: ${bound}\n- pages [1] “pages 1”, page [0]: relation related; link in text`,
    )
  })

  test.each<[number, string]>([
    [1, 'picture in body'],
    [2, 'relation text'],
    [3, 'link in body'],
    [4, 'relation image'],
  ])('the file %i is used by a %s', async (uid, way) => {
    expect(await text('admin', 'where_used', { table: 'media', uid }, { cms: cms() })).toMatch(
      new RegExp(`^1 record points at .*\\n- pages \\[1\\] “pages 1”, page \\[0\\]: ${way}$`),
    )
  })

  test('a dead link of the editor is found', async () => {
    expect(await text('admin', 'check_site', { checks: ['links'] }, { cms: cms() })).toContain(
      '- “pages 1” [1]: /nowhere in pages [1]',
    )
  })
})

describe('compare_versions', () => {
  beforeAll(async () => {
    for (const header of ['Second', 'Third'])
      await on.write({ table: 'content', uid: faulty, fields: { header } })
    await on.write({ table: 'content', uid: faulty, fields: { subheader: 'Below' } })
  })

  test.each<[number, number, string[]]>([
    [1, 0, ['subheader (Subheader)', '  older: (empty)', '  newer: Below']],
    [
      3,
      0,
      [
        'subheader (Subheader)',
        '  older: (empty)',
        '  newer: Below',
        'header (Header)',
        '  older: Faults',
        '  newer: Third',
      ],
    ],
    [3, 2, ['header (Header)', '  older: Faults', '  newer: Second']],
  ])('%i changes back beside %i back', async (older, newer, lines) => {
    const compared = await text('admin', 'compare_versions', { table: 'content', uid: faulty, older, newer })

    expect(compared.split('\n').slice(1)).toEqual(lines)
  })

  test.each<[object, RegExp]>([
    [{ older: 1, newer: 1 }, /^The older state has to lie more changes back than the newer one\.$/],
    [{ older: 50 }, /^The history of content \[\d+\] has only \d+ changes\.$/],
    [{ older: 5 }, /was created, moved or deleted: there is no state before that\.$/],
  ])('%j is refused', async (args, words) => {
    const { text, isError } = await on.ask('admin', 'compare_versions', {
      table: 'content',
      uid: faulty,
      ...args,
    })

    expect(isError).toBe(true)
    expect(text).toMatch(words)
  })
})
