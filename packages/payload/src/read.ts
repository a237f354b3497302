import type { Where } from 'payload'
import type { Capabilities } from '../../../core/cms/capabilities.ts'
import type { Answer } from '../../../core/cms/cms.ts'
import type { Input, Operation } from '../../../core/cms/operation.ts'
import type { CmsRecord, Language, Table } from '../../../core/cms/schema.ts'
import type { RecordId } from '../../../core/conversation/schema.ts'
import type { PictureFile } from '../../node/src/adapter.ts'
import { bareCapabilities } from '../../node/src/port.ts'
import { maxPages, pageOf, pictureOf, treeOf } from '../../node/src/record.ts'
import { type Acting, asUser, type Installed, reaches, requestOf, rightsTo } from './acting.ts'
import { describeField, fieldsOf, isVirtual, localesOf } from './field.ts'
import { writesOf } from './put.ts'
import { mainOf, readable, recordsOf, type Seen, see, seeOne } from './record.ts'
import { idKind, idOf, idsOf, isUpload, pagesOf, type RecordType, textOf, typeNamed } from './type.ts'

/** An operation of the CMS port that reads for a user. */
export type ReadOperation<K extends Operation> = (acting: Acting, question: Input<K>) => Promise<Answer<K>>

/** Returns the capabilities of the site, the same for every user. */
export function capabilities(site: Installed): Omit<Capabilities, 'version'> {
  const { payload, types } = site
  const pages = pagesOf(site)
  return {
    ...bareCapabilities,
    name: 'Payload',
    ids: idsOf(payload, types),
    userIds: idKind(payload, payload.config.admin.user) === 'text' ? 'string' : 'number',
    types: types.map((type) => ({
      name: type.name,
      label: type.label,
      fields: fieldsOf(payload, type).map((field) => describeField(field)),
    })),
    tree: pages ? { pages: pages.name, content: null } : null,
    locales: payload.config.localization ? 'field' : 'none',
    states: ['draft', 'published'],
    publishing: { field: '_status', states: ['published'], draft: 'draft' },
    writes: writesOf(site),
    addresses: addressesOn(site),
    history: true,
    revisions: types.some(({ config }) => config.versions),
    locks: types.some(({ config }) => config.lockDocuments !== false),
    media: types.some(isUpload),
    pictures: types.some(isUpload),
    users: true,
    parts: true,
  }
}

/** Returns the origins and types with addresses for visitors; null if the options define none. */
function addressesOn({ payload: { config }, options }: Installed): Capabilities['addresses'] {
  if (!options.addresses) return null
  const origins = options.origins ?? (config.serverURL ? [config.serverURL] : [])
  return { origins, types: Object.keys(options.addresses) }
}

/** Returns the locales of the site, the default first; the number of a language is its index in the list. */
export function languages({ payload }: Installed): Language[] {
  const { localization } = payload.config
  if (!localization) return []
  const labels = new Map(localization.locales.map(({ code, label }) => [code, textOf(label)]))
  return localesOf(payload).map((code = '', id) => ({ id, title: labels.get(code) || code, locale: code }))
}

/** Returns the types and fields that the user may read. */
export async function tables(acting: Acting): Promise<Table[]> {
  const all = acting.types.map(async (type): Promise<Table[]> => {
    const rights = await rightsTo(acting, type)
    if (!rights?.read) return []
    const fields = (await readable(acting, type)).map((field) =>
      describeField(field, reaches(rights, 'update', field.path)),
    )
    return [{ name: type.name, label: type.label, fields, mayModify: Boolean(rights.update) }]
  })
  return (await Promise.all(all)).flat()
}

/**
 * Returns one record; undefined if the user sees no such record. Also undefined for an earlier revision, because
 * Payload itself restores its versions.
 */
export const record: ReadOperation<'record'> = async (acting, { table, uid, revision }) => {
  const type = revision === undefined ? typeNamed(acting, table) : undefined
  const seen = type && (await seeOne(acting, type, uid))
  return seen && (await recordsOf(acting, [seen]))[0]
}

/** Returns records of a type, newest first; only the records below `page` if given. */
export const list: ReadOperation<'list'> = async (acting, { table, page, limit, offset }) => {
  const type = typeNamed(acting, table)
  if (!type || !(await rightsTo(acting, type))?.read) return undefined
  if (page !== undefined && type !== pagesOf(acting)) return { records: [], total: 0 }
  const above = acting.options.parentField ?? 'parent'
  const where: Where = page === undefined ? {} : { [above]: { equals: idOf(acting.payload, type, page) } }
  const { ids, total } = await found(acting, type, { where, limit, offset, sort: '-id' })
  return { records: await recordsOf(acting, await see(acting, type, ids)), total }
}

type Search = { where: Where; limit: number; offset: number; sort: string; draft?: boolean }

/**
 * Returns the ids of records that the user may see, by their live state or, with `draft`, their newest draft. Payload
 * only reads whole pages of records, so up to two pages contain the wanted part.
 */
