import { createHash } from 'node:crypto'
import { executeAccess, type Where } from 'payload'
import { getObjectDotNotation } from 'payload/shared'
import { ToolError } from '../../../core/base/error.ts'
import { compact } from '../../../core/cms/lexical.ts'
import type { CmsRecord } from '../../../core/cms/schema.ts'
import type { RecordId } from '../../../core/conversation/schema.ts'
import { type Acting, asUser, reaches, requestOf, rightsTo } from './acting.ts'
import { fieldsOf, localesOf, type NamedField } from './field.ts'
import { idOf, isOf, pagesOf, type RecordType } from './type.ts'

type Values = Record<string, unknown>

/** A record of Payload as the user may see it: the values of each locale, with the newest draft. */
export type Seen = { type: RecordType; id: RecordId; in: Map<string | undefined, Values> }

/** Returns the record in its first locale, which contains the values that are not localized. */
export function mainOf(seen: Pick<Seen, 'in'>): Values {
  const [first = {}] = seen.in.values()
  return first
}

/**
 * Reads records as the user, in every locale; a global has only one record. Leaves out records that the user may not
 * read. `drafts` says whether to read the newest draft or the live state, the preferred one first.
 */
export async function see(
  acting: Acting,
  type: RecordType,
  ids: RecordId[],
  drafts = [true, false],
): Promise<Seen[]> {
  if (ids.length === 0 || !(await rightsTo(acting, type))?.read) return []
  const found = new Map<RecordId, Seen>()
  // A user who may not see the newest draft sees the live state instead.
  for (const draft of drafts) {
    const others = ids.filter((id) => !found.has(id))
    for (const locale of others.length > 0 ? localesOf(acting.payload) : []) {
      for (const values of await documents(acting, type, others, locale, draft)) {
        const id = type.isGlobal ? 1 : (values.id as RecordId)
        const seen = found.get(id) ?? { type, id, in: new Map() }
        seen.in.set(locale, values)
        found.set(id, seen)
      }
    }
  }
  return ids.flatMap((id) => found.get(id) ?? [])
}

async function documents(
  acting: Acting,
  type: RecordType,
  ids: RecordId[],
  locale: string | undefined,
  draft: boolean,
): Promise<Values[]> {
  const { payload, reading } = acting
  const as = { ...(await asUser(acting, locale)), draft, showHiddenFields: false }
  if (type.isGlobal) return [(await payload.findGlobal({ slug: type.slug, ...as })) as unknown as Values]
  const where = { id: { in: ids } }
  const { docs } = await payload.find({ collection: type.slug, where, pagination: false, ...reading, ...as })
  return docs as unknown as Values[]
}

/** Returns a record as the user may see it; undefined if the user sees no such record. */
export async function seeOne(acting: Acting, type: RecordType, uid: RecordId): Promise<Seen | undefined> {
  const id = idOf(acting.payload, type, uid)
  return isOf(acting.payload, type, id) ? (await see(acting, type, [id]))[0] : undefined
}

/** Returns the record after a change. Throws ToolError if the user no longer sees it. */
export async function seeAfter(acting: Acting, { type, id }: Pick<Seen, 'type' | 'id'>): Promise<Seen> {
  const after = await seeOne(acting, type, id)
  if (!after) throw new ToolError('The user may not see the record any more after this change.')
  return after
}

/**
 * Returns a text that differs after every stored change: the time of the change, or the content if no time is stored.
 */
export function versionOf(seen: Seen): string {
  const { updatedAt } = mainOf(seen)
  if (typeof updatedAt === 'string') return updatedAt
  const content = JSON.stringify([...seen.in])
  return createHash('sha256').update(content).digest('hex')
}

/** Returns the title of the record for people. */
export function titleOf(seen: Seen): string {
  const { type, id } = seen
  if (type.isGlobal) return type.label
  const values = mainOf(seen)
  const words = [type.config.admin.useAsTitle ?? '', 'title', 'name', 'filename'].map((name) => values[name])
  return String(words.find((value) => typeof value === 'string' && value !== '') ?? `[${id}]`)
}

/** Returns the fields of a type that the user may read. */
export async function readable(acting: Acting, type: RecordType): Promise<NamedField[]> {
  const rights = await rightsTo(acting, type)
  return fieldsOf(acting.payload, type).filter(({ path }) => reaches(rights, 'read', path))
}

/**
 * Returns the value of a field in the form of the bridge; rich text is a tree of nodes without default values. Returns
 * undefined if the user may not read the field in this record.
 */
