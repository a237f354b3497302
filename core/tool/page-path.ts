import type { Actor } from '../base/actor.ts'
import type { Capabilities } from '../cms/capabilities.ts'
import type { Cms } from '../cms/cms.ts'
import type { CmsRecord, Language } from '../cms/schema.ts'
import type { RecordId } from '../conversation/schema.ts'
import { marks, quoted } from './format.ts'

/** The paths of more pages are not worth a request each; they come from the page tree, in one. */
const mostPages = 25
/** How much of the page tree is read for paths. */
const tree = { root: 0, depth: 20, limit: 5_000 }

/**
 * Describes each record in a line with its state, language and place: `[12] “Aurora lamp” (hidden, English), on Home >
 * Products [2]`. The caller asks for the languages along with the records: a request of their own would cost as much.
 */
export async function recordLines(
  cms: Cms,
  actor: Actor,
  records: CmsRecord[],
  languages: Language[],
): Promise<(record: CmsRecord) => string> {
  const capabilities = await cms.capabilities()
  const isPage = ({ table }: CmsRecord) => table === capabilities.tree?.pages
  /** A page is its own place in the tree. */
  const pageOf = (record: CmsRecord): RecordId => (isPage(record) ? record.uid : record.pid)
  const uids = new Set(records.map(pageOf).filter((uid) => uid !== 0))
  const names = capabilities.tree ? await pathsOf(cms, actor, [...uids]) : new Map<RecordId, string>()
  return (record) => {
    const notes = marks([stateOf(record, capabilities), true], languageMark(record, capabilities, languages))
    const name = names.get(pageOf(record))
    const place = name ? `${isPage(record) ? 'path' : 'on'} ${name}` : placeOf(record)
    return `[${record.uid}] ${quoted(record.title)}${notes}, ${place}`
  }
}

const placeOf = ({ pid }: CmsRecord) => (pid !== 0 ? `on page [${pid}]` : 'on no page')

/** The state in the words of the CMS where it has some, else whether visitors see the record. */
function stateOf({ hidden, fields }: CmsRecord, { publishing }: Capabilities): string {
  const state = publishing && fields[publishing.field]
  if (typeof state === 'string' && state !== '') return state
  return hidden ? 'hidden' : 'visible'
}

/** The language of a record, where each record has one of several. */
function languageMark(
  { language }: CmsRecord,
  { locales }: Capabilities,
  languages: Language[],
): [string, boolean] {
  const own = languages.find(({ id }) => id === language)
  return [own?.title ?? '', locales === 'record' && languages.length > 1 && own !== undefined]
}

/** The paths of pages by uid: `Home > Products [2]`. Many come from the page tree, which lacks translations of pages. */
async function pathsOf(cms: Cms, actor: Actor, uids: RecordId[]): Promise<Map<RecordId, string>> {
  const inTree = uids.length > mostPages ? await cms.pageTree(actor, tree) : []
  const paths = new Map<RecordId, string>()
  for (const { uid, title, parent } of inTree) {
    const above = paths.get(parent)
    paths.set(uid, above === undefined ? title : `${above} > ${title}`)
  }
  const others = uids.filter((uid) => !paths.has(uid)).slice(0, mostPages)
  const pages = await Promise.all(others.map((uid) => cms.page(actor, { uid })))
  for (const page of pages) if (page) paths.set(page.uid, page.path.map(({ title }) => title).join(' > '))
  return new Map([...paths].map(([uid, path]) => [uid, `${path} [${uid}]`]))
}
