import type { Actor } from '../base/actor.ts'
import { type English, fillIn, inLanguage } from '../base/language.ts'
import type { FieldChange } from '../conversation/schema.ts'
import { differing, inLocale, isSameValue, type PlannedPut } from './change.ts'
import type { Cms, Done, Place, Standing } from './cms.ts'
import type { Field } from './schema.ts'

/** Computes the changes that a person is shown, from the record before and after a put. */

/** A put with the answer of the CMS; `before` is the record after the earlier changes of the proposal. */
type Shown = Omit<PlannedPut, 'versions'> & {
  answer: Pick<Done, 'table' | 'after' | 'labels' | 'along'>
  before: Standing | null
}

/** Returns the answer that a CMS stores under the key of its put: only with the fields that differ. */
export function trimAnswer({ before, after, ...answer }: Done): Done {
  const names = new Set(differing(before?.record, after.record))
  const cut = (standing: Standing): Standing => {
    const fields = Object.entries(standing.record?.fields ?? {}).filter(([name]) => names.has(name))
    return {
      ...standing,
      record: standing.record && { ...standing.record, fields: Object.fromEntries(fields) },
    }
  }
  return { ...answer, labels: {}, before: before && cut(before), after: cut(after) }
}

/**
 * Returns the changes of a put: a move into or out of the bin with the page's records, the position, and each field
 * that differs.
 */
export async function changesOf(cms: Cms, actor: Actor, shown: Shown): Promise<FieldChange[]> {
  const scope = await scopeOf(cms, actor, shown)
  return [...binChanges(scope), ...placeChanges(scope), ...fieldChanges(scope)]
}

/** Loads the data that describe a change in words. */
async function scopeOf(cms: Cms, actor: Actor, shown: Shown) {
  const [{ types, publishing, tree }, languages] = await Promise.all([
    cms.capabilities(),
    shown.original ? cms.languages() : [],
  ])
  const known = types.find(({ name }) => name === shown.answer.table)?.fields ?? []
  const fields = new Map(known.map((field) => [field.name, field]))
  const pages = tree?.pages
  const named = [...filesIn(shown, fields), ...placesIn(shown, pages)]
  const titles = await Promise.all(
    named.map(async (place) => [keyOf(place), (await cms.record(actor, place))?.title] as const),
  )
  // `publishing` is the field that decides if visitors see a record; `titles` maps the `keyOf` of a record to its title.
  return { ...shown, actor, fields, pages, publishing: publishing?.field, languages, titles: new Map(titles) }
}
type Scope = Awaited<ReturnType<typeof scopeOf>>

const keyOf = ({ table, uid }: Place) => `${table}#${uid}`
const isId = (value: unknown): value is Place['uid'] =>
  (typeof value === 'number' && value > 0) || (typeof value === 'string' && value !== '' && value !== '0')

/** Returns the files that media fields refer to before or after the put. */
function filesIn({ answer, before }: Shown, fields: ReadonlyMap<string, Field>): Place[] {
  return differing(before?.record, answer.after.record).flatMap((name) => {
    const { kind, target } = fields.get(name) ?? {}
    if (kind !== 'media' || target === undefined) return []
    const values = [before?.record?.fields[name], answer.after.record?.fields[name]]
    return values.flatMap((uid) => (isId(uid) ? [{ table: target, uid }] : []))
  })
}

/** Returns the page and the preceding record, before and after the put. */
function placesIn({ answer, before, put }: Shown, pages: string | undefined): Place[] {
  if (put.uid === null) return []
  return [before?.place, answer.after.place].flatMap((place) => [
    ...(isId(place?.pid) && pages !== undefined ? [{ table: pages, uid: place.pid }] : []),
    ...(isId(place?.after) ? [{ table: answer.table, uid: place.after }] : []),
  ])
}

const intoBin: English = { en: 'Into the bin' }
const outOfBin: English = { en: 'Out of the bin' }

/**
 * Returns the change of a record that goes into or out of the bin: its title, and the titles of the records on the
 * page.
 */
function binChanges({ answer, before, put, actor }: Scope): FieldChange[] {
  if (put.bin === undefined) return []
  const title = (before?.record ?? answer.after.record)?.title ?? ''
  const label = inLanguage(put.bin ? intoBin : outOfBin, actor.lang)
  return [{ field: 'deleted', label, text: title }, ...(answer.along ?? [])].map(({ text, ...change }) => ({
    ...change,
    before: put.bin ? text : null,
    after: put.bin ? null : text,
  }))
}

