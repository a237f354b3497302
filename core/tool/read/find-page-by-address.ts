import * as z from 'zod'
import type { CmsRecord } from '../../cms/schema.ts'
import { leadsTo, parametersIn, placeOf } from '../address.ts'
import { missing, nameOf, quoted, recordLine } from '../format.ts'
import { recordsOf } from '../site.ts'
import { reads, type ToolContext } from '../tool.ts'

const mostPages = 5_000

/** `find_page_by_address`: the page behind a web address, or the address of a page. */
export const findPageByAddress = reads({
  name: 'find_page_by_address',
  sign: 'page',
  source: 'record',
  words: { en: { title: 'Page of an address', did: 'Looked up an address', doing: 'Looking up an address' } },
  description: 'The page that a web address or path leads to. get_page_content says the address of a page.',
  parameters: z.strictObject({
    address: z.string().trim().min(1).max(2_000).describe('https://example.com/products or /products'),
  }),
  dataClass: 'internal',
  adminOnly: false,
  suits: ({ addresses }) => addresses !== null,
  async run({ address: given }, context) {
    const { addresses, tree } = await context.cms.capabilities()
    if (!addresses) throw missing(`A page with the address ${quoted(given)}`)
    const address = /^(?:https?:\/)?\//i.test(given) ? given : `/${given}`
    const isPages = (type: string) => type === tree?.pages
    const types = [...addresses.types.filter(isPages), ...addresses.types.filter((type) => !isPages(type))]
    const { found, place } = await recordsAt(address, types, context)
    if (found.length === 0) throw missing(`A page with the address ${quoted(place)}`)
    const lines = found.map((record) => {
      const kind = isPages(record.table) ? 'Page' : `Record ${record.table}`
      return `${kind} ${recordLine(record)} has the address ${place}.`
    })
    return { text: lines.join('\n'), records: found.map(nameOf) }
  },
})

/** Finds the records at an address, of the first type that has one there. Also answers the normalized address. */
async function recordsAt(
  address: string,
  types: readonly string[],
  { actor, cms, signal }: ToolContext,
): Promise<{ found: CmsRecord[]; place: string }> {
  let place = placeOf(address, new Set())
  for (const type of types) {
    const { records } = await recordsOf(cms, actor, type, mostPages, signal)
    place = placeOf(address, parametersIn(records.flatMap(({ addresses }) => addresses)))
    const found = records.filter((record) => leadsTo({ address }, record))
    if (found.length > 0) return { found, place }
  }
  return { found: [], place }
}
