import type { Actor } from '../base/actor.ts'
import { ToolError } from '../base/error.ts'
import { isDeeper, isRecord } from '../base/json.ts'
import { type English, filled, inLanguage } from '../base/language.ts'
import type { RecordId } from '../conversation/schema.ts'
import type { Capabilities } from './capabilities.ts'
import type { Cms, Place, Put, Versions } from './cms.ts'
import type { CmsRecord } from './schema.ts'

/**
 * A change as a tool means it: a put, or the input from which a put is planned. With `locale` it translates the
 * record into that language; `fields` then have the names of the original.
 */
export type Change = Omit<Put, 'remove' | 'original'> & {
  /** Passages of texts, each there exactly once when its edit runs; after `fields`. */
  edits?: PassageEdit[]
  /** Parts of lists, one after the other, after `edits`. */
  parts?: PartEdit[]
  /** The content as it was after that entry of the history. */
  revision?: string
  /** The record that a new one is a copy of; `fields` has the values that differ. */
  copy?: RecordId
}

const reference = /^new:[1-9][0-9]*$/
const isReference = (uid: unknown): uid is string => typeof uid === 'string' && reference.test(uid)

/** The new record that a change rests on: its own record, its original, or its page; undefined: none. */
export const referenceOf = ({ uid, place }: Pick<Change, 'uid' | 'place'>): string | undefined =>
  [uid, place?.pid].find(isReference)

/** The put with the uid of the record in the place of the reference to it. */
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
 * A put with its basis: the versions, and for a translation the original record. `locale` is present if the put has
 * values of that language in fields of the same record, `copied` if it makes a copy of that record.
 */
export type PlannedPut = {
  put: Put
  versions: Versions
  original?: CmsRecord
  locale?: string
  copied?: CmsRecord
}

/**
 * Plans the put of a change, from the record as the actor sees it now, or from `base`: the record as earlier changes
 * of the same proposal leave it. Throws ToolError if there is no put: the model reads why.
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

/** The refusal of a record that the actor does not see. */
export const missing = ({ table, uid }: Place): ToolError =>
  new ToolError(`There is no ${table} with uid ${uid}, or this user may not see it. Look it up first.`)

/** The whole values of the fields that passages and parts are changed in. */
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

/** The fields of an earlier revision that differ from the record as it is. */
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

/** Refuses a change that changes nothing: the record already has these values. */
export class UnchangedError extends ToolError {
  constructor() {
    super('Nothing would change: the record already says so.')
  }
}

/** True if two values of a field are the same; null and a missing value count as one. */
export const isSameValue = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one ?? null) === JSON.stringify(other ?? null)

type Copy = Pick<Put, 'table' | 'fields'> & { copy: RecordId }

const copyOf: English = { en: '{title} (copy)' }

/** The put of a copy behind its original: what the actor may write, except what is unique or decides who sees it. */
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
  // Only what is in the tree has an order that people see.
  const isOrdered = writes.place.includes(table) && (table === tree?.pages || table === tree?.content)
  const behind = { pid: copied.pid, ...(isOrdered && { after: copied.uid }) }
  return { put: { table, uid: null, place: behind, fields }, versions: [], copied }
}

/** Throws ToolError where the CMS makes no such record or no copy of it, or where a copy would be in another language. */
async function refuseCopy(
  cms: Cms,
  { table, uid, language, copyRefusal }: CmsRecord,
  { writes: { create }, locales }: Capabilities,
): Promise<void> {
  if (!create.includes(table))
    throw new ToolError(`The chat makes no records of ${table}. It makes: ${create.join(', ')}.`)
  if (copyRefusal) throw new ToolError(copyRefusal)
  const others = locales === 'record' ? (await cms.languages()).slice(1) : []
  if (others.some(({ id }) => id === language))
    throw new ToolError(`${table} [${uid}] is a translation. Duplicate its original, and translate the copy.`)
}

/** The title of a copy, its original's cut where both do not fit. */
function copyTitle(title: string, max: number | null, lang: string): string {
  const words = inLanguage(copyOf, lang)
  const room = max === null ? undefined : Math.max(0, max - [...filled(words, lang, { title: '' })].length)
  return filled(words, lang, { title: [...title].slice(0, room).join('') })
}

type Translation = Omit<Put, 'uid'> & { uid: RecordId; locale: string }

/** The name of a field in a further language, where each field has several. */
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

/** Throws ToolError where a translation names a field that is common to all languages. */
function refuseCommon(values: Record<string, unknown>, known: Fields): void {
  const common = known.filter(({ name, translated }) => Object.hasOwn(values, name) && !translated)
  if (common.length === 0) return
  const texts = known.filter(({ translated }) => translated)
  throw new ToolError(
    `These fields are the same in every language: ${namesOf(common)}. Leave them out. Fields with texts: ${namesOf(texts)}.`,
  )
}

/** Throws ToolError where a translation leaves out a text that its original has; the CMS finds an address itself. */
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

/** A passage of a text that is there exactly once, and what takes its place. */
export type PassageEdit = { field: string; find: string; replace: string }

/**
 * Replaces a passage in the texts of a value: a text, or the nodes and blocks of a rich text. `times` says how often
 * it was there, overlaps counted; the value changes only if that is 1.
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

/** A value that is nested deeper stays as it is: the code that rebuilds it is recursive. */
const maxLevels = 200

/** The value after a change of every value inside of it, from the innermost out. */
function rebuilt(value: unknown, change: (name: string, inside: unknown) => unknown): unknown {
  if (value === undefined || isDeeper(value, maxLevels)) return value
  return JSON.parse(JSON.stringify(value), change)
}

/** Names of nodes and of blocks, ids and addresses are no words of a person. */
const unspoken = new Set(['type', 'tag', 'listType', 'mode', 'style', 'id', 'blockType', 'relationTo'])

/** One part of a list (a block, a row), found by its id; where it is there more or less often than once, nothing is done. */
export type PartEdit = {
  field: string
  /** `change` replaces the fields of the part that `value` names, `insert` puts `value` in behind it. */
  act: 'change' | 'insert' | 'remove'
  /** Id of the part; empty for one that is put in before all others. */
  at: string
  value?: Record<string, unknown>
}

/**
 * A list of parts with one of them changed, removed, or put in behind it; all others stay as they are. A part is
 * found by its `id`, in this list or in one inside of its parts. `times` says how often it was found: use the value
 * only if that is 1.
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

/** The parts that replace a part. A changed part keeps its id, and the fields that are not named. */
function resultOf(part: Record<string, unknown>, { act, value = {} }: PartEdit): unknown[] {
  if (act === 'remove') return []
  return act === 'insert' ? [part, value] : [{ ...part, ...value, id: part.id }]
}
