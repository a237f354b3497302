import type { Payload, Where } from 'payload'
import type { Capabilities } from '../../../core/cms/capabilities.ts'
import type { Input } from '../../../core/cms/operation.ts'
import type { CmsRecord, Language, Page, Table, TreePage } from '../../../core/cms/schema.ts'
import type { RecordId } from '../../../core/conversation/schema.ts'
import { type Acting, asUser, type Installed, reaches, rightsTo } from './acting.ts'
import { describeField, fieldsOf, localesOf } from './field.ts'
import type { AiChatOptions } from './options.ts'
import {
  mainOf,
  pidOf,
  readable,
  recordsOf,
  type Seen,
  see,
  seeOne,
  timeOf,
  titleOf,
  typeNamed,
} from './record.ts'
import { hasBin, pagesOf, type RecordType, textOf } from './type.ts'
import { idKind, idOf, idsOf } from './uid.ts'

/** The capabilities of the site, the same for every user. */
export function capabilities({ payload, options, types, version }: Installed): Capabilities {
  const pages = pagesOf(types, options)
  const namesOf = (isOne: (type: RecordType) => boolean) => types.filter(isOne).map(({ name }) => name)
  return {
    name: 'Payload',
    version,
    ids: idsOf(payload, types),
    userIds: idKind(payload, payload.config.admin.user) === 'text' ? 'string' : 'number',
    types: types.map((type) => ({
      name: type.name,
      label: type.label,
      fields: fieldsOf(payload, type).map((field) => describeField(field)),
    })),
    tree: pages ? { pages: pages.name, content: null } : null,
    home: null,
    locales: payload.config.localization ? 'field' : 'none',
    states: ['draft', 'published'],
    publishing: { field: '_status', states: ['published'], draft: 'draft' },
    // A draft is published by its field `_status`.
    writes: {
      create: namesOf((type) => type.hasDrafts && !type.isGlobal),
      state: [],
      times: [],
      place: [],
      bin: namesOf(hasBin),
      remove: namesOf((type) => !type.isGlobal),
      restore: [],
    },
    addresses: addressesOn(payload, options),
    history: true,
    revisions: types.some(({ config }) => config.versions),
    locks: types.some(({ config }) => config.lockDocuments !== false),
    media: types.some((type) => !type.isGlobal && Boolean(type.config.upload)),
    pictures: types.some((type) => !type.isGlobal && Boolean(type.config.upload)),
    log: false,
    exceptions: false,
    users: true,
    parts: true,
    compareAndSet: true,
  }
}

/** The addresses at which visitors find records; null: the options do not say. */
function addressesOn({ config }: Payload, { addresses, origins }: AiChatOptions): Capabilities['addresses'] {
  if (!addresses) return null
  return { origins: origins ?? (config.serverURL ? [config.serverURL] : []), types: Object.keys(addresses) }
}

/** The locales of the site; its number is the place in the list, the default first. */
export function languages({ payload }: Pick<Acting, 'payload'>): Language[] {
  const { localization } = payload.config
  if (!localization) return []
  return localesOf(payload).map((code, id) => ({
    id,
    title: textOf(localization.locales.find((it) => it.code === code)?.label) || String(code),
    locale: String(code),
  }))
}

/** The types that the user may read, with the fields that they may read. */
export async function tables(acting: Acting): Promise<Table[]> {
  const all = await Promise.all(
    acting.types.map(async (type): Promise<Table[]> => {
      const rights = await rightsTo(acting, type)
      if (!rights?.read) return []
      const fields = (await readable(acting, type)).map((field) =>
        describeField(field, reaches(rights, 'update', field.path)),
      )
      return [{ name: type.name, label: type.label, fields, mayModify: Boolean(rights.update) }]
    }),
  )
  return all.flat()
}

/** One record; undefined: there is none for this user. */
export async function record(
  acting: Acting,
  { table, uid, revision }: Input<'record'>,
): Promise<CmsRecord | undefined> {
  // Payload restores its versions itself.
  const type = revision === undefined ? typeNamed(acting, table) : undefined
  const seen = type && (await seeOne(acting, type, uid))
  return seen && (await recordsOf(acting, [seen]))[0]
}

type Listed = { records: CmsRecord[]; total: number }

/** Records of a type, of those below a page if it is named, the newest first. */
export async function list(
  acting: Acting,
  { table, page, limit, offset }: Input<'list'>,
): Promise<Listed | undefined> {
  const type = typeNamed(acting, table)
  if (!type || !(await rightsTo(acting, type))?.read) return undefined
  if (page !== undefined && type !== pagesOf(acting.types, acting.options)) return { records: [], total: 0 }
  const where: Where =
    page === undefined
      ? {}
      : { [acting.options.parentField ?? 'parent']: { equals: idOf(acting.payload, type, page) } }
  const { ids, total } = await found(acting, type, where, { limit, offset, sort: '-id' })
  return { records: await recordsOf(acting, await see(acting, type, ids)), total }
}

/**
 * Ids of records that the user may see, by their live state or, with `draft`, by their newest draft. Payload counts
 * in pages, so that up to two of them hold the wanted part.
 */
