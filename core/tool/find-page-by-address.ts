import * as z from 'zod'
import { missing, nameOf, quoted, recordLine } from './format.ts'
import { addressOf, pageTables, pathOf, recordsOf } from './site.ts'
import { reads } from './tool.ts'

const mostPages = 5_000

/** `find_page_by_address`: the page behind a web address, or the address of a page. */
export const findPageByAddress = reads({
  name: 'find_page_by_address',
  sign: 'page',
  source: 'record',
  words: {
    en: { title: 'Page of an address', did: 'Looked up an address', doing: 'Looking up an address' },
    de: { title: 'Seite einer Adresse', did: 'Adresse nachgesehen', doing: 'Sieht eine Adresse nach' },
  },
  description:
    'The page that a web address leads to, by its path (https://example.com/products or /products). get_page_content says the address of a page whose uid is known.',
  parameters: z.strictObject({
    address: z.string().trim().min(1).max(2_000).describe('Web address or path'),
  }),
  dataClass: 'internal',
  adminOnly: false,
  async run({ address }, { actor, cms, signal }) {
    const { pages } = await pageTables(cms)
    if (!pages) throw missing('A type of pages')
    const { records } = await recordsOf(cms, actor, pages, mostPages, signal)
    const wanted = pathOf(/^https?:\/\//i.test(address) || address.startsWith('/') ? address : `/${address}`)
    const found = records.filter((page) => addressOf(page) === wanted)
    if (found.length === 0) throw missing(`A page with the address ${quoted(wanted)}`)
    return {
      text: found.map((page) => `Page ${recordLine(page)} has the address ${wanted}.`).join('\n'),
      records: found.map(nameOf),
    }
  },
})
