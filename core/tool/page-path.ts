import type { Actor } from '../actor.ts'
import type { Cms } from '../cms/cms.ts'
import type { CmsRecord } from '../cms/schema.ts'
import type { RecordId } from '../conversation/schema.ts'

/** Asking for more pages than this costs more than the paths are worth; the rest is named by uid. */
const mostPages = 25

/** Says of each record on which page it lies, each page asked for once: `on Home > Products [2]`. */
export async function placesOf(
  cms: Cms,
  actor: Actor,
  records: CmsRecord[],
): Promise<(record: CmsRecord) => string> {
  const uids = [...new Set(records.map(pageOf).filter((uid) => uid !== 0))].slice(0, mostPages)
  const pages = await Promise.all(uids.map((uid) => cms.page(actor, uid)))
  const names = new Map(
    pages.flatMap((page) =>
      page ? [[page.uid, `${page.path.map(({ title }) => title).join(' > ')} [${page.uid}]`] as const] : [],
    ),
  )
  return (record) => {
    const name = names.get(pageOf(record))
    if (!name) return record.pid !== 0 ? `on page [${record.pid}]` : 'on no page'
    return record.table === 'pages' ? `path ${name}` : `on ${name}`
  }
}

/** The page of a record; for a page its own position in the tree. */
function pageOf(record: CmsRecord): RecordId {
  return record.table === 'pages' ? record.uid : record.pid
}
