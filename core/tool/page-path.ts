import type { Actor } from '../base/actor.ts'
import type { Cms } from '../cms/cms.ts'
import type { CmsRecord } from '../cms/schema.ts'
import type { RecordId } from '../conversation/schema.ts'

/** The paths of more pages are not worth their requests; further pages get their uid. */
const mostPages = 25

/** Finds the page of each record, and requests each page once: `on Home > Products [2]`. */
export async function placesOf(
  cms: Cms,
  actor: Actor,
  records: CmsRecord[],
): Promise<(record: CmsRecord) => string> {
  const { tree } = await cms.capabilities()
  const isPage = ({ table }: CmsRecord) => table === tree?.pages
  /** A page is its own place in the tree. */
  const pageOf = (record: CmsRecord): RecordId => (isPage(record) ? record.uid : record.pid)
  const uids = tree ? [...new Set(records.map(pageOf).filter((uid) => uid !== 0))].slice(0, mostPages) : []
  const pages = await Promise.all(uids.map((uid) => cms.page(actor, { uid })))
  const names = new Map(
    pages.flatMap((page) =>
      page ? [[page.uid, `${page.path.map(({ title }) => title).join(' > ')} [${page.uid}]`] as const] : [],
    ),
  )
  return (record) => {
    const name = names.get(pageOf(record))
    if (!name) return record.pid !== 0 ? `on page [${record.pid}]` : 'on no page'
    return isPage(record) ? `path ${name}` : `on ${name}`
  }
}
