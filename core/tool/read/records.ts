import * as z from 'zod'
import type { TextOf } from '../../base/html-text.ts'
import { cut } from '../../base/safety/invisible.ts'
import type { Capabilities } from '../../cms/capabilities.ts'
import type { CmsRecord, Field, Language, Table } from '../../cms/schema.ts'
import type { RecordId } from '../../conversation/schema.ts'
import { count, marks, missing, moreLines, nameOf, quoted, shown, when } from '../format.ts'
import { Limit, TableName, Uid } from '../schema.ts'
import { reads, type ToolContext } from '../tool.ts'

/**
 * The maximum number of pages whose paths are requested one by one; more paths are read from the page tree in one
 * request.
 */
const mostPages = 25
/** The part of the page tree that is read for paths. */
const tree = { root: 0, depth: 20, limit: 5_000 }

/**
 * Returns a function that describes a record on one line with its state, language and place: `[12] “Aurora lamp”
 * (hidden, English), on Home > Products [2]`. The caller passes the languages, because it can request them together
 * with the records.
 */
async function recordLines(
  context: ToolContext,
  records: CmsRecord[],
  languages: Language[],
): Promise<(record: CmsRecord) => string> {
  const capabilities = await context.cms.capabilities()
  const isPage = ({ table }: CmsRecord) => table === capabilities.tree?.pages
  /** Returns the page that gives a record's path; for a page, the page itself. */
  const pageOf = (record: CmsRecord): RecordId => (isPage(record) ? record.uid : record.pid)
  const uids = new Set(records.map(pageOf).filter((uid) => uid !== 0))
  const names = capabilities.tree ? await pathsOf(context, [...uids]) : new Map<RecordId, string>()
  return (record) => {
    const own = languages.find(({ id }) => id === record.language)
    const isForeign = capabilities.locales === 'record' && languages.length > 1 && own !== undefined
    const notes = marks([stateOf(record, capabilities), true], [own?.title ?? '', isForeign])
    const name = names.get(pageOf(record))
    const place = name ? `${isPage(record) ? 'path' : 'on'} ${name}` : placeOf(record)
    return `[${record.uid}] ${quoted(record.title)}${notes}, ${place}`
  }
}

const placeOf = ({ pid }: CmsRecord) => (pid !== 0 ? `on page [${pid}]` : 'on no page')

/** Returns the state in the words of the CMS; `hidden` or `visible` if the CMS has no words for states. */
function stateOf({ hidden, fields }: CmsRecord, { publishing }: Capabilities): string {
  const state = publishing && fields[publishing.field]
  if (typeof state === 'string' && state !== '') return state
  return hidden ? 'hidden' : 'visible'
}

/**
 * Returns the paths of pages by uid: `Home > Products [2]`. For many pages they come from the page tree, which lacks
 * translations of pages.
 */
async function pathsOf({ cms, actor }: ToolContext, uids: RecordId[]): Promise<Map<RecordId, string>> {
  const inTree = uids.length > mostPages ? await cms.pageTree(actor, tree) : []
  const paths = new Map<RecordId, string>()
  for (const { uid, title, parent } of inTree) {
    const above = paths.get(parent)
    paths.set(uid, above === undefined ? title : `${above} > ${title}`)
  }
  const others = uids.filter((uid) => !paths.has(uid)).slice(0, mostPages)
  const pages = await Promise.all(others.map((uid) => cms.page(actor, { uid })))
  for (const page of pages) if (page) paths.set(page.uid, page.path.map(({ title }) => title).join(' > '))
  return new Map([...paths].map(([uid, path]) => [uid, `${path} [${uid}]`]))
}

/** `search_records`: finds records whose text contains the words. */
export const searchRecords = reads({
  name: 'search_records',
  sign: 'search',
  source: 'named',
  en: { title: 'Search', did: 'Searched records', doing: 'Searching records' },
  description:
    'Finds records whose text contains every word of the query, newest change first: table, uid, language, state, page and a passage of the text. One or two distinctive words find most.',
  parameters: z.strictObject({
    query: z.string().trim().min(1).max(200),
    table: TableName.optional(),
    limit: Limit,
  }),
  async run({ query, table, limit }, context) {
    const { actor, cms } = context
    const [found, languages] = await Promise.all([
      cms.search(actor, { text: query, ...(table && { table }), limit: limit + 1 }),
      cms.languages(),
    ])
    const where = table ? ` in the table ${table}` : ''
    if (found.length === 0)
      return `Nothing${where} that the user may see contains ${quoted(query)}. Try a single, shorter word.`
    const hits = found.slice(0, limit)
    const line = await recordLines(context, hits, languages)
    const hasMore = found.length > limit
    const head = `${hasMore ? `The first ${limit} records` : count(hits.length, 'record')}${where} with ${quoted(query)}, newest change first:`
    const { textOf } = await import('../../base/html-text.ts')
    const lines = hits.map((hit) => {
      const text = passage(hit, query, textOf)
      return `- ${hit.table} ${line(hit)}, changed ${when(hit.changedAt)}${text && `\n  ${text}`}`
    })
    const ways = [...(table ? [] : ['name a table']), 'use a more exact query']
    const more = moreLines(hasMore, limit, ...ways)
    return { text: [head, ...lines, ...more].join('\n'), records: hits.map(nameOf) }
  },
})

