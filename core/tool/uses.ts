import type { CmsRecord, Table } from '../cms/schema.ts'
import type { RecordId } from '../conversation/schema.ts'
import { leadsTo, targetOf } from './address.ts'
import { count, missing, nameOf, recordLine } from './format.ts'
import { linksIn, recordsOf, textsOf, uidsIn } from './site.ts'
import type { Found, ToolContext } from './tool.ts'

/** The search reads at most this many records of one table. */
const mostRecords = 5_000

/** Runs `where_used`; the tool imports this file when it is called. */
export async function usesOf(
  { table, uid, limit }: { table: string; uid: RecordId; limit: number },
  { actor, cms, signal }: ToolContext,
): Promise<string | Found> {
  const [record, tables, website] = await Promise.all([
    cms.record(actor, { table, uid }),
    cms.tables(actor),
    cms.capabilities(),
  ])
  if (!record) throw missing(`Record ${table} [${uid}]`)
  const isLink = (href: string) => {
    const target = targetOf(website, href)
    return target !== undefined && leadsTo(target, record)
  }
  const users: { user: CmsRecord; ways: string[] }[] = []
  let isWhole = true
  for (const each of tables) {
    const found = await recordsOf(cms, actor, each.name, mostRecords, signal)
    isWhole &&= found.isWhole
    for (const user of found.records) {
      const ways = waysTo(record, isLink, each, user)
      if (ways.length > 0 && !(user.table === table && user.uid === uid)) users.push({ user, ways })
    }
  }
  const bound = [
    isWhole ? '' : ` Of large tables only the first ${mostRecords} records were looked at.`,
    website.addresses
      ? ''
      : ' Links by address are not known: this CMS does not say the addresses of its records.',
  ].join('')
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

function waysTo(
  { table: name, uid }: CmsRecord,
  isLink: (href: string) => boolean,
  table: Table,
  user: CmsRecord,
): string[] {
  const relations = table.fields
    .filter(({ target }) => target === name)
    .filter((field) => uidsIn(field, user.fields[field.name]).includes(String(uid)))
    .map((field) => `relation ${field.name}`)
  const links = textsOf(user)
    .filter(({ text }) => linksIn(text).some(isLink))
    .map(({ field }) => `link in ${field}`)
  return [...relations, ...links]
}
