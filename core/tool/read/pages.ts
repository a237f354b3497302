import * as z from 'zod'
import type { TextOf } from '../../base/html-text.ts'
import type { CmsRecord, Language, TreePage } from '../../cms/schema.ts'
import { count, marks, missing, nameOf, pathOf, quoted, recordLine, when } from '../format.ts'
import { Root, Uid } from '../schema.ts'
import { homeOf, leadsTo, parametersIn, placeOf, recordsOf } from '../site.ts'
import { reads, type ToolContext } from '../tool.ts'

/** The maximum number of pages in one result, because a model cannot use more at once. */
const mostPages = 400

/** `get_page_tree`: lists the pages that the user may see. */
export const getPageTree = reads({
  name: 'get_page_tree',
  sign: 'list',
  source: 'tree',
  en: { title: 'Page tree', did: 'Read the page tree', doing: 'Reading the page tree' },
  description:
    'The pages of the website below a page, each with its title and uid. Use it to find a page by its place.',
  parameters: z.strictObject({
    root: Root.optional().describe('Where to begin; 0: above all pages; absent: where the site begins'),
    depth: z.int().min(1).max(10).default(3).describe('Levels below it'),
  }),
  suits: ({ tree }) => tree !== null,
  async run({ root: given, depth }, { actor, cms }) {
    const capabilities = await cms.capabilities()
    const wanted = given ?? homeOf(capabilities) ?? 0
    const root = wanted === '0' ? 0 : wanted
    const page = root !== 0 ? await cms.page(actor, { uid: root }) : undefined
    if (root !== 0 && !page)
      throw missing(`Page ${root}`, 'With root 0 you get the topmost pages that the user may see.')
    const found = await cms.pageTree(actor, { root, depth, limit: mostPages + 1 })
    const pages = found.slice(0, mostPages)
    const hasMore = (entry: TreePage) => entry.depth === depth && entry.hasChildren
    const lines = [
      page ? `Page ${quoted(page.title)} [${root}], path: ${pathOf(page)}` : 'The whole site',
      `${count(pages.length, 'page')} below, ${count(depth, 'level')} deep:`,
      ...pages.map((entry) => treeLine(entry, hasMore(entry))),
    ]
    if (pages.some(hasMore)) lines.push('(+): has more pages below; call again with its uid as root.')
    if (found.length > mostPages)
      lines.push(
        `Only the first ${mostPages} pages are shown; call again with a smaller depth or a page as root.`,
      )
    const records = [...(page ? [page] : []), ...pages].map(({ uid, title }) => ({
      table: capabilities.tree?.pages ?? '',
      uid,
      title,
    }))
    return { text: lines.join('\n'), records }
  },
})

function treeLine(page: TreePage, hasMore: boolean): string {
  const notes = marks(['hidden', page.hidden], ['no right to edit', !page.mayEdit], ['+', hasMore])
  return `${'  '.repeat(page.depth - 1)}- ${page.title} [${page.uid}]${notes}`
}

/** `get_page_content`: lists the content elements of a page. */
export const getPageContent = reads({
  name: 'get_page_content',
  sign: 'page',
  source: 'record',
  en: { title: 'Page content', did: 'Read page content', doing: 'Reading page content' },
  description:
    'What stands on a page: its title, path, state, address and all content elements as plain text, each with its uid, hidden ones marked.',
  parameters: z.strictObject({ page: Uid }),
  suits: ({ tree }) => tree !== null && tree.content !== null,
  async run({ page: uid }, { actor, cms }) {
    const [page, elements, languages, { tree }] = await Promise.all([
      cms.page(actor, { uid }),
      cms.pageContent(actor, { uid }),
      cms.languages(),
      cms.capabilities(),
    ])
    if (!page || !elements) throw missing(`Page ${uid}`)
    const { textOf } = await import('../../base/html-text.ts')
    const hidden = elements.filter((element) => element.hidden).length
    const head = [
      `Page ${quoted(page.title)} [${uid}]${marks(['hidden', page.hidden])}`,
      `Path: ${pathOf(page)}`,
      `Address: ${page.addresses[0] ?? 'none'}`,
      `Changed: ${when(page.changedAt)}${page.changedBy ? ` by ${page.changedBy}` : ''}`,
      `The user ${page.mayEdit ? 'may' : 'may not'} edit this page.`,
      `${count(elements.length, 'content element')}${hidden > 0 ? `, ${hidden} of them hidden` : ''}`,
    ]
    const parts = elements.map((element) => elementLines(element, languages, textOf))
    const own = { table: tree?.pages ?? '', uid, title: page.title }
    return { text: [head.join('\n'), ...parts].join('\n\n'), records: [own, ...elements.map(nameOf)] }
  },
})

function elementLines(element: CmsRecord, languages: Language[], textOf: TextOf): string {
  const { type, header, body } = element.fields
  const language = languages.find(({ id }) => id === element.language)
  const foreign = language !== undefined && language.id !== languages[0]?.id
  const notes = marks(['hidden', element.hidden], [language?.title ?? '', foreign])
  const title = header ? ` ${quoted(String(header))}` : ''
  const text = textOf(String(body ?? ''))
  return `${element.table} [${element.uid}] ${type ?? 'element'}${title}${notes}${text && `\n${text}`}`
}

/** `find_page_by_address`: finds the page of a web address. */
export const findPageByAddress = reads({
  name: 'find_page_by_address',
  sign: 'page',
  source: 'record',
  en: { title: 'Page of an address', did: 'Looked up an address', doing: 'Looking up an address' },
  description: 'The page that a web address or path leads to. get_page_content says the address of a page.',
  parameters: z.strictObject({
    address: z.string().trim().min(1).max(2_000).describe('https://example.com/products or /products'),
  }),
  suits: ({ addresses }) => addresses !== null,
  async run({ address: given }, context) {
    const { addresses, tree } = await context.cms.capabilities()
    if (!addresses) throw missing(`A page with the address ${quoted(given)}`)
    const address = /^(?:https?:\/)?\//i.test(given) ? given : `/${given}`
    const isPages = (type: string) => type === tree?.pages
    const types = [...addresses.types.filter(isPages), ...addresses.types.filter((type) => !isPages(type))]
    const { found, place } = await recordsAt(context, address, types)
    if (found.length === 0) throw missing(`A page with the address ${quoted(place)}`)
    const lines = found.map((record) => {
      const kind = isPages(record.table) ? 'Page' : `Record ${record.table}`
      return `${kind} ${recordLine(record)} has the address ${place}.`
    })
    return { text: lines.join('\n'), records: found.map(nameOf) }
  },
})

/** Returns the records at an address, from the first type that has records there; `place` is the normalized address. */
async function recordsAt(
  context: ToolContext,
  address: string,
  types: readonly string[],
): Promise<{ found: CmsRecord[]; place: string }> {
  let place = placeOf(address, new Set())
  for (const type of types) {
    const { records } = await recordsOf(context, type)
    place = placeOf(address, parametersIn(records.flatMap(({ addresses }) => addresses)))
    const found = records.filter((record) => leadsTo({ address }, record))
    if (found.length > 0) return { found, place }
  }
  return { found: [], place }
}
