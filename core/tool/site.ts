import type { Capabilities } from '../cms/capabilities.ts'
import type { CmsRecord, Field, Table } from '../cms/schema.ts'
import type { RecordId } from '../conversation/schema.ts'
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

/** Yields the records of a table that the actor may see, one list request at a time, with their total. */
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

/** Returns the link targets in a text: of its markup, and of the links in the parts of an editor. */
export const linksIn = (text: string): string[] => [
  ...addressesIn(text, /<a\b[^<>]{0,2000}?\bhref\s*=\s*\\?(?:"([^"\\]{0,2000})|'([^'\\]{0,2000}))/gi),
  ...addressesIn(text, /"url":"([^"\\]{0,2000})"/g),
]

/** Returns the addresses of the pictures in a text with markup. */
const picturesIn = (text: string): string[] =>
  addressesIn(text, /<img\b[^<>]{0,2000}?\bsrc\s*=\s*\\?(?:"([^"\\]{0,2000})|'([^'\\]{0,2000}))/gi)

const addressesIn = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map(([, double, single]) => (double ?? single ?? '').trim())

/** The target of a link: a record by its id, or an address of the website with its query. */
export type Target = { type: string | undefined; uid: string } | { address: string }

/** A target that a record refers to, and the way in words: a relation, a file, a link or a picture. */
type Reference = { target: Target; way: string }

/**
 * Calls `take` for each record of the tables, with its references to other records. Plain ids within the parts of an
 * editor are not among them, because the CMS does not say their types. Returns the limits of the search as sentences
 * for a model; empty if nothing was left out.
 */
export async function searchReferences(
  context: ToolContext,
  tables: readonly Table[],
  website: Pick<Capabilities, 'addresses' | 'tree'>,
  take: (record: CmsRecord, references: Reference[]) => void,
): Promise<string> {
  let isWhole = true
  for (const table of tables) {
    const found = await recordsOf(context, table.name)
    isWhole &&= found.isWhole
    for (const record of found.records) take(record, referencesOf(record, table, website))
  }
  return boundOf(tables, website, isWhole)
}

function referencesOf(
  record: CmsRecord,
  { fields }: Pick<Table, 'fields'>,
  website: Pick<Capabilities, 'addresses' | 'tree'>,
): Reference[] {
  const named = fields.flatMap((field) =>
    recordsIn(field, record.fields[field.name]).map((target) => ({ target, way: `relation ${field.name}` })),
  )
  const addressed = textsOf(record).flatMap(({ field, text }) => [
    ...linksIn(text).map((href) => ({ target: targetOf(website, href), way: `link in ${field}` })),
    ...picturesIn(text).map((src) => ({ target: targetOf(website, src), way: `picture in ${field}` })),
  ])
  const known = addressed.flatMap(({ target, way }) => (target ? [{ target, way }] : []))
  return [...named, ...known].filter(({ target }) => !leadsTo(target, record))
}

function boundOf(
  tables: readonly Table[],
  { addresses }: Pick<Capabilities, 'addresses'>,
  isWhole: boolean,
): string {
  const hasParts = tables.some(({ fields }) => fields.some(({ kind }) => kind === 'blocks'))
  return [
    isWhole ? '' : ` Of large tables only the first ${mostRecords} records were looked at.`,
    addresses ? '' : ' Links by address are not known: this CMS does not say the addresses of its records.',
    hasParts ? ' Parts of a record that name another only by its number were not recognised.' : '',
  ].join('')
}

/** Returns the records that a value names by id: those of a relation or a file, and of relations within its parts. */
function recordsIn({ kind, target }: Pick<Field, 'kind' | 'target'>, value: unknown): Target[] {
  if (kind === 'relation' || kind === 'media') {
    const entries = typeof value === 'string' ? value.split(',') : [value].flat()
    return entries.flatMap((entry) => recordOf(entry, target))
  }
  if (value === null || typeof value !== 'object') return []
  if ('relationTo' in value) return recordOf(value, undefined)
  return Object.values(value).flatMap((part) => recordsIn({ kind, target }, part))
}

/** Returns the record of an entry: an id, an object with an id, or Payload's relation with its type. */
function recordOf(entry: unknown, type: string | undefined): Target[] {
  if (entry !== null && typeof entry === 'object') {
    const { relationTo = type, value, uid = value, id = uid } = entry as Record<string, unknown>
    return recordOf(id, relationTo === undefined ? undefined : String(relationTo))
  }
  const uid = typeof entry === 'number' || typeof entry === 'string' ? String(entry).trim() : ''
  return uid === '' || uid === '0' ? [] : [{ type, uid }]
}

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

/** Returns the home page in the page tree; null for a site without one. */
export const homeOf = ({ home, tree }: Pick<Capabilities, 'home' | 'tree'>): RecordId | null =>
  home !== null && home.table === tree?.pages ? home.uid : null

/** Returns the query parameters that identify records in addresses: `page_id` of `/?page_id=6`. */
export function parametersIn(addresses: readonly string[]): Set<string> {
  return new Set(addresses.flatMap((address) => [...(parse(address)?.searchParams.keys() ?? [])]))
}

/**
 * Returns the part of an address that identifies a page or file: the path without host, fragment, trailing slash and
 * the mark of a picture's other size. Parameters that identify a record stay. The home page is `/`.
 */
export function placeOf(address: string, parameters: ReadonlySet<string>): string {
  const { pathname = address, searchParams } = parse(address) ?? {}
  const whole = decoded(pathname).replace(/\/+$/, '').toLowerCase() || '/'
  const path = whole.replace(/-(?:scaled|\d+x\d+)(?=\.[a-z]+$)/, '')
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
