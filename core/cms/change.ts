import type { Actor } from '../base/actor.ts'
import { ToolError } from '../base/error.ts'
import { isDeeper, isRecord } from '../base/json.ts'
import { type English, fillIn, inLanguage } from '../base/language.ts'
import type { RecordId } from '../conversation/schema.ts'
import type { Capabilities } from './capabilities.ts'
import type { Cms, Place, Put, Versions } from './cms.ts'
import type { CmsRecord } from './schema.ts'

/**
 * A change as a tool describes it: a put, or the input from which a put is planned. With `locale`, the change
 * translates the record into that language, and `fields` uses the field names of the original.
 */
export type Change = Omit<Put, 'remove' | 'original'> & {
  /**
   * Replacements of passages in texts, made after `fields`. Each passage must occur exactly once when its edit runs.
   */
  edits?: PassageEdit[]
  /** Edits of parts of lists, made one after the other, after `edits`. */
  parts?: PartEdit[]
  /** The entry of the history whose content the change restores. */
  revision?: string
  /** The record that the new record copies; `fields` has the values that differ. */
  copy?: RecordId
}

const reference = /^new:[1-9][0-9]*$/
const isReference = (uid: unknown): uid is string => typeof uid === 'string' && reference.test(uid)

/**
 * Returns the change's reference to a new record of the same proposal. The new record is the record that the change
 * writes, its original or its page. Returns undefined if the change needs no new record.
 */
export const referenceOf = ({ uid, place }: Pick<Change, 'uid' | 'place'>): string | undefined =>
  [uid, place?.pid].find(isReference)

/** Returns the put with `uid` in place of each reference to the new record. */
export function withUid(put: Put, uid: Place['uid']): Put {
  const settled = <T>(id: T) => (isReference(id) ? uid : id)
  return {
    ...put,
    uid: settled(put.uid),
    ...(put.original !== undefined && { original: settled(put.original) }),
    ...(put.place?.pid !== undefined && { place: { ...put.place, pid: settled(put.place.pid) } }),
  }
}

/**
 * A put with the data that it is based on: the versions, and for a translation the original record. `locale` is present
 * if the put changes the values of that language within the same record; `copied` is the record that the put copies.
 */
export type PlannedPut = {
  put: Put
  versions: Versions
  original?: CmsRecord
  locale?: string
  copied?: CmsRecord
}

/**
 * Plans the put of a change, from the record as the actor sees it now, or from `base`: the record as earlier changes of
 * the same proposal leave it. Throws ToolError, with a reason for the model, if no put is possible.
 */
export async function planPut(cms: Cms, actor: Actor, change: Change, base?: CmsRecord): Promise<PlannedPut> {
  const { edits = [], parts = [], revision, locale, copy, ...put } = change
  if (copy !== undefined) return planCopy(cms, actor, { ...put, copy })
  const isPlain = edits.length + parts.length === 0 && revision === undefined && locale === undefined
  if (isPlain || put.uid === null) return { put, versions: [] }
  const place = { table: put.table, uid: put.uid }
  const [found, earlier] = await Promise.all([
    base ?? cms.record(actor, place),
    revision === undefined ? undefined : cms.record(actor, { ...place, revision }),
  ])
  if (!found) throw missing(place)
  const versions = [{ ...place, version: found.version }]
  if (locale !== undefined)
    return { ...(await planTranslation(cms, found, { ...put, uid: put.uid, locale })), versions }
  const fields =
    revision === undefined
      ? { ...put.fields, ...editedFields(found, change) }
      : restoredFields(found, earlier, revision)
  return { put: { ...put, fields }, versions }
}

/** Returns the refusal for a record that the actor does not see. */
export const missing = ({ table, uid }: Place): ToolError =>
  new ToolError(`There is no ${table} with uid ${uid}, or this user may not see it. Look it up first.`)

