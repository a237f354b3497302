import { maxPictureBytes, type Picture } from '../../../core/cms/cms.ts'
import type { CmsRecord, Page, TreePage } from '../../../core/cms/schema.ts'
import type { RecordId } from '../../../core/conversation/schema.ts'
import type { Adapter, Entry, Id, Person, PictureFile, TypeOf } from './adapter.ts'

/** Returns records in the form of the bridge, without the records of types that the user may not read. */
export async function recordsOf(adapter: Adapter, user: Person, entries: Entry[]): Promise<CmsRecord[]> {
  const types = new Map((await adapter.types(user)).map((type) => [type.name, type]))
  return entries.flatMap((entry) => {
    const type = types.get(entry.type)
    return type ? recordOf(adapter, type, entry) : []
  })
}

/** Returns a page of the tree as the user may see it; undefined for the uid 0, which means "no page". */
export async function pageWith(adapter: Adapter, user: Person, uid: Id): Promise<CmsRecord | undefined> {
  const { tree } = adapter
  const entry = tree && uid !== 0 ? await adapter.read(user, tree.type, uid) : undefined
  return entry && (await recordsOf(adapter, user, [entry]))[0]
}

/** Returns a record in the form of the bridge. */
export function recordOf({ publishing, tree }: Adapter, type: TypeOf, entry: Entry): CmsRecord {
  const state = publishing && entry.values[publishing.field]
  return {
    table: type.name,
    uid: entry.id,
    pid: tree?.type === type.name ? ((entry.values[tree.parent] as Id | null) ?? 0) : 0,
    title: String(entry.values[type.title] || `[${entry.id}]`),
    hidden: publishing !== undefined && state !== undefined && !publishing.shown.includes(String(state)),
    language: 0,
    fields: entry.values as CmsRecord['fields'],
    addresses: entry.addresses ?? [],
    changedAt: entry.changedAt.toISOString(),
    version: entry.version,
    mayEdit: entry.mayEdit,
  }
}

/** The maximum number of pages that one question reads. */
export const maxPages = 5_000

/**
 * Returns the pages below `root` (0 for the whole site) as a tree, sorted by title. Leaves out a page whose parent is
 * not in the list.
 */
export function treeOf(
  pages: CmsRecord[],
  { root, depth, limit }: { root: RecordId; depth: number; limit: number },
): TreePage[] {
  const below = new Map<RecordId, CmsRecord[]>()
  for (const page of pages.toSorted((one, other) => one.title.localeCompare(other.title)))
    below.set(page.pid, [...(below.get(page.pid) ?? []), page])
  const branch = (parent: RecordId, at: number): TreePage[] =>
    (at > depth ? [] : (below.get(parent) ?? [])).flatMap(({ uid, title, hidden, mayEdit }) => [
      { uid, title, parent, depth: at, hidden, hasChildren: below.has(uid), mayEdit },
      ...branch(uid, at + 1),
    ])
  return branch(root, 1).slice(0, limit)
}

/** Returns a record as a page, with its path from the topmost page; `above` reads the parent page. */
export async function pageOf(
  record: CmsRecord,
  above: (page: CmsRecord) => Promise<CmsRecord | undefined>,
  { slug = '', changedBy = null }: { slug?: unknown; changedBy?: unknown },
): Promise<Page> {
  const { fields: _, pid: parent, ...head } = record
  const path = [{ uid: record.uid, title: record.title }]
  for (let page = await above(record); page; page = await above(page)) {
    if (path.some(({ uid }) => uid === page?.uid)) break
    path.unshift({ uid: page.uid, title: page.title })
  }
  const text = (value: unknown) => (typeof value === 'string' ? value : null)
  return { ...head, parent, path, slug: text(slug) ?? '', changedBy: text(changedBy) }
}

/** The picture types that models accept. */
const seen = ['image/png', 'image/jpeg', 'image/gif', 'image/webp']

/** Returns the largest size of a picture that may be sent, in the form of the bridge. */
export async function pictureOf(files: PictureFile[]): Promise<Picture> {
  const pictures = files.filter(({ type }) => seen.includes(type))
  if (pictures.length === 0) return { state: 'none' }
  const fitting = pictures
    .filter(({ bytes }) => bytes <= maxPictureBytes)
    .sort((one, other) => other.bytes - one.bytes)
  for (const { read } of fitting) {
    const content = await read()
    if (content && content.length <= maxPictureBytes)
      return { state: 'there', base64: Buffer.from(content).toString('base64') }
  }
  return { state: fitting.length === 0 ? 'tooLarge' : 'none' }
}
