import { describe, expect, test } from 'vitest'
import type { Row } from '../../../../core/cms/reference/item.ts'
import * as Permission from '../../../../core/cms/reference/permission.ts'
import { bit, type Rights } from '../../../../core/cms/reference/permission.ts'
import { fieldOf, tableOf } from '../../../../core/cms/reference/registry.ts'
import { row } from './row.ts'

const user = 7
const group = 5

/** A page whose owner is the user and whose group is theirs, without any bit. */
const page = (uid: number, pid: number, fields: Row['fields'] = {}): Row =>
  row('pages', uid, pid, {
    perms_userid: user,
    perms_groupid: group,
    perms_user: 0,
    perms_group: 0,
    perms_everybody: 0,
    ...fields,
  })

const rights = (some: Partial<Rights> = {}): Rights => ({
  uid: user,
  isAdmin: false,
  groups: [group],
  select: new Set(['pages', 'content', 'news']),
  modify: new Set(['pages', 'content', 'news']),
  mounts: new Set([1]),
  excludeFields: new Set(),
  languages: new Set(),
  ...some,
})

const stranger = rights({ uid: 8, groups: [6] })
const admin = rights({
  isAdmin: true,
  uid: 1,
  groups: [],
  select: new Set(),
  modify: new Set(),
  mounts: new Set(),
})

const pagesOf = (...rows: Row[]) => new Map(rows.map((each) => [each.uid, each]))
const root = page(1, 0, { perms_everybody: 1 })

describe('the bits of a page', () => {
  const sources = ['perms_user', 'perms_group', 'perms_everybody'] as const
  const who = { owner: rights({ groups: [] }), group: rights({ uid: 8 }), both: rights(), none: stranger }
  const holders = {
    perms_user: ['owner', 'both'],
    perms_group: ['group', 'both'],
    perms_everybody: Object.keys(who),
  }
  const cases = sources.flatMap((source) =>
    Object.entries(bit).flatMap(([name, value]) =>
      (Object.keys(who) as (keyof typeof who)[]).map(
        (person) => [source, name, value, person, holders[source].includes(person)] as const,
      ),
    ),
  )

  test.each(cases)('%s with %s (%i): %s has it: %s', (source, _, value, person, has) => {
    expect(Permission.bitsOn(who[person], page(2, 1, { [source]: value }))).toBe(has ? value : 0)
  })

  test('add up over owner, group and everybody', () => {
    const mixed = page(2, 1, { perms_user: 2, perms_group: 8, perms_everybody: 1 })

    expect(Permission.bitsOn(rights(), mixed)).toBe(11)
    expect(Permission.bitsOn(stranger, mixed)).toBe(1)
  })

  test('are all there for an administrator', () => {
    expect(Permission.bitsOn(admin, page(2, 1))).toBe(31)
  })

  test('of a page without owner belong to no user', () => {
    expect(
      Permission.bitsOn(rights({ uid: 0, groups: [] }), page(2, 1, { perms_userid: null, perms_user: 31 })),
    ).toBe(0)
  })
})

describe('whether a page is there', () => {
  const shown = { perms_everybody: 1 }
  const all = { perms_everybody: 31 }
  const deleted: Row = { ...page(2, 1, shown), deleted: true }

  test.each<[string, Rights, Row[], boolean]>([
    ['inside a mount, shown', rights(), [root, page(2, 1, shown), page(3, 2, shown)], true],
    ['inside a mount, without the bit', rights(), [root, page(2, 1, shown), page(3, 2)], false],
    [
      'outside the mount with all bits',
      rights({ mounts: new Set([9]) }),
      [root, page(2, 1, all), page(3, 2, all)],
      false,
    ],
    ['without any mount', rights({ mounts: new Set() }), [root, page(2, 1, all), page(3, 2, all)], false],
    [
      'a mount at the page itself',
      rights({ mounts: new Set([3]) }),
      [root, page(2, 1), page(3, 2, shown)],
      true,
    ],
    [
      'a mount that is not shown',
      rights({ mounts: new Set([2]) }),
      [root, page(2, 1), page(3, 2, all)],
      false,
    ],
    ['below a page that is not shown', rights(), [root, page(2, 1), page(3, 2, shown)], true],
    ['below a deleted page', rights(), [root, deleted, page(3, 2, all)], false],
    ['below a deleted page, for an administrator', admin, [root, deleted, page(3, 2)], false],
    ['below a page that is gone', rights(), [root, page(3, 2, all)], false],
    ['in a circle', rights({ mounts: new Set([3]) }), [page(2, 3, all), page(3, 2, all)], false],
    ['no page at all', rights(), [root], false],
    ['for an administrator without mount', admin, [root, page(2, 1), page(3, 2)], true],
    ['for a user without rights', Permission.noRights, [root, page(2, 1, all), page(3, 2, all)], false],
  ])('%s', (_, who, rows, there) => {
    expect(Permission.mayShow(who, pagesOf(...rows), 3)).toBe(there)
  })
})