/** Returns the whole new values of the fields in which a change edits passages or parts. */
function editedFields(record: CmsRecord, { table, fields = {}, edits = [], parts = [] }: Change) {
  const values = new Map(Object.entries(fields))
  const storedIn = (field: string): unknown => {
    if (values.has(field)) return values.get(field)
    if (Object.hasOwn(record.fields, field)) return record.fields[field]
    const known = Object.keys(record.fields).join(', ')
    throw new ToolError(`The table ${table} has no field ${field} for this user. Fields: ${known}.`)
  }
  for (const { field, ...edit } of edits) {
    const stored = storedIn(field)
    if (typeof stored !== 'string' && (typeof stored !== 'object' || stored === null))
      throw new ToolError(`The field ${field} holds no text. Use update_record for it.`)
    const { times, value } = replacePassage(stored, edit)
    if (times !== 1) throw new ToolError(passageSentence(field, times))
    values.set(field, value)
  }
  for (const edit of parts) {
    const { times, value } = withPart(storedIn(edit.field), edit)
    if (times !== 1) throw new ToolError(partSentence(edit, times))
    values.set(edit.field, value)
  }
  return Object.fromEntries(values)
}

const passageSentence = (field: string, times: number) =>
  times === 0
    ? `The field ${field} does not contain this passage. Read the record and copy the passage exactly, markup included.`
    : `The field ${field} contains this passage ${times} times. Take more of the text around it.`

const partSentence = ({ field, at }: PartEdit, times: number) =>
  times === 0
    ? `There is no part ${at} in the field ${field}. Take its id from the record as it is now.`
    : `The field ${field} has ${times} parts with the id ${at}. Change the whole field with update_record.`

/** Returns the fields of an earlier revision that differ from the record as it is. */
function restoredFields(record: CmsRecord, earlier: CmsRecord | undefined, revision: string) {
  const { table, uid } = record
  if (!earlier)
    throw new ToolError(
      `The history of ${table} [${uid}] has no version ${revision}. get_record_history names them.`,
    )
  const fields = Object.entries(earlier.fields).filter(
    ([name, value]) => !isSameValue(value, record.fields[name]),
  )
  if (fields.length === 0) throw new UnchangedError()
  return Object.fromEntries(fields)
}

/** The refusal of a change that changes nothing, because the record already has these values. */
export class UnchangedError extends ToolError {
  constructor() {
    super('Nothing would change: the record already says so.')
  }
}

/** True if two values of a field are the same; null and a missing value count as the same. */
export const isSameValue = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one ?? null) === JSON.stringify(other ?? null)

/** Returns the names of the fields that differ between two states, in the field order of the later state. */
export function differing(
  before: CmsRecord | null | undefined,
  after: CmsRecord | null | undefined,
): string[] {
  const [old, now] = [before?.fields ?? {}, after?.fields ?? {}]
  return [...new Set([...Object.keys(now), ...Object.keys(old)])].filter(
    (name) => !isSameValue(old[name], now[name]),
  )
}

type Copy = Pick<Put, 'table' | 'fields'> & { copy: RecordId }

const copyOf: English = { en: '{title} (copy)' }

/**
 * Plans a copy placed right after its original. The copy has all fields that the actor may write, except unique fields
 * and fields that decide about its visibility.
 */
async function planCopy(cms: Cms, actor: Actor, { table, copy, fields: given }: Copy): Promise<PlannedPut> {
  const place = { table, uid: copy }
  const [capabilities, tables, copied] = await Promise.all([
    cms.capabilities(),
    cms.tables(actor),
    cms.record(actor, place),
  ])
  if (!copied) throw missing(place)
  await refuseCopy(cms, copied, capabilities)
  const { publishing, tree, writes } = capabilities
  const known = tables.find(({ name }) => name === table)?.fields ?? []
  const taken = known.filter(
    ({ name, readOnly, unique }) =>
      !readOnly && !unique && name !== publishing?.field && (copied.fields[name] ?? '') !== '',
  )
  const titled = taken.find(({ name, kind }) => kind === 'text' && copied.fields[name] === copied.title)
  const fields = {
    ...Object.fromEntries(taken.map(({ name }) => [name, copied.fields[name]])),
    ...(titled && { [titled.name]: copyTitle(copied.title, titled.max, actor.lang) }),
    ...given,
  }
  // Only copies of pages and of their elements get a position: people see only their order.
  const isOrdered = writes.place.includes(table) && (table === tree?.pages || table === tree?.content)
  const behind = { pid: copied.pid, ...(isOrdered && { after: copied.uid }) }
  return { put: { table, uid: null, place: behind, fields }, versions: [], copied }
}

