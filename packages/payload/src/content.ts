import { docAccessOperation, docAccessOperationGlobal } from 'payload'
import { ToolError } from '../../../core/base/error.ts'
import { isSameValue } from '../../../core/cms/change.ts'
import type { Put } from '../../../core/cms/cms.ts'
import type { RecordId } from '../../../core/conversation/schema.ts'
import { type Acting, asUser, reaches, requestOf, type Within } from './acting.ts'
import { fieldsOf, localesOf, type NamedField, putAt } from './field.ts'
import { mainOf, type Seen, seeOne, shownIn } from './record.ts'
import { compact } from './richtext.ts'
import type { RecordType } from './type.ts'
import { idOf } from './uid.ts'
import { checkValue } from './value.ts'

/** True `draft` stores the record as a draft, with this status; no status if the type has no drafts. */
export type Mode = { draft: boolean; status?: 'draft' | 'published' }

/** The values that a put wants for a record, and how they are stored. */
export type Content = {
  type: RecordType
  /** Undefined: a new record. */
  seen: Seen | undefined
  /** The page that a new one lies below; 0: none. */
  pid: RecordId
  values: { field: NamedField; value: unknown }[]
  mode: Mode
}

const status = '_status'

/** Plans what a put wants, held against the rights of the user and the fields of the type. Throws ToolError. */
export async function plan(
  acting: Acting,
  type: RecordType,
  seen: Seen | undefined,
  { fields: given = {}, place }: Put,
  within: Within = {},
): Promise<Content> {
  const operation = seen ? 'update' : 'create'
  if (!seen && (type.isGlobal || !type.hasDrafts))
    throw new ToolError(`The assistant cannot make new records of ${type.name}: the type has no drafts.`)
  const rights = await rightsIn(acting, type, seen, within)
  if (!rights[operation])
    throw new ToolError(`The user may not ${seen ? 'change this record' : `make a record of ${type.name}`}.`)
  const fields = fieldsOf(acting.payload, type).filter(({ path }) => reaches(rights, 'read', path))
  const values: Content['values'] = []
  for (const [name, value] of Object.entries(given)) {
    const field = fields.find((it) => it.name === name)
    const known = fields.map((it) => it.name).join(', ')
    if (!field) throw new ToolError(`There is no field ${name} in ${type.name}. Its fields are ${known}.`)
    if (field.isReadOnly || !reaches(rights, operation, field.path))
      throw new ToolError(`The user may not change the field ${name}.`)
    values.push({ field, value: await checkValue(acting, field, value, seen && shownIn(seen, field)) })
  }
  const others = values.filter(({ field }) => field.name !== status)
  const wanted = values.find(({ field }) => field.name === status)?.value
  const mode = modeOf(type, seen, wanted, others.length > 0)
  const pid = seen || !place?.pid ? 0 : idOf(acting.payload, type, place.pid)
  return { type, seen, pid, values: others, mode }
}

/** The user's rights to a record and to each of its fields; to a new record if `seen` is absent. */
async function rightsIn(
  acting: Acting,
  type: RecordType,
  seen: Seen | undefined,
  within: Within,
): Promise<Record<string, unknown>> {
  const req = await requestOf(acting, within)
  if (type.isGlobal) return { ...(await docAccessOperationGlobal({ globalConfig: type.config, req })) }
  const collection = acting.payload.collections[type.slug]
  if (!collection) return {}
  return { ...(await docAccessOperation({ collection, req, ...(seen && { id: seen.id }) })) }
}

/**
 * A record stays what it is: live, or a draft. `_status` with other fields stores a draft over what is live, or publishes;
 * `draft` alone takes the record from the site. A new one is always a draft.
 */
function modeOf(type: RecordType, seen: Seen | undefined, wanted: unknown, hasOthers: boolean): Mode {
  if (!type.hasDrafts) return { draft: false }
  const asDraft: Mode = { draft: true, status: 'draft' }
  if (!seen) return asDraft
  if (wanted === 'draft') return { draft: hasOthers, status: 'draft' }
  return wanted !== 'published' && mainOf(seen)._status === 'draft'
    ? asDraft
    : { draft: false, status: 'published' }
}

/** True if the record already has all wanted values. */
export function isUnchanged({ seen, values, mode }: Content): boolean {
  if (!seen || values.some(({ field, value }) => !isSameValue(compact(value), shownIn(seen, field))))
    return false
  return values.length > 0 || mode.status === undefined || mode.status === mainOf(seen)._status
}

/**
 * True if a required value of a further language becomes empty in the live state. Payload checks required values only
 * in the locale that it stores: a draft may lack them, and is then published in the first locale.
 */
export function isEmptying({ payload }: Acting, { mode, values }: Content): boolean {
  const [first] = localesOf(payload)
  return (
    mode.status === 'published' &&
    values.some(({ field, value }) => field.locale !== first && (value ?? '') === '')
  )
}

/** The data for Payload: the values of each locale in which something changes, the first locale first. */
export function dataOf({ payload, options }: Acting, { values, mode, type, pid, seen }: Content) {
  const [first] = localesOf(payload)
  const byLocale = new Map<string | undefined, Record<string, unknown>>()
  // Without any field, the status alone is sent.
  if (!seen || values.length === 0) byLocale.set(first, {})
  for (const { field, value } of values) {
    const data = byLocale.get(field.locale) ?? {}
    putAt(data, field.path, structuredClone(value))
    byLocale.set(field.locale, data)
  }
  const above = options.parentField ?? 'parent'
  const hasParent = pid !== 0 && type.config.flattenedFields.some(({ name }) => name === above)
  return [...byLocale]
    .sort(([one], [other]) => Number(other === first) - Number(one === first))
    .map(([locale, data], at) => ({
      locale,
      data: {
        ...data,
        ...(mode.status && { [status]: mode.status }),
        ...(hasParent && at === 0 && { [above]: pid }),
      },
    }))
}

/** Stores a plan through Payload's own operations, as the user, and answers the record after it. */
export async function store(acting: Acting, content: Content, within: Within): Promise<Seen> {
  const { payload } = acting
  const { type } = content
  if (isEmptying(acting, content)) {
    await store(acting, { ...content, mode: { draft: true, status: 'draft' } }, within)
    return store(acting, { ...content, values: [] }, within)
  }
  let id = content.seen?.id
  for (const { locale, data } of dataOf(acting, content)) {
    const as = {
      ...(await asUser(acting, { ...within, locale })),
      data: data as never,
      draft: content.mode.draft,
      overrideLock: false,
    }
    if (type.isGlobal) await payload.updateGlobal({ slug: type.slug, ...as })
    else if (id !== undefined) await payload.update({ collection: type.slug, id, ...as })
    else id = (await payload.create({ collection: type.slug, ...as })).id
  }
  const after = await seeOne(acting, type, id ?? 1, within)
  if (!after) throw new ToolError('The user may not see the record any more after this change.')
  return after
}
