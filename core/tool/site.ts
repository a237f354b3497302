import type { Actor } from '../base/actor.ts'
import type { Cms } from '../cms/cms.ts'
import type { CmsRecord, Field, Value } from '../cms/schema.ts'

/** Reads many records through the paginated lists of the CMS, up to a limit. */

/** Page size of a list request. */
const atOnce = 100

/** Reads the records of a table that the actor may see, up to a limit; `isWhole` is false if there are more. */
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

/** Yields pages of the records that the actor may see, each with the total number of records. */
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

/** The texts of a record that may contain markup or an address, each with the name of its field. */
export function textsOf(record: CmsRecord): { field: string; text: string }[] {
  return Object.entries(record.fields).flatMap(([field, value]) => {
    const nested = value && typeof value === 'object' ? JSON.stringify(value) : ''
    const text = typeof value === 'string' ? value : nested
    return text ? [{ field, text }] : []
  })
}

/** The targets of the links in a text with markup. */
export function linksIn(text: string): string[] {
  return [
    ...text.matchAll(/<a\b[^<>]{0,2000}?\bhref\s*=\s*\\?(?:"([^"\\]{0,2000})|'([^'\\]{0,2000}))/gi),
  ].map(([, double, single]) => (double ?? single ?? '').trim())
}

/** The ids that the value of a field refers to, as text. */
export function uidsIn(field: Field, value: Value | undefined): string[] {
  if (field.kind !== 'relation' && field.kind !== 'media') return []
  const list = Array.isArray(value) ? value : String(value ?? '').split(',')
  return list.flatMap((entry) => {
    const id = entry && typeof entry === 'object' && 'uid' in entry ? entry.uid : entry
    const text = typeof id === 'number' || typeof id === 'string' ? String(id).trim() : ''
    return text === '' || text === '0' ? [] : [text]
  })
}
