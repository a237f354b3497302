import * as z from 'zod'
import { homeOf } from '../../cms/capabilities.ts'
import type { TreePage } from '../../cms/schema.ts'
import { count, marks, missing, pathOf, quoted } from '../format.ts'
import { Root } from '../schema.ts'
import { reads } from '../tool.ts'

/** A model cannot use more pages at once. */
const most = 400

/** `get_page_tree`: the pages that the user may show. */
export const getPageTree = reads({
  name: 'get_page_tree',
  sign: 'list',
  source: 'tree',
  words: { en: { title: 'Page tree', did: 'Read the page tree', doing: 'Reading the page tree' } },
  description:
    'The pages of the website below a page, each with its title and uid. Use it to find a page by its place.',
  parameters: z.strictObject({
    root: Root.optional().describe('Where to begin; 0: above all pages; absent: where the site begins'),
    depth: z.int().min(1).max(10).default(3).describe('Levels below it'),
  }),
  dataClass: 'internal',
  adminOnly: false,
  suits: ({ tree }) => tree !== null,
  async run({ root: given, depth }, { actor, cms }) {
    const capabilities = await cms.capabilities()
    const wanted = given ?? homeOf(capabilities) ?? 0
    const root = wanted === '0' ? 0 : wanted
    const page = root !== 0 ? await cms.page(actor, { uid: root }) : undefined
    if (root !== 0 && !page)
      throw missing(`Page ${root}`, 'With root 0 you get the topmost pages that the user may see.')
    const found = await cms.pageTree(actor, { root, depth, limit: most + 1 })
    const pages = found.slice(0, most)
    const hasMore = (entry: TreePage) => entry.depth === depth && entry.hasChildren
    const lines = [
      page ? `Page ${quoted(page.title)} [${root}], path: ${pathOf(page)}` : 'The whole site',
      `${count(pages.length, 'page')} below, ${count(depth, 'level')} deep:`,
      ...pages.map((entry) => line(entry, hasMore(entry))),
    ]
    if (pages.some(hasMore)) lines.push('(+): has more pages below; call again with its uid as root.')
    if (found.length > most)
      lines.push(`Only the first ${most} pages are shown; call again with a smaller depth or a page as root.`)
    const records = [...(page ? [page] : []), ...pages].map(({ uid, title }) => ({
      table: capabilities.tree?.pages ?? '',
      uid,
      title,
    }))
    return { text: lines.join('\n'), records }
  },
})

function line(page: TreePage, hasMore: boolean): string {
  const notes = marks(['hidden', page.hidden], ['no right to edit', !page.mayEdit], ['+', hasMore])
  return `${'  '.repeat(page.depth - 1)}- ${page.title} [${page.uid}]${notes}`
}
