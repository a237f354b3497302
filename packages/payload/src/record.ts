import { createHash } from 'node:crypto'
import { executeAccess, type TypeWithID, type Where } from 'payload'
import type { CmsRecord } from '../../../core/cms/schema.ts'
import type { RecordId } from '../../../core/conversation/schema.ts'
import { type Acting, asUser, reaches, requestOf, rightsTo, type Within } from './acting.ts'
import { fieldsOf, localesOf, type NamedField, valueAt } from './field.ts'
import { compact } from './richtext.ts'
import type { RecordType } from './type.ts'
import { idOf, isOf } from './uid.ts'

type Values = Record<string, unknown>

/** A record of Payload as the user may see it: what each locale shows, the newest draft included. */
export type Seen = { type: RecordType; id: number | string; in: Map<string | undefined, Values> }

/** The record in its first locale, which holds the values that are not localized. */
export function mainOf(seen: Seen): Values {
  const [first = {}] = seen.in.values()
  return first
}

/** Reads records as the user, in every locale; of a global its one record. Those that the user may not read are left out. */
export async function see(
  acting: Acting,
  type: RecordType,
  ids: (number | string)[],
  within: Within = {},
): Promise<Seen[]> {
  if (ids.length === 0 || !(await rightsTo(acting, type))?.read) return []
  const found = new Map<number | string, Seen>()
  // A user who may not see the newest draft sees the live state below it.
  for (const draft of [true, false]) {
    const others = ids.filter((id) => !found.has(id))
    if (others.length === 0) break
    for (const locale of localesOf(acting.payload)) {
      for (const [id, values] of await valuesIn(acting, type, others, { ...within, locale }, draft)) {
        const seen = found.get(id) ?? { type, id, in: new Map() }
        seen.in.set(locale, values)
        found.set(id, seen)
      }
    }
  }
  return ids.flatMap((id) => found.get(id) ?? [])
}

async function valuesIn(
  acting: Acting,
  type: RecordType,
  ids: (number | string)[],
  within: Within,
  draft: boolean,
): Promise<[number | string, Values][]> {
  const { payload } = acting
  const as = { ...(await asUser(acting, within)), draft, showHiddenFields: false }
  if (type.isGlobal) {
    const values = await payload.findGlobal({ slug: type.slug, ...as })
    return [[1, values as unknown as Values]]
  }
  const where = { id: { in: ids } }
  const trash = within.trash ?? false
  const { docs } = await payload.find({ collection: type.slug, where, pagination: false, trash, ...as })
  return docs.map((doc) => [(doc as TypeWithID).id, doc as unknown as Values])
}

/** One record as the user may see it; undefined: there is none for them. */
export async function seeOne(
  acting: Acting,
  type: RecordType,
  uid: RecordId,
  within: Within = {},
): Promise<Seen | undefined> {
  const id = idOf(acting.payload, type, uid)
  const isThere = type.isGlobal ? id === 1 : isOf(acting.payload, type, id)
  return isThere ? (await see(acting, type, [id], within))[0] : undefined
}

/** A text that differs after every stored change: the time of the change, or the content if no time is kept. */
export function versionOf(seen: Seen): string {
  const { updatedAt } = mainOf(seen)
  if (typeof updatedAt === 'string') return updatedAt
  return createHash('sha256')
    .update(JSON.stringify([...seen.in]))
    .digest('hex')
}

/** The title that names the record to a person. */
export function titleOf(seen: Seen): string {
  const { type, id } = seen
  if (type.isGlobal) return type.label
  const named = type.config.admin.useAsTitle
  const values = mainOf(seen)
  const words = [named, 'title', 'name', 'filename'].map((name) => (name ? values[name] : undefined))
  return String(words.find((value) => typeof value === 'string' && value !== '') ?? `[${id}]`)
}

/** The fields of a type that the user may read. */
export async function readable(acting: Acting, type: RecordType): Promise<NamedField[]> {
  const rights = await rightsTo(acting, type)
  return fieldsOf(acting.payload, type).filter(({ path }) => reaches(rights, 'read', path))
}

/** The value of a field as the bridge shows it; undefined: the user may not read it in this record. */
export function shownIn(seen: Pick<Seen, 'in'>, { path, locale }: NamedField): unknown {
  return shownAt(seen.in.get(locale) ?? {}, path)
}

