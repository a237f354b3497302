import { z } from 'zod'
import type { TreePage } from '../cms/cms.ts'
import { Uid } from './parameter.ts'
import { reads } from './tool.ts'
import { count, marks, missing, pathOf, quoted } from './words.ts'

/** More pages than a model can use at once. */
const most = 400

export const getPageTree = reads({
  name: 'get_page_tree',
  title: { en: 'Page tree', de: 'Seitenbaum' },
  description:
    'The page tree of the website below a page, with the title and uid of each page. Use it to find pages by their place, or to see how the site is built.',
  parameters: z.strictObject({
    root: Uid.default(1).describe('Uid of the page to start at; 1 is the home page'),
    depth: z.int().min(1).max(10).default(3).describe('How many levels below it, 1-10'),
  }),
  dataClass: 'internal',
  adminOnly: false,
  async run({ root, depth }, { actor, cms }) {
    const page = await cms.page(actor, root)
    if (!page) throw missing(`Page ${root}`)
    const tree = await cms.pageTree(actor, { root, depth, limit: most + 1 })
    const below = tree.filter(({ uid }) => uid !== root).slice(0, most)
    const top = Math.min(...below.map((entry) => entry.depth))
    const lines = [
      `Page ${quoted(page.title)} [${root}]${page.path.length > 1 ? `, path: ${pathOf(page)}` : ''}`,
      `${count(below.length, 'page')} below it, ${count(depth, 'level')} deep:`,
      ...below.map((entry) => line(entry, top)),
    ]
    if (below.some((entry) => entry.depth - top + 1 === depth && entry.hasChildren))
      lines.push('(+): has more pages below; call again with that uid as root, or a larger depth.')
    if (tree.length > most)
      lines.push(`Only the first ${most} pages are shown; call again with a page as root.`)
    return lines.join('\n')

    function line(entry: TreePage, top: number): string {
      const level = entry.depth - top
      const more = level + 1 === depth && entry.hasChildren
      const notes = marks(['hidden', entry.hidden], ['no right to edit', !entry.mayEdit], ['+', more])
      return `${'  '.repeat(level)}- ${entry.title} [${entry.uid}]${notes}`
    }
  },
})
