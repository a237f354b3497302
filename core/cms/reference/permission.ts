import { blank, listOf, numberOf, type Outline, type Row, uidsOf } from './item.ts'
import { type FieldSpec, type TableSpec, tableNamed } from './registry.ts'

/**
 * The rules of permission: pure functions of a user's rights, the pages and a record, modelled on TYPO3. The permission
 * bits of a page apply to that page only and are not inherited; records on a page follow the bits of that page.
 */

/** The permission bits of a page. */
export const bit = { show: 1, edit: 2, delete: 4, create: 8, content: 16 } as const

export type Pages = ReadonlyMap<number, Row>

/** The reason why a user may not change a record. For a record that the user does not see it is always `missing`. */
export type Denial = 'missing' | 'readOnly' | 'table' | 'page' | 'editlock' | 'language'

/** Returns the rights of a user, from the user's row and the rows of the effective groups. */
export function rightsOf(user: Row, groups: Row[]) {
  const gather = (field: string) => new Set(groups.flatMap((group) => listOf(group, field)))
  const modify = gather('tables_modify')
  return {
    uid: user.uid,
    isAdmin: user.fields.admin === true,
    groups: groups.map((group) => group.uid),
    select: new Set([...gather('tables_select'), ...modify]),
    modify,
    mounts: new Set([user, ...groups].flatMap((row) => uidsOf(row, 'db_mountpoints'))),
    /** The exclude fields that the user may see, as `table:field`. */
    excludeFields: gather('non_exclude_fields'),
    /** Empty: the user may use all languages. */
    languages: new Set(groups.flatMap((group) => uidsOf(group, 'allowed_languages'))),
  }
}

/** The rights of a user, combined from all effective groups. */
export type Rights = ReturnType<typeof rightsOf>

/** The rights of an unknown user: no rights. */
export const noRights: Rights = rightsOf(blank('be_users', 0, {}), [])

/** Returns the page and its ancestors, nearest first; undefined if one of these pages is gone. */
export function rootline(pages: Pages, uid: number): Row[] | undefined {
  const line: Row[] = []
  for (let at = uid; at !== 0; ) {
    const page = pages.get(at)
    if (!page || page.deleted || line.length > pages.size) return undefined
    line.push(page)
    at = page.pid
  }
  return line.length > 0 ? line : undefined
}

/**
 * Returns the permission bits of the user on a page: the bits for everybody, for the owner and for the group combined.
 */
export function bitsOn(rights: Rights, page: Row): number {
  if (rights.isAdmin) return 31
  const owner = numberOf(page, 'perms_userid')
  const group = numberOf(page, 'perms_groupid')
  return (
    numberOf(page, 'perms_everybody') |
    (owner !== 0 && owner === rights.uid ? numberOf(page, 'perms_user') : 0) |
    (rights.groups.includes(group) ? numberOf(page, 'perms_group') : 0)
  )
}

const has = (rights: Rights, page: Row, wanted: number) => (bitsOn(rights, page) & wanted) === wanted

/**
 * True if the user sees the page: it is not deleted, lies inside one of the user's mounts, and the user may show it.
 */
export function mayShow(rights: Rights, pages: Pages, uid: number): boolean {
  const line = rootline(pages, uid)
  const [page] = line ?? []
  if (!line || !page) return false
  if (rights.isAdmin) return true
  const isMounted = line.some((above) => rights.mounts.has(above.uid) && has(rights, above, bit.show))
  return isMounted && has(rights, page, bit.show)
}

/** True if the user may read records of the table at all. */
export function maySelect(rights: Rights, table: TableSpec): boolean {
  return rights.isAdmin || (!table.adminOnly && rights.select.has(table.name))
}

/** True if the user may change records of the table at all. A single record can still be refused. */
export function mayModify(rights: Rights, table: TableSpec): boolean {
  if (table.readOnly) return false
  return rights.isAdmin || (!table.adminOnly && rights.modify.has(table.name))
}