async function found(
  acting: Acting,
  type: RecordType,
  { limit, offset, ...search }: Search,
): Promise<{ ids: RecordId[]; total: number }> {
  if (type.isGlobal) return { ids: offset > 0 ? [] : [1], total: 1 }
  const as = { ...(await asUser(acting, 'all')), ...search, limit, select: {} as never }
  const first = Math.floor(offset / limit) + 1
  const ids: RecordId[] = []
  let total = 0
  for (const page of offset % limit === 0 ? [first] : [first, first + 1]) {
    const answer = await acting.payload.find({ collection: type.slug, page, ...as })
    ids.push(...(page > answer.totalPages ? [] : answer.docs.map(({ id }) => id)))
    total = answer.totalDocs
  }
  return { ids: ids.slice(offset % limit).slice(0, limit), total }
}

/** Returns the records that contain every word in some text field that the user may read, newest change first. */
export const search: ReadOperation<'search'> = async (acting, { text, table, limit }) => {
  const types = acting.types.filter(({ name, isGlobal }) => !isGlobal && name === (table ?? name))
  const all = types.map(async (type) => {
    if (!(await rightsTo(acting, type))?.read) return []
    const ofWords = (await readable(acting, type)).filter(
      ({ kind, field }) => (kind === 'text' || kind === 'longtext') && !isVirtual(field),
    )
    const paths = new Set(ofWords.map(({ path }) => path.join('.')))
    if (paths.size === 0) return []
    const words = text.split(/\s+/).filter(Boolean)
    const and = words.map((word) => ({
      or: [...paths].map((path): Where => ({ [path]: { contains: word } })),
    }))
    const first = { where: { and }, limit, offset: 0, sort: '-updatedAt' }
    const drafts = type.hasDrafts ? (await found(acting, type, { ...first, draft: true })).ids : []
    const { ids } = await found(acting, type, first)
    return recordsOf(acting, await see(acting, type, [...new Set([...drafts, ...ids])]))
  })
  const records = (await Promise.all(all)).flat()
  return records.sort((one, other) => other.changedAt.localeCompare(one.changedAt)).slice(0, limit)
}

/** Returns a page with its path; undefined if the site has no page tree, or the user may not see the page. */
export const page: ReadOperation<'page'> = async (acting, { uid }) => {
  const seen = await pageSeen(acting, uid)
  const [shown] = seen ? await recordsOf(acting, [seen]) : []
  const above = async ({ table, pid }: CmsRecord) =>
    pid === 0 ? undefined : record(acting, { table, uid: pid })
  return seen && shown && pageOf(shown, above, mainOf(seen))
}

/**
 * Returns no content elements, because a page's fields contain its content; undefined if the user may not see the page.
 */
export const pageContent: ReadOperation<'pageContent'> = async (acting, { uid }) =>
  (await pageSeen(acting, uid)) && []

async function pageSeen(acting: Acting, uid: RecordId): Promise<Seen | undefined> {
  const type = pagesOf(acting)
  return type && seeOne(acting, type, uid)
}

/** Returns the pages below a page as a tree, sorted by title. Leaves out a page whose parent the user may not see. */
export const pageTree: ReadOperation<'pageTree'> = async (acting, { root, depth, limit }) => {
  const type = pagesOf(acting)
  if (!type || !(await rightsTo(acting, type))?.read) return []
  const { ids } = await found(acting, type, { where: {}, limit: maxPages, offset: 0, sort: 'id' })
  const records = await recordsOf(acting, await see(acting, type, ids))
  return treeOf(records, { root: root === 0 ? 0 : idOf(acting.payload, type, root), depth, limit })
}

/**
 * Returns the picture of an upload record, in the largest size that may be sent. Returns undefined if the user sees no
 * such record.
 */
export const picture: ReadOperation<'picture'> = async (acting, { table, uid }) => {
  const type = typeNamed(acting, table)
  const seen = type && (await seeOne(acting, type, uid))
  if (!seen) return undefined
  const { sizes, ...original } = mainOf(seen)
  const files = [original, ...Object.values(Object(sizes) as object)].flatMap((file): PictureFile[] => {
    const { filename, filesize: bytes, mimeType } = Object(file)
    const isFile = typeof filename === 'string' && typeof bytes === 'number'
    return isFile ? [{ type: mimeType, bytes, read: () => bytesOf(acting, type, filename) }] : []
  })
  return pictureOf(files)
}

/**
 * Reads a file as the site serves it to this user: through its access functions, from the site's storage. Returns
 * undefined if the site answers without the file.
 */
async function bytesOf(acting: Acting, type: RecordType, filename: string): Promise<Uint8Array | undefined> {
  const endpoints = (isUpload(type) && type.config.endpoints) || []
  const serve = endpoints.find(({ method, path }) => method === 'get' && path === '/file/:filename')
  const req = await requestOf(acting)
  req.routeParams = { collection: type.slug, filename }
  try {
    const response = await serve?.handler(req)
    if (response?.status === 200) return new Uint8Array(await response.arrayBuffer())
    await response?.body?.cancel()
  } catch (cause) {
    acting.payload.logger.warn({ err: cause, msg: `A picture of ${type.slug} could not be read` })
  }
  return undefined
}
