import type { Capabilities } from '../cms/capabilities.ts'
import type { CmsRecord, Field, Value } from '../cms/schema.ts'
import type { ToolContext } from './tool.ts'

/** Reads many records through the lists of the CMS, and finds the targets of their links within the website. */

/** The number of records in one list request. */
const atOnce = 100

/** The maximum number of records of one table that a search reads. */
export const mostRecords = 5_000

type ListContext = Pick<ToolContext, 'cms' | 'actor' | 'signal'>

/** Returns the records of a table that the actor may see, up to the limit; `isWhole` is false if there are more. */
export async function recordsOf(
  context: ListContext,
  table: string,
): Promise<{ records: CmsRecord[]; isWhole: boolean }> {
  const records: CmsRecord[] = []
  for await (const found of listed(context, table)) {
    records.push(...found.records)
    if (records.length >= mostRecords && records.length < found.total)
      return { records: records.slice(0, mostRecords), isWhole: false }
  }
  return { records, isWhole: true }
}

/** Yields the records of a table that the actor may see, one list request at a time, each with the total number. */
export async function* listed(
  { cms, actor, signal }: ListContext,
  table: string,
): AsyncGenerator<{ records: CmsRecord[]; total: number }> {
  for (let offset = 0; ; ) {
    signal.throwIfAborted()
    const found = await cms.list(actor, { table, limit: atOnce, offset })
    if (!found || found.records.length === 0) return
    yield found
    offset += found.records.length
    if (offset >= found.total) return
  }
}

/** Returns the texts of a record that may contain markup or an address, each with its field name. */
export function textsOf(record: CmsRecord): { field: string; text: string }[] {
  return Object.entries(record.fields).flatMap(([field, value]) => {
    const nested = value && typeof value === 'object' ? JSON.stringify(value) : ''
    const text = typeof value === 'string' ? value : nested
    return text ? [{ field, text }] : []
  })
}

/** Returns the link targets in a text with markup. */
export function linksIn(text: string): string[] {
  return [
    ...text.matchAll(/<a\b[^<>]{0,2000}?\bhref\s*=\s*\\?(?:"([^"\\]{0,2000})|'([^'\\]{0,2000}))/gi),
  ].map(([, double, single]) => (double ?? single ?? '').trim())
}

/** Returns the ids that the value of a field refers to, as text. */
export function uidsIn(field: Field, value: Value | undefined): string[] {
  if (field.kind !== 'relation' && field.kind !== 'media') return []
  const list = Array.isArray(value) ? value : String(value ?? '').split(',')
  return list.flatMap((entry) => {
    const id = entry && typeof entry === 'object' && 'uid' in entry ? entry.uid : entry
    const text = typeof id === 'number' || typeof id === 'string' ? String(id).trim() : ''
    return text === '' || text === '0' ? [] : [text]
  })
}

/** The target of a link: a record by its id, or an address of the website with its query. */
export type Target = { type: string | undefined; uid: string } | { address: string }

/** Returns the target of a link in a text; undefined if the link leaves the website. */
export function targetOf(
  { addresses, tree }: Pick<Capabilities, 'addresses' | 'tree'>,
  link: string,
): Target | undefined {
  const href = link.replaceAll('&amp;', '&')
  const [, kind = '', query = ''] = href.match(/^t3:\/\/(page|file|record)\?(.*)$/i) ?? []
  if (kind) {
    const asked = new URLSearchParams(query)
    const named = kind === 'file' ? 'sys_file' : asked.get('identifier')
    const type = kind === 'page' ? tree?.pages : named
    return { type: type ?? undefined, uid: asked.get('uid') ?? '' }
  }
  return addresses && isWithin(addresses.origins, href) ? { address: href } : undefined
}

/** True for a link within the website. Compares only hosts, because an http link also leads to an https site. */
function isWithin(origins: readonly string[], href: string): boolean {
  if (/^\/(?!\/)/.test(href)) return true
  if (!/^(?:https?:)?\/\//i.test(href)) return false
  const host = URL.parse(href, 'http://site.invalid')?.host
  return origins.some((origin) => URL.parse(origin)?.host === host)
}

/** Returns the query parameters that identify records in addresses: `page_id` of `/?page_id=6`. */
export function parametersIn(addresses: readonly string[]): Set<string> {
  return new Set(addresses.flatMap((address) => [...(parse(address)?.searchParams.keys() ?? [])]))
}

/**
 * Returns the part of an address that identifies a page: the path without host, fragment and trailing slash, and the
 * parameters that identify a record. The home page is `/`.
 */
export function placeOf(address: string, parameters: ReadonlySet<string>): string {
  const { pathname = address, searchParams } = parse(address) ?? {}
  const path = decoded(pathname).replace(/\/+$/, '').toLowerCase() || '/'
  const naming = [...(searchParams ?? [])].filter(([name]) => parameters.has(name))
  return naming.length === 0 ? path : `${path}?${new URLSearchParams(naming)}`
}

/** Returns true if the link leads to this record. */
export function leadsTo(target: Target, { table, uid, addresses }: CmsRecord): boolean {
  if ('uid' in target) return target.type === table && target.uid === String(uid)
  const parameters = parametersIn(addresses)
  const place = placeOf(target.address, parameters)
  return addresses.some((address) => placeOf(address, parameters) === place)
}

const parse = (address: string) => URL.parse(address, 'http://site.invalid')

function decoded(path: string): string {
  try {
    return decodeURI(path)
  } catch {
    return path
  }
}
