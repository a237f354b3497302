import * as z from 'zod'
import type { TextOf } from '../../base/html-text.ts'
import type { CmsRecord, Language } from '../../cms/schema.ts'
import { count, marks, missing, nameOf, pathOf, quoted, when } from '../format.ts'
import { Uid } from '../schema.ts'
import { reads } from '../tool.ts'

/** `get_page_content`: the content elements of a page. */
export const getPageContent = reads({
  name: 'get_page_content',
  sign: 'page',
  source: 'record',
  words: { en: { title: 'Page content', did: 'Read page content', doing: 'Reading page content' } },
  description:
    'What stands on a page: its title, path, state, address and all content elements as plain text, each with its uid, hidden ones marked.',
  parameters: z.strictObject({ page: Uid }),
  dataClass: 'internal',
  adminOnly: false,
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
    const parts = elements.map((element) => describe(element, languages, textOf))
    const own = { table: tree?.pages ?? '', uid, title: page.title }
    return { text: [head.join('\n'), ...parts].join('\n\n'), records: [own, ...elements.map(nameOf)] }
  },
})

function describe(element: CmsRecord, languages: Language[], textOf: TextOf): string {
  const { type, header, body } = element.fields
  const language = languages.find(({ id }) => id === element.language)
  const foreign = language !== undefined && language.id !== languages[0]?.id
  const notes = marks(['hidden', element.hidden], [language?.title ?? '', foreign])
  const title = header ? ` ${quoted(String(header))}` : ''
  const text = textOf(String(body ?? ''))
  return `${element.table} [${element.uid}] ${type ?? 'element'}${title}${notes}${text && `\n${text}`}`
}