describe('changing a record', () => {
  const element = row('content', 20, 2)
  const cases: [string, Rights, Row, Row, Permission.Denial | undefined][] = [
    ['content with bit 16', rights(), page(2, 1, { perms_everybody: 17 }), element, undefined],
    ['content with every bit but 16', rights(), page(2, 1, { perms_everybody: 15 }), element, 'page'],
    [
      'content of a page that is not shown',
      rights(),
      page(2, 1, { perms_everybody: 30 }),
      element,
      'missing',
    ],
    [
      'a table that is selected only',
      rights({ modify: new Set() }),
      page(2, 1, { perms_everybody: 31 }),
      element,
      'table',
    ],
    [
      'a table that is not selected',
      rights({ select: new Set(), modify: new Set() }),
      page(2, 1, { perms_everybody: 31 }),
      element,
      'missing',
    ],
    ['a locked page', rights(), page(2, 1, { perms_everybody: 31, editlock: true }), element, 'editlock'],
    [
      'a locked element',
      rights(),
      page(2, 1, { perms_everybody: 31 }),
      row('content', 20, 2, { editlock: true }),
      'editlock',
    ],
    ['a locked page, as administrator', admin, page(2, 1, { editlock: true }), element, undefined],
    [
      'an allowed language',
      rights({ languages: new Set([1]) }),
      page(2, 1, { perms_everybody: 31 }),
      row('content', 20, 2, { language: 1 }),
      undefined,
    ],
    [
      'a foreign language',
      rights({ languages: new Set([1]) }),
      page(2, 1, { perms_everybody: 31 }),
      element,
      'language',
    ],
    ['a deleted record', admin, page(2, 1), { ...element, deleted: true }, 'missing'],
    ['a record at the root', rights(), page(2, 1, { perms_everybody: 31 }), row('news', 4, 0), 'missing'],
    ['a record at the root, as administrator', admin, page(2, 1), row('news', 4, 0), undefined],
    [
      'a user',
      rights({ select: new Set(['be_users']), modify: new Set(['be_users']) }),
      page(2, 1),
      row('be_users', 2, 0),
      'missing',
    ],
    ['a user, as administrator', admin, page(2, 1), row('be_users', 2, 0), undefined],
    ['the log, as administrator', admin, page(2, 1), row('sys_log', 2, 0), 'readOnly'],
    ['a table that does not exist', admin, page(2, 1), row('secrets', 2, 0), 'missing'],
  ]

  test.each(cases)('%s', (_, who, on, record, denial) => {
    expect(Permission.denyEdit(who, pagesOf(root, on), record)).toBe(denial)
  })

  test.each<[string, number, Permission.Denial | undefined]>([
    ['bit 2 suffices for the page itself', bit.show | bit.edit, undefined],
    ['bit 16 does not', bit.show | bit.content, 'page'],
  ])('%s', (_, bits, denial) => {
    const own = page(2, 1, { perms_everybody: bits })

    expect(Permission.denyEdit(rights(), pagesOf(root, own), own)).toBe(denial)
  })

  test.each<[string, number, Permission.Denial | undefined]>([
    ['a page is deleted with bit 4', bit.show | bit.delete, undefined],
    ['and not with bit 2', bit.show | bit.edit, 'page'],
  ])('%s', (_, bits, denial) => {
    const own = page(2, 1, { perms_everybody: bits })

    expect(Permission.denyDelete(rights(), pagesOf(root, own), own)).toBe(denial)
  })
})