/** True if the user sees the record. Only administrators see records outside the page tree. */
export function mayRead(rights: Rights, pages: Pages, row: Outline): boolean {
  const table = tableNamed(row.table)
  if (!table || row.deleted || !maySelect(rights, table)) return false
  if (row.table === 'pages') return mayShow(rights, pages, row.uid)
  return row.pid === 0 ? rights.isAdmin : mayShow(rights, pages, row.pid)
}

/** Returns the reason why the user may not change the record; undefined if the user may. */
export function denyEdit(rights: Rights, pages: Pages, row: Row): Denial | undefined {
  if (!mayRead(rights, pages, row)) return 'missing'
  return denyOn(rights, pages, row, row.table === 'pages' ? bit.edit : bit.content)
}

/** Returns the reason why the user may not delete the record; undefined if the user may. */
export function denyDelete(rights: Rights, pages: Pages, row: Row): Denial | undefined {
  if (!mayRead(rights, pages, row)) return 'missing'
  return denyOn(rights, pages, row, row.table === 'pages' ? bit.delete : bit.content)
}

/**
 * Returns the reason why the user may not create a record on the page, or a page below it; undefined if the user may.
 */
export function denyCreate(
  rights: Rights,
  pages: Pages,
  table: TableSpec,
  place: { pid: number; language: number },
): Denial | undefined {
  const isAtRoot = place.pid === 0 && table.name === 'pages' && rights.isAdmin
  if (!isAtRoot && !mayShow(rights, pages, place.pid)) return 'missing'
  if (table.adminOnly || table.readOnly || table.isUploaded) return 'readOnly'
  if (!mayModify(rights, table)) return 'table'
  return denyOnPage(rights, pages.get(place.pid), table.name === 'pages' ? bit.create : bit.content, place)
}

function denyOn(rights: Rights, pages: Pages, row: Row, wanted: number): Denial | undefined {
  const table = tableNamed(row.table)
  if (!table || table.readOnly) return 'readOnly'
  if (!mayModify(rights, table)) return 'table'
  const place = { language: numberOf(row, 'language'), isLocked: row.fields.editlock === true }
  return denyOnPage(rights, pages.get(row.table === 'pages' ? row.uid : row.pid), wanted, place)
}

/** Returns the reason why the user does not have the `wanted` bits on a page; undefined if the user has them. */
function denyOnPage(
  rights: Rights,
  page: Row | undefined,
  wanted: number,
  { language, isLocked = false }: { language: number; isLocked?: boolean },
): Denial | undefined {
  if (rights.isAdmin) return undefined
  if (!page || !has(rights, page, wanted)) return 'page'
  if (isLocked || page.fields.editlock === true) return 'editlock'
  return mayUseLanguage(rights, language) ? undefined : 'language'
}

/** True if the user may write records in this language. */
export function mayUseLanguage(rights: Rights, language: number): boolean {
  return rights.isAdmin || rights.languages.size === 0 || rights.languages.has(language)
}

/** True if the user may see this field; `row` is its record, if the question is about one record. */
export function mayReadField(rights: Rights, table: TableSpec, field: FieldSpec, row?: Row): boolean {
  if (rights.isAdmin) return true
  if (field.ownerOnly) return row !== undefined && numberOf(row, 'perms_userid') === rights.uid
  return !field.exclude || rights.excludeFields.has(`${table.name}:${field.name}`)
}

/** Returns the fields of the table that the user may see. */
export function readableFields(rights: Rights, table: TableSpec, row?: Row): FieldSpec[] {
  return table.fields.filter((field) => mayReadField(rights, table, field, row))
}

/**
 * Returns a user's own groups and all groups that these inherit from, without repeats; a group comes before the groups
 * that it inherits from. Leaves out disabled and missing groups, and does not follow their inheritance.
 */
export function effectiveGroups(own: number[], groups: ReadonlyMap<number, Row>): number[] {
  const found = new Set<number>()
  const add = (uid: number) => {
    const group = groups.get(uid)
    if (!group || group.fields.hidden === true || found.has(uid)) return
    found.add(uid)
    for (const inherited of uidsOf(group, 'subgroup')) add(inherited)
  }
  for (const uid of own) add(uid)
  return [...found]
}
