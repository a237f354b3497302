import { randomBytes } from 'node:crypto'
import {
  createOperation,
  docAccessOperation,
  docAccessOperationGlobal,
  updateByIDOperation,
  updateOperationGlobal,
} from 'payload'
import { unflatten } from 'payload/shared'
import { ToolError } from '../../../core/base/error.ts'
import { isSameValue } from '../../../core/cms/change.ts'
import type { Put } from '../../../core/cms/cms.ts'
import { compact } from '../../../core/cms/lexical.ts'
import type { RecordId } from '../../../core/conversation/schema.ts'
import { newIds } from '../../node/src/value.ts'
import { type Acting, reaches, requestOf } from './acting.ts'
import { fieldsOf, hasRows, localesOf, type NamedField } from './field.ts'
import { mainOf, type Seen, seeAfter, shownIn } from './record.ts'
import { idsFor, refuseOtherRows } from './row.ts'
import { idOf, type RecordType } from './type.ts'
import { checkValue } from './value.ts'

/** The way to store a record: as a draft if `draft` is true, and with `status`. Types without drafts have no status. */
type Mode = { draft: boolean; status?: 'draft' | 'published' }

/** The wanted values of a record, and the way to store them. */
export type Content = {
  type: RecordType
  /** The record as the user sees it; undefined for a new record. */
  seen: Seen | undefined
  /** The parent page of a new record; 0 for none. */
  pid: RecordId
  values: { field: NamedField; value: unknown }[]
  mode: Mode
}

const status = '_status'
const asDraft: Mode = { draft: true, status: 'draft' }

/** Plans a put, and checks it against the rights of the user and the fields of the type. Throws ToolError. */
export async function plan(
  acting: Acting,
  type: RecordType,
  seen: Seen | undefined,
  put: Put,
): Promise<Content> {
  const { fields: given = {}, place } = put
  const operation = seen ? 'update' : 'create'
  if (!seen && (type.isGlobal || !type.hasDrafts))
    throw new ToolError(`The assistant cannot make new records of ${type.name}: the type has no drafts.`)
  const rights = await rightsIn(acting, type, seen)
  if (!rights[operation])
    throw new ToolError(`The user may not ${seen ? 'change this record' : `make a record of ${type.name}`}.`)
  const fields = fieldsOf(acting.payload, type).filter(({ path }) => reaches(rights, 'read', path))
  const values: Content['values'] = []
  const withIds = idsFor(acting, put)
  for (const [name, value] of Object.entries(given)) {
    const field = fields.find((it) => it.name === name)
    const known = fields.map((it) => it.name).join(', ')
    if (!field) throw new ToolError(`There is no field ${name} in ${type.name}. Its fields are ${known}.`)
    if (field.isReadOnly || !reaches(rights, operation, field.path))
      throw new ToolError(`The user may not change the field ${name}.`)
    const kept = await checkValue(acting, field, value, seen && shownIn(seen, field))
    values.push({ field, value: withIds(field, kept) })
  }
  if (seen) refuseOtherRows(values, seen)
  const others = values.filter(({ field }) => field.name !== status)
  const wanted = values.find(({ field }) => field.name === status)?.value
  const mode = modeOf(type, seen, wanted, others.length > 0)
  const pid = seen || !place?.pid ? 0 : idOf(acting.payload, type, place.pid)
  return { type, seen, pid, values: others, mode }
}

/**
 * Returns the values of a new record with new row ids. No other record has these ids, and they are the same in every
 * language.
 */
function withOwnRows(values: Content['values']): Content['values'] {
  const renew = newIds(() => randomBytes(12).toString('hex'))
  return values.map((it) => (hasRows(it.field.field) ? { ...it, value: renew(it.value) } : it))
}

/** Returns the user's rights to a record and to each of its fields; to a new record if `seen` is absent. */
async function rightsIn(acting: Acting, type: RecordType, seen: Seen | undefined) {
  const req = await requestOf(acting)
  const collection = acting.payload.collections[type.slug]
  const rights = type.isGlobal
    ? await docAccessOperationGlobal({ globalConfig: type.config, req })
    : collection && (await docAccessOperation({ collection, req, ...(seen && { id: seen.id }) }))
  return { ...rights } as Record<string, unknown>
}