/** The value at a path of a document as the bridge shows it: a rich text is its nodes without what is usual. */
export function shownAt(document: Values, path: string[]): unknown {
  return compact(valueAt(document, path))
}

/** The type of a name; undefined: the assistant knows none. */
export function typeNamed({ types }: Pick<Acting, 'types'>, name: string): RecordType | undefined {
  return types.find((type) => type.name === name)
}

/** Records as the bridge shows them. */
export async function recordsOf(acting: Acting, seen: Seen[], within: Within = {}): Promise<CmsRecord[]> {
  const [first] = seen
  if (!first) return []
  const fields = await readable(acting, first.type)
  const editable = await mayOf(acting, seen, 'update', within.trash)
  const live = await liveOf(acting, seen, within)
  return seen.map((it) => {
    const { updatedAt } = mainOf(it)
    const values = fields.map((field) => [field.name, shownIn(it, field)])
    return {
      table: it.type.name,
      uid: it.id,
      pid: pidOf(acting, it),
      title: titleOf(it),
      hidden: it.type.hasDrafts && !live.has(it.id),
      language: 0,
      fields: Object.fromEntries(values.filter(([, value]) => value !== undefined)),
      addresses: addressesOf(acting, it),
      changedAt: timeOf(updatedAt),
      version: versionOf(it),
      mayEdit: editable.has(it.id),
    }
  })
}

/** Paths at which visitors open a record, as the site says. */
function addressesOf({ options }: Acting, seen: Seen): string[] {
  const address = new Map(Object.entries(options.addresses ?? {})).get(seen.type.name)?.(mainOf(seen))
  return address?.startsWith('/') ? [address] : []
}

/** A time of Payload as the bridge writes times; the beginning of time where there is none. */
export function timeOf(value: unknown): string {
  return new Date(typeof value === 'string' ? value : 0).toISOString()
}

/** The page above a page; 0: there is none, or the record is no page. */
export function pidOf({ options }: Acting, seen: Seen): RecordId {
  if (seen.type.isGlobal || seen.type.slug !== (options.pages ?? 'pages')) return 0
  const above = mainOf(seen)[options.parentField ?? 'parent']
  return typeof above === 'number' || typeof above === 'string' ? above : 0
}

/** The records that visitors see: their published state, whatever drafts there are over it. */
export async function liveOf(
  acting: Acting,
  seen: Seen[],
  within: Within = {},
): Promise<Set<number | string>> {
  const drafts = seen.filter(({ type }) => type.hasDrafts)
  const isPublished = (it: Seen) => mainOf(it)._status === 'published'
  const live = new Set(drafts.filter(isPublished).map(({ id }) => id))
  const others = drafts.filter((it) => !isPublished(it))
  const [first] = others
  if (!first || first.type.isGlobal) return live
  const { docs } = await acting.payload.find({
    req: await requestOf(acting, within),
    collection: first.type.slug,
    where: { and: [{ id: { in: others.map(({ id }) => id) } }, { _status: { equals: 'published' } }] },
    pagination: false,
    depth: 0,
    select: { _status: true } as never,
  })
  for (const { id } of docs) live.add(id)
  return live
}

/** The records that the user may change or delete; with `trash`, also records in the bin. */
export async function mayOf(
  acting: Acting,
  seen: Seen[],
  operation: 'update' | 'delete',
  trash = false,
): Promise<Set<number | string>> {
  const { payload } = acting
  const editable = new Set<number | string>()
  const asked = new Map<string, { where: Where; type: RecordType; ids: (number | string)[] }>()
  const req = await requestOf(acting)
  for (const it of seen) {
    const { type, id } = it
    const of = { req, disableErrors: true, data: mainOf(it), ...(type.isGlobal ? {} : { id }) }
    const { access } = type.config
    const rule = 'delete' in access ? access[operation] : access.update
    const result = await executeAccess(of, rule as never)
    if (result === true) editable.add(id)
    if (typeof result !== 'object') continue
    const text = JSON.stringify(result)
    const same = asked.get(text) ?? { where: result, type, ids: [] }
    same.ids.push(id)
    asked.set(text, same)
  }
  for (const { where, type, ids } of asked.values()) {
    if (type.isGlobal) continue
    const within = { and: [{ id: { in: ids } }, where] }
    const found = await payload.find({
      collection: type.slug,
      where: within,
      draft: true,
      depth: 0,
      pagination: false,
      trash,
    })
    for (const { id } of found.docs) editable.add(id)
  }
  return editable
}
