import type { Actor } from '../actor.ts'
import type { Cms } from '../cms/cms.ts'
import type { CmsRecord, Field, Value } from '../cms/schema.ts'

/** How tools look over many records: by the lists that every CMS answers, page by page, up to a bound. */

/** How many records are asked for at once. */
const atOnce = 100

/** The records of a table that the actor may see, at most so many; `isWhole` is false where there are more. */
export async function recordsOf(
  cms: Cms,
  actor: Actor,
  table: string,
  most: number,
  signal: AbortSignal,
): Promise<{ records: CmsRecord[]; isWhole: boolean }> {
  const records: CmsRecord[] = []
  for await (const found of listed(cms, actor, table, signal)) {
    records.push(...found.records)
    if (records.length >= most && records.length < found.total)
      return { records: records.slice(0, most), isWhole: false }
  }
  return { records, isWhole: true }
}

/** The records of a table that the actor may see, some at a time, each time with how many there are in all. */
export async function* listed(
  cms: Cms,
  actor: Actor,
  table: string,
  signal: AbortSignal,
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

/** The types of the pages and of the elements on them; a CMS without a tree has pages where its look around begins. */
export async function pageTables(
  cms: Cms,
): Promise<{ pages: string | undefined; content: string | undefined }> {
  const { tree, home, types } = await cms.capabilities()
  return { pages: tree?.pages ?? home?.table ?? types[0]?.name, content: tree?.content ?? undefined }
}

/** The address of a page within the site, as links name it: `/products`, the home page `/`. */
export function addressOf(record: CmsRecord): string | undefined {
  const slug = record.fields.slug
  return typeof slug === 'string' ? pathOf(slug.startsWith('/') ? slug : `/${slug}`) : undefined
}

/** The path of an address without host, query, fragment and trailing slash. */
export function pathOf(address: string): string {
  const path = URL.parse(address, 'http://site.invalid')?.pathname ?? address
  return decoded(path).replace(/\/+$/, '').toLowerCase() || '/'
}

function decoded(path: string): string {
  try {
    return decodeURI(path)
  } catch {
    return path
  }
}

/** Everything in the record that may hold markup or an address: each text with the name of its field. */
export function textsOf(record: CmsRecord): { field: string; text: string }[] {
  return Object.entries(record.fields).flatMap(([field, value]) => {
    const text =
      typeof value === 'string' ? value : value && typeof value === 'object' ? JSON.stringify(value) : ''
    return text ? [{ field, text }] : []
  })
}

/** The targets of the links in a text with markup. */
export function linksIn(text: string): string[] {
  return [
    ...text.matchAll(/<a\b[^<>]{0,2000}?\bhref\s*=\s*\\?(?:"([^"\\]{0,2000})|'([^'\\]{0,2000}))/gi),
  ].map(([, double, single]) => (double ?? single ?? '').trim())
}

/** The ids that a field points at with its value, as text. */
export function uidsIn(field: Field, value: Value | undefined): string[] {
  if (field.kind !== 'relation' && field.kind !== 'media') return []
  const list = Array.isArray(value) ? value : String(value ?? '').split(',')
  return list.flatMap((entry) => {
    const id = entry && typeof entry === 'object' && 'uid' in entry ? entry.uid : entry
    const text = typeof id === 'number' || typeof id === 'string' ? String(id).trim() : ''
    return text === '' || text === '0' ? [] : [text]
  })
}