/**
 * Returns the mode in which to store a record. Without a wanted `_status`, a live record stays live and a draft stays a
 * draft. `published` publishes the record. `draft` with other fields stores a draft over the live state; without other
 * fields it unpublishes the record. A new record is always a draft.
 */
function modeOf(type: RecordType, seen: Seen | undefined, wanted: unknown, hasOthers: boolean): Mode {
  if (!type.hasDrafts) return { draft: false }
  if (!seen) return asDraft
  if (wanted === 'draft') return { draft: hasOthers, status: 'draft' }
  const stays = wanted !== 'published' && mainOf(seen)._status === 'draft'
  return stays ? asDraft : { draft: false, status: 'published' }
}

/** True if the record already has all wanted values. */
export function isUnchanged({ seen, values, mode }: Content): boolean {
  if (!seen || values.some(({ field, value }) => !isSameValue(compact(value), shownIn(seen, field))))
    return false
  return values.length > 0 || mode.status === undefined || mode.status === mainOf(seen)._status
}

/**
 * Returns the steps that store a content. Payload checks required values only in the locale that it stores. If a value
 * of a further language becomes empty in the live state, there are two steps. Step 1 stores a draft, and step 2
 * publishes this draft in the default locale.
 */
export function stepsOf({ payload }: Acting, content: Content): Content[] {
  const { mode, values } = content
  const [first] = localesOf(payload)
  const isEmptied = values.some(({ field, value }) => field.locale !== first && (value ?? '') === '')
  if (mode.status !== 'published' || !isEmptied) return [content]
  return [
    { ...content, mode: asDraft },
    { ...content, values: [] },
  ]
}

/** Returns the data for Payload: the values of each changed locale, the default locale first. */
export function dataOf({ payload, options }: Acting, { values, mode, type, pid, seen }: Content) {
  const [first] = localesOf(payload)
  const byLocale = new Map<string | undefined, Record<string, unknown>>()
  // Without changed fields, only the status is sent.
  if (!seen || values.length === 0) byLocale.set(first, {})
  for (const { field, value } of values) {
    const data = byLocale.get(field.locale) ?? {}
    data[field.path.join('.')] = structuredClone(value)
    byLocale.set(field.locale, data)
  }
  const above = options.parentField ?? 'parent'
  const hasParent = pid !== 0 && type.config.flattenedFields.some(({ name }) => name === above)
  const common = mode.status && { [status]: mode.status }
  return [...byLocale]
    .sort(([one], [other]) => Number(other === first) - Number(one === first))
    .map(([locale, data], at) => ({
      locale,
      data: { ...unflatten(data), ...common, ...(hasParent && at === 0 && { [above]: pid }) },
    }))
}

/**
 * Stores the values of one locale with Payload's own operations, as the user; `id` is undefined for a new record.
 * Returns the id.
 */
export async function write(
  acting: Acting,
  { type, mode: { draft } }: Content,
  id: RecordId | undefined,
  { locale, data }: ReturnType<typeof dataOf>[number],
): Promise<RecordId> {
  const req = await requestOf(acting, locale)
  const as = { data: data as never, depth: 0, draft, overrideAccess: false, overrideLock: false, req }
  if (type.isGlobal) {
    await updateOperationGlobal({ ...as, slug: type.slug, globalConfig: type.config })
    return 1
  }
  const collection = acting.payload.collections[type.slug]
  if (!collection) throw new Error(`Payload has no collection ${type.slug}`)
  if (id === undefined) return (await createOperation({ ...as, collection })).id
  return (await updateByIDOperation({ ...as, collection, id })).id
}

/** Stores a planned content, and returns the new state of the record. */
export async function store(acting: Acting, content: Content): Promise<Seen> {
  let id = content.seen?.id
  const values = content.seen ? content.values : withOwnRows(content.values)
  for (const step of stepsOf(acting, { ...content, values }))
    for (const part of dataOf(acting, step)) id = await write(acting, step, id, part)
  return seeAfter(acting, { type: content.type, id: id ?? 1 })
}