/** The label of the page in a change that moves a record. */
export const pageLabel: English = { en: 'Page' }
const placeLabel: English = { en: 'Place' }
const first: English = { en: 'first' }
const behind: English = { en: 'behind {record}' }
/** The text in place of the title of a page that the user may not see. */
export const unseenPage: English = { en: 'a page that this user may not see' }

/** Returns the changes of page and position of a moved record; what the user may not see has no title. */
function placeChanges({ answer, before, put, actor, pages, titles }: Scope): FieldChange[] {
  const [was, is] = [before?.place, answer.after.place]
  if (put.uid === null || !was || !is || isSameValue(was, is)) return []
  const inWords = (words: English) => inLanguage(words, actor.lang)
  const titled = (table: string, uid: Place['uid']) => {
    const title = titles.get(keyOf({ table, uid }))
    return title === undefined ? undefined : `${title} [${uid}]`
  }
  const page = (uid: Place['uid']) =>
    isId(uid) ? (titled(pages ?? answer.table, uid) ?? inWords(unseenPage)) : null
  const order = ({ after }: typeof is) => {
    if (after === undefined) return null
    if (!isId(after)) return inWords(first)
    return fillIn(inWords(behind), actor.lang, { record: titled(answer.table, after) ?? '…' })
  }
  const onto = { field: 'pid', label: inWords(pageLabel), before: page(was.pid), after: page(is.pid) }
  const sorted = { field: 'sorting', label: inWords(placeLabel), before: order(was), after: order(is) }
  return [...(isSameValue(was.pid, is.pid) ? [] : [onto]), ...(is.after === undefined ? [] : [sorted])]
}

const languageLabel: English = { en: 'Language' }

/**
 * Returns each field that differs. For a new record: the fields of the put, the unique fields, and the field that
 * decides who sees the record.
 */
function fieldChanges(scope: Scope): FieldChange[] {
  const { answer, before, put, original, locale, actor, fields, languages } = scope
  const { record } = answer.after
  if (!record || (put.bin !== undefined && !before?.record)) return []
  const isTelling = (name: string) =>
    Object.hasOwn(put.fields ?? {}, name) || name === scope.publishing || fields.get(name)?.unique === true
  const names = before ? differing(before.record, record) : Object.keys(record.fields).filter(isTelling)
  const changes = names.map((name): FieldChange => {
    const ofOriginal = locale !== undefined && name.endsWith(inLocale('', locale))
    const field = ofOriginal ? name.slice(0, -inLocale('', locale).length) : name
    const said = (value: unknown) => inWords(scope, name, value)
    const { kind, options } = fields.get(name) ?? {}
    return {
      field,
      label: answer.labels[name] ?? fields.get(name)?.label ?? name,
      before: before ? said(before.record?.fields[name]) : null,
      after: said(record.fields[name]),
      ...(kind === 'select' && options && { options }),
      ...(original && (ofOriginal || put.uid === null) && { original: said(original.fields[field]) }),
    }
  })
  if (put.uid !== null || !original) return changes
  const title = (id: number) => languages.find((one) => one.id === id)?.title ?? String(id)
  const label = inLanguage(languageLabel, actor.lang)
  const both = { original: title(original.language), after: title(record.language) }
  return [...changes, { field: 'language', label, before: null, ...both }]
}

const yes: English = { en: 'yes' }
const no: English = { en: 'no' }

/**
 * Returns a value as a person reads it; null if there is none. Returns rich text and blocks as they are stored; their
 * readable form is made later.
 */
function inWords({ actor, fields, titles }: Scope, name: string, value: unknown): string | null {
  if (value === undefined || value === null) return null
  const { kind, target } = fields.get(name) ?? {}
  if (kind === 'boolean' && typeof value === 'boolean') return inLanguage(value ? yes : no, actor.lang)
  const title =
    target !== undefined && isId(value) ? titles.get(keyOf({ table: target, uid: value })) : undefined
  if (title !== undefined) return `${title} [${value}]`
  return typeof value === 'string' ? value : JSON.stringify(value)
}
