import type { CmsRecord, Page, TreePage } from '../../../core/cms/schema.ts'
import type { RecordId } from '../../../core/conversation/schema.ts'

/** The most pages of a tree that are read for one question. */
export const maxPages = 5_000

/** The pages below `root` (0: the whole site) as a tree, by title. A page whose parent is not in the list is not there. */
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

/** A record of the type of pages as a page, with its path from the topmost page; `above` reads the page above. */
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