describe('creating a record', () => {
  const on = (bits: number, more: Row['fields'] = {}) => page(2, 1, { perms_everybody: bits, ...more })
  const place = { pid: 2, language: 0 }

  test.each<[string, Rights, Row, string, typeof place, Permission.Denial | undefined]>([
    ['a page with bit 8', rights(), on(9), 'pages', place, undefined],
    ['a page with every bit but 8', rights(), on(23), 'pages', place, 'page'],
    ['content with bit 16', rights(), on(17), 'content', place, undefined],
    ['content with every bit but 16', rights(), on(15), 'content', place, 'page'],
    ['on a page that is not shown', rights(), on(30), 'content', place, 'missing'],
    ['on a locked page', rights(), on(31, { editlock: true }), 'content', place, 'editlock'],
    [
      'of a table that is selected only',
      rights({ modify: new Set(['news']) }),
      on(31),
      'content',
      place,
      'table',
    ],
    [
      'in a foreign language',
      rights({ languages: new Set([0]) }),
      on(31),
      'content',
      { pid: 2, language: 1 },
      'language',
    ],
    ['a page at the root', rights(), on(31), 'pages', { pid: 0, language: 0 }, 'missing'],
    ['a page at the root, as administrator', admin, on(0), 'pages', { pid: 0, language: 0 }, undefined],
    ['content at the root, as administrator', admin, on(0), 'content', { pid: 0, language: 0 }, 'missing'],
    ['a user, as administrator', admin, on(0), 'be_users', place, 'readOnly'],
  ])('%s', (_, who, parent, table, at, denial) => {
    expect(Permission.denyCreate(who, pagesOf(root, parent), tableOf(table), at)).toBe(denial)
  })
})

describe('reading a field', () => {
  const owned = page(2, 1, { perms_everybody: 1 })

  test.each<[string, Rights, string, string, Row | undefined, boolean]>([
    ['an ordinary one', rights(), 'pages', 'title', owned, true],
    ['an exclude field', rights(), 'pages', 'keywords', owned, false],
    [
      'an exclude field that a group names',
      rights({ excludeFields: new Set(['pages:keywords']) }),
      'pages',
      'keywords',
      owned,
      true,
    ],
    [
      'an exclude field of the same name elsewhere',
      rights({ excludeFields: new Set(['news:starttime']) }),
      'pages',
      'starttime',
      owned,
      false,
    ],
    ['rights, as the owner', rights(), 'pages', 'perms_group', owned, true],
    ['rights, as another user', stranger, 'pages', 'perms_group', owned, false],
    ['rights, of no page in particular', rights(), 'pages', 'perms_group', undefined, false],
    ['rights, as administrator', admin, 'pages', 'perms_group', owned, true],
  ])('%s', (_, who, table, name, record, may) => {
    const field = fieldOf(tableOf(table), name)

    expect(field && Permission.mayReadField(who, tableOf(table), field, record)).toBe(may)
  })
})

describe('the rights of a user', () => {
  test('are those of all groups together, and modify implies select', () => {
    const groups = [
      row('be_groups', 5, 0, {
        tables_select: 'pages',
        tables_modify: 'content',
        db_mountpoints: '4',
        allowed_languages: '0',
      }),
      row('be_groups', 6, 0, { tables_select: 'news', non_exclude_fields: 'pages:keywords, news:endtime' }),
    ]

    expect(Permission.rightsOf(row('be_users', user, 0, { db_mountpoints: '9' }), groups)).toEqual({
      uid: user,
      isAdmin: false,
      groups: [5, 6],
      select: new Set(['pages', 'news', 'content']),
      modify: new Set(['content']),
      mounts: new Set([9, 4]),
      excludeFields: new Set(['pages:keywords', 'news:endtime']),
      languages: new Set([0]),
    })
  })
})
