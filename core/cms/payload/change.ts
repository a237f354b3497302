import { docAccessOperation, docAccessOperationGlobal } from 'payload'
import type { RecordId } from '../../conversation/schema.ts'
import { ToolError } from '../../error.ts'
import type { PartEdit, Write } from '../cms.ts'
import { withPart } from '../part.ts'
import { type Acting, reaches, requestOf, type Within } from './acting.ts'
import { fieldsOf, type NamedField, putAt } from './field.ts'
import { typeNamed } from './read.ts'
import { mainOf, type Seen, seeOne, shownIn } from './record.ts'
import { compact, replaced } from './richtext.ts'
import type { RecordType } from './type.ts'
import { idOf } from './uid.ts'
import { checked } from './value.ts'

/** Whether a record is stored as a draft, and with what status; no status where the type has no drafts. */
export type Mode = { draft: boolean; status?: 'draft' | 'published' }
/** A write with its record, what it wants of which field, and how it is stored. */
export type Planned = {
  type: RecordType
  /** Undefined: a new record. */
  seen: Seen | undefined
  /** The page that a new one lies below; 0: none. */
  pid: RecordId
  values: Wanted
  mode: Mode
}
/** What is to be stored in which field, by the name of the field. */
export type Wanted = Map<string, { field: NamedField; value: unknown }>

const status = '_status'

/**
 * What a write wants, checked against the rights of the user and the fields of the type. Its passages are those of the
 * record with `above` already in it: what earlier writes of the same proposal want. Throws ToolError.
 */
export async function plan(
  acting: Acting,
  write: Write,
  within: Within = {},
  above: Wanted = new Map(),
): Promise<Planned> {
  if (write.kind !== 'create' && write.kind !== 'update')
    throw new ToolError(
      `This CMS takes no change of the kind ${write.kind}. Change the fields of the record.`,
    )
  const type = typeNamed(acting, write.table)
  if (!type) throw new ToolError(`There is no type ${write.table}. list_tables names the types.`)
  if (write.kind === 'create' && (type.isGlobal || !type.hasDrafts))
    throw new ToolError(`The assistant cannot make new records of ${write.table}: the type has no drafts.`)
  const seen = write.kind === 'update' ? await seeOne(acting, type, write.uid, within) : undefined
  if (write.kind === 'update' && !seen)
    throw new ToolError(`There is no record ${write.uid} in ${write.table}.`)
  const rights = await rightsIn(acting, type, seen, within)
  if (!rights[write.kind])
    throw new ToolError(
      `The user may not ${seen ? 'change this record' : `make a record of ${write.table}`}.`,
    )

  const fields = fieldsOf(acting.payload, type).filter(({ path }) => reaches(rights, 'read', path))
  const named = (name: string): NamedField => {
    const field = fields.find((it) => it.name === name)
    if (!field)
      throw new ToolError(
        `There is no field ${name} in ${write.table}. Its fields are ${fields.map((it) => it.name).join(', ')}.`,
      )
    if (field.isReadOnly || !reaches(rights, write.kind, field.path))
      throw new ToolError(`The user may not change the field ${name}.`)
    return field
  }
  const values: Wanted = new Map()
  for (const [name, value] of Object.entries(write.fields)) {
    const field = named(name)
    values.set(name, { field, value: await checked(acting, field, value) })
  }
  for (const { field: name, find, replace } of write.kind === 'update' ? (write.edits ?? []) : []) {
    const field = named(name)
    const known = values.get(name) ?? above.get(name)
    const { times, value } = replaced(
      known ? compact(known.value) : seen && shownIn(seen, field),
      find,
      replace,
    )
    if (times !== 1) throw new ToolError(passage(name, times))
    values.set(name, { field, value: await checked(acting, field, value) })
  }
  for (const edit of write.kind === 'update' ? (write.parts ?? []) : []) {
    const field = named(edit.field)
    const known = values.get(edit.field) ?? above.get(edit.field)
    const { times, value } = withPart(known ? known.value : seen && shownIn(seen, field), edit)
    if (times !== 1) throw new ToolError(part(edit, times))
    values.set(edit.field, { field, value: await checked(acting, field, value) })
  }
  const wanted = values.get(status)
  values.delete(status)
  const mode = modeOf(type, seen, wanted?.value, values.size > 0)
  const pid = write.kind === 'create' && write.pid !== 0 ? idOf(acting.payload, type, write.pid) : 0
  return { type, seen, pid, values, mode }
}

function passage(name: string, times: number): string {
  return times === 0
    ? `The passage is not in the field ${name}. Take it from the record as it is now, letter by letter.`
    : `The passage is in the field ${name} ${times} times. Take more of the text around it.`
}

function part({ field, at }: PartEdit, times: number): string {
  return times === 0
    ? `There is no part ${at} in the field ${field}. Take its id from the record as it is now.`
    : `The field ${field} has ${times} parts with the id ${at}. Change the whole field with update_record.`
}

/** What the user may do with a record, and with each of its fields; with a new one where there is none. */
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
  if (!seen) return { draft: true, status: 'draft' }
  if (wanted === 'published') return { draft: false, status: 'published' }
  if (wanted === 'draft') return { draft: hasOthers, status: 'draft' }
  return mainOf(seen)._status === 'draft'
    ? { draft: true, status: 'draft' }
    : { draft: false, status: 'published' }
}

/** What is sent to Payload: the values of each locale in which something changes, the first locale first. */
export function dataOf({ acting, values, mode, type, pid, seen }: Planned & { acting: Acting }): {
  locale: string | undefined
  data: Record<string, unknown>
}[] {
  const { localization } = acting.payload.config
  const first = localization ? localization.defaultLocale : undefined
  const byLocale = new Map<string | undefined, Record<string, unknown>>()
  // Without any field, the status alone is sent.
  if (!seen || values.size === 0) byLocale.set(first, {})
  for (const { field, value } of values.values()) {
    const { path, locale } = field
    const data = byLocale.get(locale) ?? {}
    putAt(data, path, structuredClone(value))
    byLocale.set(locale, data)
  }
  const above = acting.options.parentField ?? 'parent'
  return [...byLocale]
    .sort(([one], [other]) => Number(other === first) - Number(one === first))
    .map(([locale, data], at) => ({
      locale,
      data: {
        ...data,
        ...(mode.status && { [status]: mode.status }),
        ...(!seen && at === 0 && pid !== 0 && hasField(type, above) && { [above]: pid }),
      },
    }))
}

function hasField({ config }: RecordType, name: string): boolean {
  return config.flattenedFields.some((field) => field.name === name)
}
