import { copyFile, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Actor } from '../../../core/base/actor.ts'
import { ToolError } from '../../../core/base/error.ts'
import { bridge } from '../../../core/cms/bridge/bridge.ts'
import { newCode, pairingOf } from '../../../core/cms/bridge/pairing.ts'
import type { Cms, Done, Put } from '../../../core/cms/cms.ts'
import { numbersHere } from '../../../scripts/connect/kit/undoing.ts'
import type { SmallCms } from '../../../test/support/small-cms.ts'
import { lacksPhp, startPhp } from './site.ts'

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const code = newCode('http://127.0.0.1:3000')
const { keyId, bridgeKey: secret } = pairingOf(code) as NonNullable<ReturnType<typeof pairingOf>>

describe.skipIf(lacksPhp)('A CMS in PHP with a page tree and texts as ids', () => {
  let site: SmallCms
  let cms: Cms
  let anna: Actor
  beforeAll(async () => {
    const env = { CODE: code, KIT: here('../src/autoload.php') }
    site = await startPhp('pages.php', env, async (folder) => {
      await mkdir(folder)
      await copyFile(here('./site/pages.php'), join(folder, 'pages.php'))
    })
    cms = bridge({ url: site.base, keyId, secret }, numbersHere())
    anna = (await cms.userNamed('u-anna')) as Actor
  })
  afterAll(() => site?.close())

  const show = (put: Put) => cms.put(anna, { put, dry: true, versions: [] })

  test('offers what its author wrote, and no more', async () => {
    const { ids, userIds, writes, users, pictures } = await cms.capabilities()

    expect([ids, userIds, users, pictures]).toEqual(['string', 'string', false, true])
    expect([writes.create, writes.remove]).toEqual([['pages'], []])
  })

  test('shows the pages below a page by their titles', async () => {
    const all = await cms.pageTree(anna, { root: 0, depth: 2, limit: 10 })

    expect(all.map(({ uid, depth, hasChildren }) => [uid, depth, hasChildren])).toEqual([
      ['home', 1, true],
      ['blog', 2, false],
      ['shop', 2, true],
    ])
  })

  test('shows a page with its path, and lists the pages directly below it', async () => {
    const page = await cms.page(anna, { uid: 'lamps' })
    const below = await cms.list(anna, { table: 'pages', page: 'home', limit: 10, offset: 0 })

    expect([page?.parent, page?.path.map((it) => it.title)]).toEqual(['shop', ['Home', 'Shop', 'Lamps']])
    expect(below?.records.map(({ uid }) => uid)).toEqual(['shop', 'blog'])
    expect(await cms.page(anna, { uid: 'none' })).toBeUndefined()
  })

  test('shows a new page below the page that is named, hidden, and refuses one below nothing', async () => {
    const below = (pid: string): Put => ({
      table: 'pages',
      uid: null,
      place: { pid },
      fields: { title: 'News', status: 'live' },
    })

    expect(await show(below('blog'))).toMatchObject({
      page: { uid: 'blog', title: 'Blog' },
      versions: [{ table: 'pages', uid: 'blog', version: '1' }],
      after: { record: { pid: 'blog', hidden: true, fields: { parent: 'blog', status: 'draft' } } },
    })
    await expect(show(below('none'))).rejects.toThrow(new ToolError('There is no page none.'))
  })

  test.each([
    [
      'a new record of a type without drafts',
      { table: 'tags', uid: null, place: { pid: 0 }, fields: {} },
      'The assistant makes no new records of tags: the type has no drafts.',
    ],
    [
      'a form that the kit does not know',
      { table: 'pages', uid: 'blog', bin: true },
      'This CMS takes no such change. Change the fields of the record.',
    ],
    ...['tomorrow', '+1 hour', '2026', '2026-13-01'].map((since) => [
      `the date ${since}`,
      { table: 'pages', uid: 'blog', fields: { since } },
      'The field since takes a time in ISO 8601.',
    ]),
    [
      'a type that is not there',
      { table: 'none', uid: 'x', fields: {} },
      'There is no type none. list_tables names the types.',
    ],
  ] as [string, Put, string][])('refuses %s', async (_, put, sentence) => {
    await expect(show(put)).rejects.toThrow(new ToolError(sentence))
  })

  test.each([
    ['2026-11-22', '2026-11-22T00:00:00.000Z'],
    ['2026-11-22T09:30Z', '2026-11-22T09:30:00.000Z'],
    ['2026-11-22 09:30:05.5+02:00', '2026-11-22T07:30:05.500Z'],
  ])('takes the date %s', async (since, stored) => {
    const { after } = (await show({ table: 'pages', uid: 'blog', fields: { since } })) as Done

    expect(after.record?.fields.since).toBe(stored)
  })

  test.each([
    ['the largest size that fits', 'home', { state: 'there', base64: 'FA==' }],
    ['no size that fits', 'shop', { state: 'tooLarge' }],
    ['another kind of file', 'lamps', { state: 'none' }],
    ['no file', 'blog', { state: 'none' }],
    ['no record', 'gone', undefined],
  ])('of %s the picture is so', async (_, uid, picture) => {
    expect(await cms.picture(anna, { table: 'pages', uid })).toEqual(picture)
  })
})