async function found(
  acting: Acting,
  type: RecordType,
  where: Where,
  { limit, offset, sort, draft = false }: { limit: number; offset: number; sort: string; draft?: boolean },
): Promise<{ ids: (number | string)[]; total: number }> {
  if (type.isGlobal) return { ids: offset > 0 ? [] : [1], total: 1 }
  const { payload } = acting
  const first = Math.floor(offset / limit) + 1
  const ids: (number | string)[] = []
  let total = 0
  for (const page of offset % limit === 0 ? [first] : [first, first + 1]) {
    const answer = await payload.find({
      collection: type.slug,
      where,
      limit,
      page,
      sort,
      draft,
      select: {} as never,
      ...(await asUser(acting, { locale: 'all' })),
    })
    ids.push(...(page > answer.totalPages ? [] : answer.docs.map(({ id }) => id)))
    total = answer.totalDocs
  }
  return { ids: ids.slice(offset % limit).slice(0, limit), total }
}

/** Records with the text in a field of words that the user may read, newest change first. */
export async function search(acting: Acting, { text, table, limit }: Input<'search'>): Promise<CmsRecord[]> {
  const types = acting.types.filter(
    ({ name, isGlobal }) => !isGlobal && (table === undefined || name === table),
  )
  const all = await Promise.all(
    types.map(async (type) => {
      if (!(await rightsTo(acting, type))?.read) return []
      const paths = (await readable(acting, type))
        .filter(
          ({ kind, field }) =>
            (kind === 'text' || kind === 'longtext') && !('virtual' in field && field.virtual),
        )
        .map(({ path }) => path.join('.'))
      const or = [...new Set(paths)].map((path): Where => ({ [path]: { contains: text } }))
      if (or.length === 0) return []
      const first = { limit, offset: 0, sort: '-updatedAt' }
      const drafts = type.hasDrafts ? await found(acting, type, { or }, { ...first, draft: true }) : undefined
      const { ids } = await found(acting, type, { or }, first)
      const both = [...new Set([...(drafts?.ids ?? []), ...ids])]
      return recordsOf(acting, await see(acting, type, both))
    }),
  )
  return all
    .flat()
    .sort((one, other) => other.changedAt.localeCompare(one.changedAt))
    .slice(0, limit)
}

/** A page with its path; undefined where the site has no page tree, or the user may not see the page. */
export async function page(acting: Acting, { uid }: Input<'page'>): Promise<Page | undefined> {
  const seen = await pageSeen(acting, uid)
  if (!seen) return undefined
  const [own] = await recordsOf(acting, [seen])
  if (!own) return undefined
  const path = [{ uid: seen.id, title: own.title }]
  for (let above = await parentOf(acting, seen); above; above = await parentOf(acting, above)) {
    if (path.some((it) => it.uid === above?.id)) break
    path.unshift({ uid: above.id, title: titleOf(above) })
  }
  const { slug, changedBy, updatedAt } = mainOf(seen)
  return {
    uid: seen.id,
    title: own.title,
    slug: typeof slug === 'string' ? slug : '',
    addresses: own.addresses,
    parent: own.pid,
    hidden: own.hidden,
    language: 0,
    path,
    mayEdit: own.mayEdit,
    changedAt: timeOf(updatedAt),
    changedBy: typeof changedBy === 'string' ? changedBy : null,
  }
}

/** The content elements of a page: none, since its fields hold its content. Undefined where the user may not see the page. */
export async function pageContent(
  acting: Acting,
  { uid }: Input<'pageContent'>,
): Promise<CmsRecord[] | undefined> {
  return (await pageSeen(acting, uid)) && []
}

async function pageSeen(acting: Acting, uid: RecordId): Promise<Seen | undefined> {
  const type = pagesOf(acting.types, acting.options)
  return type && seeOne(acting, type, uid)
}

function parentOf(acting: Acting, seen: Seen): Promise<Seen | undefined> | undefined {
  const above = pidOf(acting, seen)
  return above === 0 ? undefined : seeOne(acting, seen.type, above)
}

/** The pages below a page as a tree, by title. A page whose parent the user may not see is not there. */
export async function pageTree(
  acting: Acting,
  { root, depth, limit }: Input<'pageTree'>,
): Promise<TreePage[]> {
  const type = pagesOf(acting.types, acting.options)
  if (!type || !(await rightsTo(acting, type))?.read) return []
  const { ids } = await found(acting, type, {}, { limit: 5_000, offset: 0, sort: 'id' })
  const records = await recordsOf(acting, await see(acting, type, ids))
  const below = new Map<RecordId, CmsRecord[]>()
  for (const it of records.sort((one, other) => one.title.localeCompare(other.title))) {
    const siblings = below.get(it.pid)
    if (siblings) siblings.push(it)
    else below.set(it.pid, [it])
  }
  const branch = (parent: RecordId, at: number): TreePage[] =>
    at > depth
      ? []
      : (below.get(parent) ?? []).flatMap(({ uid, title, hidden, mayEdit }) => [
          { uid, title, parent, depth: at, hidden, hasChildren: below.has(uid), mayEdit },
          ...branch(uid, at + 1),
        ])
  return branch(root === 0 ? 0 : idOf(acting.payload, type, root), 1).slice(0, limit)
}