/** Returns the text around the first match of the query or a word, in a field other than the title. */
function passage(record: CmsRecord, query: string, textOf: TextOf): string {
  const wanted = [query, ...query.split(/\s+/)].map((word) => word.normalize('NFC').toLowerCase())
  for (const value of Object.values(record.fields)) {
    if (typeof value !== 'string' || value === record.title) continue
    const text = textOf(value).normalize('NFC').replace(/\s+/g, ' ')
    const at = wanted.map((word) => text.toLowerCase().indexOf(word)).find((place) => place >= 0)
    if (at === undefined) continue
    const from = Math.max(0, at - 80)
    return `${from > 0 ? '…' : ''}${cut(text.slice(from), 240)}`
  }
  return ''
}

/** `list_records`: lists the records of a table, page by page. */
export const listRecords = reads({
  name: 'list_records',
  sign: 'list',
  source: 'list',
  en: { title: 'List of records', did: 'Listed records', doing: 'Listing records' },
  description:
    'The records of a table, or those of it on one page, with uid, title, language, state, page and time of change.',
  parameters: z.strictObject({
    table: TableName,
    page: Uid.optional(),
    limit: Limit,
    offset: z.int().min(0).max(100_000).default(0).describe('How many to skip'),
  }),
  async run({ table, page, limit, offset }, context) {
    const { actor, cms } = context
    const [found, languages] = await Promise.all([
      cms.list(actor, { table, ...(page && { page }), limit, offset }),
      cms.languages(),
    ])
    const asked = `The table ${table}${page ? ` on page ${page}` : ''}`
    if (!found) throw missing(asked, readableTables(await cms.tables(actor)))
    const { records, total } = found
    const where = page ? ` on page [${page}]` : ''
    if (total === 0) return `The table ${table} has no records${where} that the user may see.`
    if (records.length === 0)
      return `The table ${table} has ${total} records${where}; offset ${offset} is behind the last.`
    const line = await recordLines(context, records, languages)
    const last = offset + records.length
    const lines = records.map((record) => `- ${line(record)}, changed ${when(record.changedAt)}`)
    if (last < total) lines.push(`There are more: call again with offset ${last}.`)
    const head = `Table ${table}${where}, records ${offset + 1} to ${last} of ${total}:`
    return { text: [head, ...lines].join('\n'), records: records.map(nameOf) }
  },
})

/** Lists the tables that the actor may read, for a model that guessed a wrong name. */
const readableTables = (tables: Table[]) =>
  `Tables that the user may read: ${tables.map(({ name }) => name).join(', ') || 'none'}.`

/** `get_record`: shows all fields of one record. */
export const getRecord = reads({
  name: 'get_record',
  sign: 'record',
  source: 'record',
  en: { title: 'Record', did: 'Read a record', doing: 'Reading a record', asked: 'Looked for a record' },
  description: 'All fields of one record, each with its name, label and stored value, markup included.',
  guidance:
    'Read a record with get_record before you propose a change of it. Use the names of fields and the form of values that it shows.',
  parameters: z.strictObject({ table: TableName, uid: Uid }),
  async run({ table, uid }, context) {
    const { actor, cms } = context
    const [record, tables, languages] = await Promise.all([
      cms.record(actor, { table, uid }),
      cms.tables(actor),
      cms.languages(),
    ])
    if (!record) throw missing(`Record ${table} [${uid}]`)
    const head = (await recordLines(context, [record], languages))(record)
    const fields = tables.find(({ name }) => name === table)?.fields ?? []
    const lines = [
      `Record ${table} ${head}`,
      `Changed: ${when(record.changedAt)}. The user ${record.mayEdit ? 'may' : 'may not'} change this record.`,
      'Fields:',
      ...Object.keys(record.fields).map((name) => fieldLine(record, name, fields)),
    ]
    return { text: lines.join('\n'), records: [nameOf(record)] }
  },
})

function fieldLine(record: CmsRecord, name: string, fields: Field[]): string {
  const field = fields.find((candidate) => candidate.name === name)
  const notes = marks(
    [field?.label ?? '', Boolean(field && field.label !== name)],
    ['read-only', field?.readOnly ?? false],
    [`one of ${field?.options?.join(', ')}`, Boolean(field?.options?.length)],
  )
  return `- ${name}${notes}: ${shown(record.fields[name])}`
}

/** `describe_table`: shows the fields of a table, with the values that each may have. */
export const describeTable = reads({
  name: 'describe_table',
  sign: 'list',
  en: { title: 'Fields of a table', did: 'Looked up the fields', doing: 'Looking up the fields' },
  description:
    'The fields of a table with name, label, kind, limits and possible values, as this user may read and change them.',
  guidance:
    'Call describe_table before you propose values for fields that you have not seen. It answers a name that is no table with those that there are.',
  parameters: z.strictObject({ table: TableName }),
  async run({ table: name }, { actor, cms }) {
    const tables = await cms.tables(actor)
    const table = tables.find((each) => each.name === name)
    if (!table) throw missing(`The table ${name}`, readableTables(tables))
    const head = `Table ${table.name} (${table.label}). The user ${table.mayModify ? 'may' : 'may not'} change records of it.`
    return { text: [head, ...table.fields.map(describeField)].join('\n'), count: table.fields.length }
  },
})

function describeField(field: Field): string {
  const { options, target } = field
  const notes = marks(
    ['required', field.required],
    ['read-only', field.readOnly],
    [`at most ${field.max} characters`, field.max !== null],
    [`one of ${options?.join(', ')}`, Boolean(options?.length)],
    [`of the table ${target}`, target !== undefined],
    ['translated', field.translated ?? false],
  )
  return `- ${field.name}: ${field.label}, ${field.kind}${notes}`
}
