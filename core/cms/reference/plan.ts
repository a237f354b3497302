import { inLanguage } from '../../base/language.ts'
import type { Done, Put, Standing, Versions } from '../cms.ts'
import type { Language } from '../schema.ts'
import type { Change } from './history.ts'
import { blank, isTranslation, numberOf, ownId, type Row, textOf, type Value } from './item.ts'
import * as Permission from './permission.ts'
import { denyFor, Refused, refuse, refuseFields, refuseValues } from './refusal.ts'
import { type FieldSpec, fieldOf, states, type TableSpec, tableNamed, tableOf, tables } from './registry.ts'
import * as Rows from './rows.ts'
import type { Site } from './site.ts'
import { uniqueSlug } from './slug.ts'
import { type Checked, check, type Problem, relationsOf } from './value.ts'
import { recordView, titleOf } from './view.ts'

/** The effect of a put, computed from the site and the record without changing either. */
export type Plan = {
  /** The record after the put. A new record has uid 0, and no `sorting` unless the put sets its position. */
  row: Row
  /** The record before the put; undefined for a new record. */
  before: Row | undefined
  /** The fields that change, in the order of the table's fields; includes `pid` if the record moves to another page. */
  changes: Change[]
  /** The action in the history; absent for a new record and for a change of fields. */
  action?: 'move' | 'delete' | 'undelete'
  /** The other members of `Standing` before and after the put, if the put concerns them. */
  beside?: Record<'before' | 'after', Omit<Standing, 'record'>>
  /** The records that the put moves together with the record. */
  along?: NonNullable<Done['along']>
  /** The original of a new translation, on whose page the translation is created. */
  original?: Row
  /** The entry that reserves the language for a translation that comes back. */
  vacancy?: Rows.Vacancy
}

/** Returns the table of a put. Throws Refused if the actor may not see its records. */
export function tableFor(site: Site, name: string): TableSpec {
  const table = tableNamed(name)
  if (table && Permission.maySelect(site.rights, table)) return table
  const known = tables()
    .filter((spec) => Permission.maySelect(site.rights, spec))
    .map((spec) => spec.name)
  throw new Refused(
    `There is no table "${name}", or this user may not see it. Tables: ${known.join(', ')}.`,
    'record.notFound',
  )
}

/**
 * Plans the fields and the state of a put for the actor of the site; without fields and state, the plan changes
 * nothing. Throws Refused.
 */
export async function planUpdate(site: Site, row: Row, { fields, state }: Put): Promise<Plan> {
  if (!fields && !state) return { row, before: row, changes: [] }
  const table = tableOf(row.table)
  const given = { ...fields, ...(state && fieldsOfState(row, state)) }
  denyFor(row, Permission.denyEdit(site.rights, site.pages, row))
  const values = await checkAll(site, table, row, given)
  if ('language' in values && !Permission.mayUseLanguage(site.rights, Number(values.language)))
    denyFor(row, 'language')
  if ('slug' in values) values.slug = slugFor(site, row, values.slug)
  const after = { ...row, fields: { ...row.fields, ...values } }
  return { row: after, before: row, changes: changesBetween(table, row.fields, after.fields) }
}

/** Plans a new record, which is always hidden, for the actor of the site. Throws Refused. */
export async function planCreate(
  site: Site,
  table: TableSpec,
  { fields: given = {}, place }: Put,
): Promise<Plan> {
  const pid = ownId(place?.pid ?? 0)
  const language = Number(given.language ?? 0)
  const denial = Permission.denyCreate(site.rights, site.pages, table, { pid, language })
  denyFor({ table: denial === 'missing' ? 'pages' : table.name, uid: place?.pid ?? null }, denial)
  if (given.hidden !== undefined && given.hidden !== true)
    refuseFields('New records are always hidden. Leave "hidden" out; a person publishes them.', ['hidden'])
  const needed = table.fields.filter(({ required, initial }) => required && initial === '')
  const required = Object.fromEntries(needed.map(({ name }) => [name, '']))
  const values = await checkAll(site, table, undefined, { ...required, ...given })
  const initial = Object.fromEntries(table.fields.map((field) => [field.name, field.initial]))
  const fields = { ...initial, ...values, ...ownership(site, table, pid), hidden: true }
  const row = blank(table.name, pid, fields)
  if (row.table === 'pages') row.fields.slug = slugFor(site, row, row.fields.slug)
  return { row, before: undefined, changes: firstChanges(table, row, Object.keys(values)) }
}

/** Returns the wanted address of a page, by default from its title, made unique among all pages. */
function slugFor({ pages }: Site, page: Row, wanted: Value | undefined): string {
  return uniqueSlug(pages, { uid: page.uid, pid: page.pid, wanted: String(wanted || textOf(page, 'title')) })
}