export function shownIn(seen: Pick<Seen, 'in'>, { path, locale }: NamedField): unknown {
  return compact(getObjectDotNotation(seen.in.get(locale) ?? {}, path.join('.')))
}

/** Returns records of one type in the form of the bridge. */
export async function recordsOf(acting: Acting, seen: Seen[]): Promise<CmsRecord[]> {
  const [first] = seen
  if (!first) return []
  const fields = await readable(acting, first.type)
  const editable = await mayOf(acting, seen, 'update')
  const live = await liveOf(acting, seen)
  return seen.map((record) => {
    const values = fields.map((field) => [field.name, shownIn(record, field)])
    return {
      table: record.type.name,
      uid: record.id,
      pid: pidOf(acting, record),
      title: titleOf(record),
      hidden: record.type.hasDrafts && !live.has(record.id),
      language: 0,
      fields: Object.fromEntries(values.filter(([, value]) => value !== undefined)),
      addresses: addressesOf(acting, record),
      changedAt: timeOf(mainOf(record).updatedAt),
      version: versionOf(record),
      mayEdit: editable.has(record.id),
    }
  })
}

/** Returns the paths at which visitors open a record, from the site's options. */
function addressesOf({ options }: Acting, seen: Seen): string[] {
  const address = new Map(Object.entries(options.addresses ?? {})).get(seen.type.name)?.(mainOf(seen))
  return address?.startsWith('/') ? [address] : []
}

/** Returns a time of Payload in the form of the bridge; 1970-01-01 if there is none. */
export function timeOf(value: unknown): string {
  return new Date(typeof value === 'string' ? value : 0).toISOString()
}

/** Returns the parent of a page; 0 if there is none, or the record is no page. */
export function pidOf(acting: Acting, seen: Seen): RecordId {
  const above = mainOf(seen)[acting.options.parentField ?? 'parent']
  const isId = typeof above === 'number' || typeof above === 'string'
  return isId && seen.type === pagesOf(acting) ? above : 0
}

/**
 * Returns the ids of the given records that have a published state, which visitors see; a record may have a newer
 * draft, too. All records are of one type.
 */
export async function liveOf(acting: Acting, seen: Seen[]): Promise<Set<RecordId>> {
  const [first] = seen
  if (!first?.type.hasDrafts) return new Set()
  const isPublished = (it: Seen) => mainOf(it)._status === 'published'
  const live = new Set(seen.filter(isPublished).map(({ id }) => id))
  const others = seen.filter((it) => !isPublished(it)).map(({ id }) => id)
  if (others.length === 0) return live
  if (first.type.isGlobal) {
    const as = { req: await requestOf(acting), depth: 0 }
    const { _status } = await acting.payload.findGlobal({ slug: first.type.slug, ...as })
    return new Set(_status === 'published' ? others : live)
  }
  const where = { and: [{ id: { in: others } }, { _status: { equals: 'published' } }] }
  const as = { req: await requestOf(acting), pagination: false, depth: 0, select: { _status: true } as never }
  const { docs } = await acting.payload.find({ collection: first.type.slug, where, ...as })
  return new Set([...live, ...docs.map(({ id }) => id)])
}

/**
 * Returns the ids of the given records that the user may change or delete. All records are of one type, and the reads of
 * the acting user find them.
 */
export async function mayOf(
  acting: Acting,
  seen: Seen[],
  operation: 'update' | 'delete',
): Promise<Set<RecordId>> {
  const [first] = seen
  if (!first) return new Set()
  const { payload } = acting
  const { type } = first
  const rule = type.isGlobal ? type.config.access.update : type.config.access[operation]
  const req = await requestOf(acting)
  const may = new Set<RecordId>()
  /** The records for which the access function returns a query, by the text of the query. */
  const asked = new Map<string, { where: Where; ids: RecordId[] }>()
  for (const record of seen) {
    const { id } = record
    const asking = { req, disableErrors: true, data: mainOf(record), ...(type.isGlobal ? {} : { id }) }
    const result = await executeAccess(asking, rule as never)
    if (result === true) may.add(id)
    if (typeof result !== 'object') continue
    const text = JSON.stringify(result)
    const same = asked.get(text) ?? { where: result, ids: [] }
    same.ids.push(id)
    asked.set(text, same)
  }
  if (type.isGlobal) return may
  for (const { where, ids } of asked.values()) {
    const within = { where: { and: [{ id: { in: ids } }, where] }, pagination: false, ...acting.reading }
    const { docs } = await payload.find({ collection: type.slug, draft: true, depth: 0, ...within })
    for (const { id } of docs) may.add(id)
  }
  return may
}