/**
 * Throws ToolError if the CMS cannot create records of this type, or cannot copy this record. Also throws ToolError if
 * the record is a translation, because the copy would be in another language.
 */
async function refuseCopy(cms: Cms, record: CmsRecord, { writes, locales }: Capabilities): Promise<void> {
  const { table, uid, language, copyRefusal } = record
  const { create } = writes
  if (!create.includes(table))
    throw new ToolError(`The chat makes no records of ${table}. It makes: ${create.join(', ')}.`)
  if (copyRefusal) throw new ToolError(copyRefusal)
  const others = locales === 'record' ? (await cms.languages()).slice(1) : []
  if (others.some(({ id }) => id === language))
    throw new ToolError(`${table} [${uid}] is a translation. Duplicate its original, and translate the copy.`)
}

/** Returns the title of a copy; cuts the original's title if the whole title would be too long. */
function copyTitle(title: string, max: number | null, lang: string): string {
  const words = inLanguage(copyOf, lang)
  const room = max === null ? undefined : Math.max(0, max - [...fillIn(words, lang, { title: '' })].length)
  return fillIn(words, lang, { title: [...title].slice(0, room).join('') })
}

type Translation = Omit<Put, 'uid'> & { uid: RecordId; locale: string }

/** Returns the name of a field in a further language, for a CMS whose fields each have several languages. */
export const inLocale = (field: string, locale: string): string => `${field}:${locale}`

async function planTranslation(
  cms: Cms,
  original: CmsRecord,
  { table, uid, locale: asked, fields = {} }: Translation,
): Promise<Omit<PlannedPut, 'versions'>> {
  const [{ locales, types, publishing }, languages] = await Promise.all([cms.capabilities(), cms.languages()])
  const plain = (tag: string) => tag.toLowerCase().replace('_', '-')
  const at = languages.findIndex((one) => plain(one.locale) === plain(asked))
  const language = languages[at]
  const name = `${table} [${uid}]`
  if (!language) {
    const known = languages.map((one) => one.locale).join(', ')
    throw new ToolError(`The site has no language "${asked}". Languages: ${known}.`)
  }
  const isOwn = locales === 'field' ? at === 0 : original.language === language.id
  if (isOwn) throw new ToolError(`${name} is in this language already.`)
  const known = types.find((type) => type.name === table)?.fields ?? []
  refuseCommon(fields, known)
  if (locales === 'field') {
    const hasDraft = publishing?.draft && known.some(({ name }) => name === publishing.field)
    const values = Object.entries(fields).map(([field, value]) => [inLocale(field, language.locale), value])
    const state = hasDraft ? { [publishing.field]: publishing.draft } : {}
    const put = { table, uid, fields: { ...Object.fromEntries(values), ...state } }
    return { put, original, locale: language.locale }
  }
  refuseIncomplete(original, fields, known)
  return { put: { table, uid: null, original: uid, locale: language.locale, fields }, original }
}

type Fields = Capabilities['types'][number]['fields']

/** Throws ToolError if a translation names a field that all languages share. */
function refuseCommon(values: Record<string, unknown>, known: Fields): void {
  const common = known.filter(({ name, translated }) => Object.hasOwn(values, name) && !translated)
  if (common.length === 0) return
  const texts = known.filter(({ translated }) => translated)
  throw new ToolError(
    `These fields are the same in every language: ${namesOf(common)}. Leave them out. Fields with texts: ${namesOf(texts)}.`,
  )
}