/** Returns the history entries of a new record: the given values, its address and its hidden state. */
function firstChanges(table: TableSpec, row: Row, given: string[]): Change[] {
  const noted = new Set([...given, 'hidden', ...(table.name === 'pages' ? ['slug'] : [])])
  return table.fields
    .filter((field) => noted.has(field.name))
    .map((field) => ({ field: field.name, before: null, after: row.fields[field.name] ?? null }))
}

/** Returns the values in stored form. Throws Refused if a value is invalid or its field may not be changed. */
async function checkAll(
  site: Site,
  table: TableSpec,
  row: Row | undefined,
  given: Record<string, unknown>,
): Promise<Record<string, Value>> {
  const readable = Permission.readableFields(site.rights, table, row)
  const known = readable.filter(({ readOnly }) => !readOnly).map(({ name }) => name)
  const names = Object.keys(given)
  const unknown = names.filter((name) => !readable.some((field) => field.name === name))
  if (unknown.length > 0)
    refuseFields(
      `The table ${table.name} has no field ${unknown.join(', ')} for this user. Fields: ${known.join(', ')}.`,
      unknown,
    )
  const fixed = names.filter((name) => !known.includes(name))
  if (fixed.length > 0)
    refuseFields(`These fields cannot be changed: ${fixed.join(', ')}. Leave them out.`, fixed)
  const values: Record<string, Value> = {}
  const problems: Record<string, Problem> = {}
  for (const field of names.flatMap((name) => fieldOf(table, name) ?? [])) {
    const checked = await checkOne(site, field, given[field.name])
    if ('problem' in checked) problems[field.name] = checked
    else values[field.name] = checked.value
  }
  if (Object.keys(problems).length > 0) refuseValues(problems)
  return values
}

async function checkOne(site: Site, field: FieldSpec, given: unknown): Promise<Checked> {
  const checked = check(site.isUndo ? { ...field, required: false } : field, given)
  if ('problem' in checked) return checked
  for (const place of relationsOf(field, checked.value))
    if (!(await isThere(site, place.table, place.uid))) return { problem: 'record', ...place }
  const languages = [-1, ...site.languages.map((language) => language.id)]
  return field.name === 'language' && !languages.includes(Number(checked.value))
    ? { problem: 'option', options: languages.map(String) }
    : checked
}

/** True if a relation may refer to the record. */
async function isThere({ store, rights, pages, groups }: Site, table: string, uid: number): Promise<boolean> {
  if (table === 'pages') return pages.has(uid)
  if (table === 'be_groups') return groups.has(uid)
  const row = await Rows.find(store, table, uid)
  return row !== undefined && (table === 'be_users' || Permission.mayRead(rights, pages, row))
}

/**
 * Returns the values that set the rights to a new page. The page belongs to its creator and to the first of the
 * creator's groups. The group may do everything except delete it; no other user sees it. If the creator has no groups,
 * the page gets the group of its parent.
 */
function ownership(site: Site, table: TableSpec, pid: number): Record<string, Value> {
  if (table.name !== 'pages') return {}
  const above = site.pages.get(pid)
  return {
    perms_userid: site.actor.uid,
    perms_groupid: site.rights.groups[0] ?? (above && numberOf(above, 'perms_groupid')) ?? null,
    perms_user: 31,
    perms_group: 27,
    perms_everybody: 0,
  }
}

/** Returns the differences between two sets of values, in the order of the table's fields. */
function changesBetween(table: TableSpec, before: Row['fields'], after: Row['fields']): Change[] {
  return table.fields.flatMap(({ name, initial }) => {
    const [was, is] = [before[name] ?? initial, after[name] ?? initial]
    return was === is ? [] : [{ field: name, before: was, after: is }]
  })
}

/** Returns the pages after the plan, for plans that build on it. */
export function pagesAfter(pages: Permission.Pages, planned: Plan): Permission.Pages {
  if (planned.row.table !== 'pages') return pages
  const uid = planned.row.uid || -pages.size - 1
  return new Map(pages).set(uid, { ...planned.row, uid })
}

/** Returns the field values of a state. Throws Refused if there is no such state. */
function fieldsOfState(row: Row, { state, from, until }: NonNullable<Put['state']>): Record<string, unknown> {
  const { hiddenField, fields } = tableOf(row.table)
  const hasTimes = fields.some(({ name }) => name === 'starttime')
  if (!hiddenField || !hasTimes) refuse(`Records of ${row.table} have no states.`)
  if (!states.some((known) => known === state))
    refuse(`There is no state "${state}". States: ${states.join(', ')}.`)
  if (state === 'scheduled') {
    if (!from && !until) refuse('The state scheduled needs from, until, or both.')
    if (from && until && from >= until) refuse('The time has to begin before it ends.')
    return { [hiddenField]: false, starttime: from ?? null, endtime: until ?? null }
  }
  if (from || until) refuse('Only the state scheduled has from and until.')
  if (state === 'hidden') return { [hiddenField]: true }
  const held = ['starttime', 'endtime'].filter((field) => row.fields[field] != null)
  return { [hiddenField]: false, ...Object.fromEntries(held.map((field) => [field, null])) }
}

