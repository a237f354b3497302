import { mediaTables } from '../cms/media.ts'
import type { CmsRecord, Table } from '../cms/schema.ts'
import { count, missing, nameOf, quoted } from './format.ts'
import { recordsOf, textsOf, uidsIn } from './site.ts'
import type { Found, ToolContext } from './tool.ts'

/** The search reads at most this many records of one table. */
const mostRecords = 5_000

/** The names that CMSs give to the alternative text of a picture. */
const alternatives = ['alternative', 'alt', 'alt_text']

/** The search arguments of `find_media`. */
type Wanted = { text?: string | undefined; missing_alternative: boolean; unused: boolean; limit: number }

/** Runs `find_media`; the tool imports this file when it is called. */
export async function searchMedia(
  { text, missing_alternative: isMissing, unused, limit }: Wanted,
  { actor, cms, signal }: ToolContext,
): Promise<string | Found> {
  const tables = await cms.tables(actor)
  const kinds = mediaTables(tables)
  const own = tables.filter(({ name }) => kinds.has(name))
  if (own.length === 0) throw missing('A table of media')
  const found = await Promise.all(own.map(({ name }) => recordsOf(cms, actor, name, mostRecords, signal)))
  const used = unused
    ? await usedIn(tables, (name) => recordsOf(cms, actor, name, mostRecords, signal))
    : undefined
  const words = (text ?? '').toLowerCase().split(/\s+/).filter(Boolean)
  const wanted = found
    .flatMap(({ records }) => records)
    .filter((record) => words.every((word) => says(record, word)))
    .filter((record) => !isMissing || alternativeOf(record) === '')
    .filter(({ table, uid }) => !used?.has(`${table}:${uid}`))
  if (wanted.length === 0) return 'No file that the user may see is like that.'
  const head = `${count(wanted.length, 'file')}${found.every(({ isWhole }) => isWhole) ? '' : `, among the first ${mostRecords}`}:`
  const shown = wanted.slice(0, limit)
  const more = wanted.length > limit ? ['There are more: raise limit (at most 100).'] : []
  return { text: [head, ...shown.map(line), ...more].join('\n'), records: shown.map(nameOf) }
}

/** Finds the names of files that a media field of any record uses. */
async function usedIn(
  tables: Table[],
  records: (table: string) => Promise<{ records: CmsRecord[] }>,
): Promise<Set<string>> {
  const used = new Set<string>()
  for (const { name, fields } of tables) {
    const media = fields.filter(({ kind }) => kind === 'media')
    if (media.length === 0) continue
    for (const record of (await records(name)).records)
      for (const field of media)
        for (const uid of uidsIn(field, record.fields[field.name])) used.add(`${field.target}:${uid}`)
  }
  return used
}

const says = (record: CmsRecord, word: string) =>
  [record.title, ...textsOf(record).map(({ text }) => text)].some((text) => text.toLowerCase().includes(word))

/** The alternative text; undefined if a file of this kind has none. */
function alternativeOf({ fields }: CmsRecord): string | undefined {
  const name = alternatives.find((alternative) => alternative in fields)
  return name === undefined ? undefined : String(fields[name] ?? '').trim()
}

function line(record: CmsRecord): string {
  const alternative = alternativeOf(record)
  const known = alternative ? `, alternative text ${quoted(alternative)}` : ', no alternative text'
  const words = alternative === undefined ? '' : known
  const file = ['file', 'filename']
    .map((name) => record.fields[name])
    .find((name) => typeof name === 'string')
  return `- ${record.table} [${record.uid}] ${quoted(record.title)}${file ? `, ${file}` : ''}${words}`
}
