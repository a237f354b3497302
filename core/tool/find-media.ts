import * as z from 'zod'
import { mediaTables } from '../cms/media.ts'
import type { CmsRecord, Table } from '../cms/schema.ts'
import { count, missing, nameOf, quoted } from './format.ts'
import { Limit } from './schema.ts'
import { recordsOf, textsOf, uidsIn } from './site.ts'
import { reads } from './tool.ts'

/** The most records of one table that are looked at. */
const mostRecords = 5_000

/** The names that CMSs give to the alternative text of a picture. */
const alternatives = ['alternative', 'alt', 'alt_text']

/** `find_media`: pictures and other files of the CMS, by name, folder, use and missing alternative text. */
export const findMedia = reads({
  name: 'find_media',
  sign: 'image',
  source: 'named',
  words: {
    en: { title: 'Pictures and files of the site', did: 'Looked for media', doing: 'Looking for media' },
    de: { title: 'Bilder und Dateien der Website', did: 'Medien gesucht', doing: 'Sucht Medien' },
  },
  description:
    'Pictures and other files among the records of the CMS, each with its uid and alternative text. With missing_alternative only those without an alternative text, with unused only those that no record names. update_record changes title and alternative text, attach_media puts a file into a record.',
  parameters: z.strictObject({
    text: z
      .string()
      .trim()
      .min(1)
      .max(200)
      .optional()
      .describe('Words in the name, the folder or another text of the file'),
    missing_alternative: z.boolean().default(false),
    unused: z.boolean().default(false),
    limit: Limit,
  }),
  dataClass: 'internal',
  adminOnly: false,
  suits: ({ media }) => media,
  async run({ text, missing_alternative: isMissing, unused, limit }, { actor, cms, signal }) {
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
  },
})

/** Names of the files that a media field of some record names. */
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

/** The alternative text; undefined where a file of this kind has none. */
function alternativeOf({ fields }: CmsRecord): string | undefined {
  const name = alternatives.find((alternative) => alternative in fields)
  return name === undefined ? undefined : String(fields[name] ?? '').trim()
}

function line(record: CmsRecord): string {
  const alternative = alternativeOf(record)
  const words =
    alternative === undefined
      ? ''
      : alternative
        ? `, alternative text ${quoted(alternative)}`
        : ', no alternative text'
  const file = ['file', 'filename']
    .map((name) => record.fields[name])
    .find((name) => typeof name === 'string')
  return `- ${record.table} [${record.uid}] ${quoted(record.title)}${file ? `, ${file}` : ''}${words}`
}