/**
 * Plans a translation for the actor of the site; needs all records of the table. The new record is hidden, in the other
 * language and on the page of its original. It has its own texts and copies all other fields. Throws Refused.
 */
export async function planTranslation(
  site: Site,
  row: Row,
  { locale = '', fields = {} }: Put,
  records: Row[],
): Promise<Plan> {
  const table = tableOf(row.table)
  const language = languageFor(site, row, locale, records)
  const translated = { ...row, fields: { ...row.fields, language: language.id } }
  denyFor(row, Permission.denyEdit(site.rights, site.pages, translated))
  const values = await checkAll(site, table, row, fields)
  const texts = table.fields.filter((field) => field.translated)
  const after = blank(row.table, row.pid, {
    ...translated.fields,
    ...Object.fromEntries(texts.map(({ name, initial }) => [name, initial])),
    ...values,
    ...(row.table === 'pages' && { perms_userid: site.actor.uid, perms_user: 31 }),
    original: row.uid,
    hidden: true,
  })
  if (after.table === 'pages') after.fields.slug = slugFor(site, after, after.fields.slug)
  const given = [...Object.keys(values), 'language', 'original']
  return { row: after, before: undefined, original: row, changes: firstChanges(table, after, given) }
}

/** Returns the language of a locale. Throws Refused if the record cannot be translated into it. */
function languageFor(site: Site, row: Row, locale: string, records: Row[]): Language {
  const language = site.languages.find((one) => one.locale === locale)
  const name = `${row.table} [${row.uid}]`
  if (!fieldOf(tableOf(row.table), 'original')) refuse(`Records of ${row.table} have no translations.`)
  if (!language) refuse(`The site has no language "${locale}".`)
  if (isTranslation(row))
    refuse(`${name} is a translation itself. Translate its original [${numberOf(row, 'original')}].`)
  if (numberOf(row, 'language') === -1) refuse(`${name} is the same in all languages.`)
  const known = records.find(
    (one) => numberOf(one, 'original') === row.uid && numberOf(one, 'language') === language.id,
  )
  if (known)
    refuse(
      `${name} has the translation [${known.uid}] into this language already. Change that one with update_record.`,
    )
  return language
}

/**
 * Returns the versions on which a plan is based: of the record, of the original of a translation, or of the page of a
 * new record.
 */
export function versionsOf(site: Site, { row, before, original }: Plan): Versions {
  const basis = before ?? original ?? site.pages.get(row.pid)
  return basis ? [{ table: basis.table, uid: basis.uid, version: String(basis.version) }] : []
}

/**
 * Returns the answer to a put: the record before and after it. `stored` is the record after the put, even if the put
 * was only previewed.
 */
export function doneOf(site: Site, put: Put, planned: Plan, stored: Row): Done {
  const { before, beside, along } = planned
  // Every record has a uid, except a new record that is only previewed.
  const isStored = stored.uid !== 0
  const then = { ...site, pages: pagesAfter(site.pages, { ...planned, row: stored }) }
  const isShown = !isStored || Permission.mayRead(site.rights, then.pages, stored)
  const ownPage = stored.table === 'pages' ? before : undefined
  const pageUid = ownPage?.uid ?? stored.pid
  const page = ownPage ?? site.pages.get(pageUid)
  const standing = (on: Site, row: Row, side: 'before' | 'after'): Standing => ({
    record: side === 'before' || isShown ? viewOf(on, row, put) : null,
    ...beside?.[side],
  })
  return {
    state: 'done',
    table: stored.table,
    uid: isStored ? stored.uid : null,
    version: isStored ? String(stored.version) : '',
    before: before ? standing(site, before, 'before') : null,
    after: standing(then, stored, 'after'),
    labels: Object.fromEntries(
      tableOf(stored.table).fields.map(({ name, label }) => [name, inLanguage(label, site.actor.lang)]),
    ),
    page: { uid: pageUid, title: page ? titleOf(page) : '' },
    ...(along && { along }),
    versions: versionsOf(site, planned),
  }
}

/** Returns the record as the actor sees it, without `sorting` if the answer shows the position. */
function viewOf(site: Site, row: Row, { place, uid }: Put): Standing['record'] {
  const record = recordView(site, row)
  if (!place || (uid === null && place.after === undefined)) return record
  const { sorting: _, ...fields } = record.fields
  return { ...record, fields }
}
