import type { CmsRecord, Table } from '../cms/schema.ts'
import type { RecordId } from '../conversation/schema.ts'
import { count, missing, nameOf, recordLine } from './format.ts'
import { addressOf, linksIn, pageTables, pathOf, recordsOf, textsOf, uidsIn } from './site.ts'
import type { Found, ToolContext } from './tool.ts'

/** The most records of one table that are looked at. */
const mostRecords = 5_000

/** What `where_used` does: loaded when it is called. */
export async function usesOf(
  { table, uid, limit }: { table: string; uid: RecordId; limit: number },
  { actor, cms, signal }: ToolContext,
): Promise<string | Found> {
  const [record, tables, { pages }] = await Promise.all([
    cms.record(actor, table, uid),
    cms.tables(actor),
    pageTables(cms),
  ])
  if (!record) throw missing(`Record ${table} [${uid}]`)
  const address = table === pages ? addressOf(record) : undefined
  const users: { user: CmsRecord; ways: string[] }[] = []
  let isWhole = true
  for (const each of tables) {
    const found = await recordsOf(cms, actor, each.name, mostRecords, signal)
    isWhole &&= found.isWhole
    for (const user of found.records) {
      const ways = waysTo({ table, uid, address }, each, user)
      if (ways.length > 0 && !(user.table === table && user.uid === uid)) users.push({ user, ways })
    }
  }
  const bound = isWhole ? '' : ` Of large tables only the first ${mostRecords} records were looked at.`
  if (users.length === 0)
    return `No record that the user may see points at ${table} ${recordLine(record)}.${bound}`
  const lines = users
    .slice(0, limit)
    .map(({ user, ways }) => `- ${user.table} ${recordLine(user)}, page [${user.pid}]: ${ways.join('; ')}`)
  if (users.length > limit) lines.push('There are more: raise limit (at most 100).')
  return {
    text: [
      `${count(users.length, 'record')} ${users.length === 1 ? 'points' : 'point'} at ${table} ${recordLine(record)}:${bound}`,
      ...lines,
    ].join('\n'),
    records: users.slice(0, limit).map(({ user }) => nameOf(user)),
  }
}

type Target = { table: string; uid: RecordId; address: string | undefined }

function waysTo(target: Target, table: Table, user: CmsRecord): string[] {
  const relations = table.fields
    .filter(({ target: to }) => to === target.table)
    .filter((field) => uidsIn(field, user.fields[field.name]).includes(String(target.uid)))
    .map(({ name }) => `relation ${name}`)
  const links = textsOf(user)
    .filter(({ text }) => linksIn(text).some((href) => leadsTo(target, href)))
    .map(({ field }) => `link in ${field}`)
  return [...relations, ...links]
}

function leadsTo({ table, uid, address }: Target, href: string): boolean {
  const [, kind = '', query = ''] = href.match(/^t3:\/\/(page|file|record)\?(.*)$/i) ?? []
  if (kind) {
    const asked = new URLSearchParams(query.replaceAll('&amp;', '&'))
    const named = kind === 'page' ? 'pages' : kind === 'file' ? 'sys_file' : asked.get('identifier')
    return named === table && asked.get('uid') === String(uid)
  }
  return address !== undefined && /^\/(?!\/)/.test(href) && pathOf(href) === address
}