/** Throws ToolError if a translation leaves out a text that its original has. The CMS creates addresses itself. */
function refuseIncomplete(original: CmsRecord, values: Record<string, unknown>, known: Fields): void {
  const lacking = known.filter(
    ({ name, translated, unique }) =>
      translated && !unique && !Object.hasOwn(values, name) && (original.fields[name] ?? '') !== '',
  )
  if (lacking.length === 0) return
  throw new ToolError(
    `The original also has texts in these fields: ${namesOf(lacking)}. Translate them, too; give "" for one that is to stay empty.`,
  )
}

const namesOf = (fields: Fields) => fields.map(({ name }) => name).join(', ')

/** A passage that occurs exactly once in a text, and the text that replaces it. */
type PassageEdit = { field: string; find: string; replace: string }

/**
 * Replaces a passage in the texts of a value: a text, or the nodes and blocks of a rich text. `times` is the number of
 * occurrences, overlapping ones included; the value changes only if `times` is 1.
 */
export function replacePassage(
  value: unknown,
  { find, replace }: Pick<PassageEdit, 'find' | 'replace'>,
): { times: number; value: unknown } {
  let times = 0
  const replaced = rebuilt(value, (name, text) => {
    if (typeof text !== 'string' || unspoken.has(name)) return text
    for (let at = text.indexOf(find); at >= 0; at = text.indexOf(find, at + 1)) times++
    return text.replace(find, () => replace)
  })
  return { times, value: times === 1 ? replaced : value }
}

/** A value with deeper nesting stays unchanged, because the code that rebuilds it is recursive. */
const maxLevels = 200

/** Applies `change` to every nested value, innermost first, and returns the new value. */
function rebuilt(value: unknown, change: (name: string, inside: unknown) => unknown): unknown {
  if (value === undefined || isDeeper(value, maxLevels)) return value
  return JSON.parse(JSON.stringify(value), change)
}

/** Fields of nodes and blocks that hold names, ids or addresses instead of text that a person wrote. */
const unspoken = new Set(['type', 'tag', 'listType', 'mode', 'style', 'id', 'blockType', 'relationTo'])

/**
 * An edit of one part of a list (a block, a row), found by its id. If the id does not occur exactly once, nothing
 * changes.
 */
export type PartEdit = {
  field: string
  /** `change` replaces the fields of the part that `value` names; `insert` puts `value` after the part. */
  act: 'change' | 'insert' | 'remove'
  /** Id of the part; empty to insert before all others. */
  at: string
  value?: Record<string, unknown>
}

/**
 * Changes or removes one part of a list, or inserts a part after it; all other parts stay as they are. Finds the part
 * by its `id`, in this list or in a nested list. `times` is the number of parts found: use the value only if it is 1.
 */
export function withPart(value: unknown, edit: PartEdit): { times: number; value: unknown } {
  if (edit.at === '') {
    const isFirst = edit.act === 'insert' && (Array.isArray(value) || value === null || value === undefined)
    return isFirst ? { times: 1, value: [edit.value, ...(value ?? [])] } : { times: 0, value }
  }
  let times = 0
  const changed = rebuilt(value, (_, inside) =>
    Array.isArray(inside)
      ? inside.flatMap((part: unknown) => {
          if (!isRecord(part) || String(part.id) !== edit.at) return [part]
          times++
          return resultOf(part, edit)
        })
      : inside,
  )
  return { times, value: changed }
}

/** Returns the parts that replace a part. A changed part keeps its id and all fields that `value` does not name. */
function resultOf(part: Record<string, unknown>, { act, value = {} }: PartEdit): unknown[] {
  if (act === 'remove') return []
  return act === 'insert' ? [part, value] : [{ ...part, ...value, id: part.id }]
}
