import * as Table from '../../../core/base/aws/table.ts'
import { dayMs } from '../../../core/base/clock.ts'
import { seedRow } from '../../../core/cms/reference/bootstrap.ts'
import * as Items from '../../../core/cms/reference/item.ts'
import { hashPassword } from '../../../core/cms/reference/login.ts'
import { effectiveGroups } from '../../../core/cms/reference/permission.ts'
import { password } from '../../../core/user/session/demo-users.ts'
import { historyRows, logRows } from './changes.ts'
import { contentRows, mediaRows, newsRows } from './content.ts'
import { pageRows } from './page-tree.ts'
import accounts from './users.json' with { type: 'json' }

/** The shop whose site the reference CMS starts with. */
const siteName = 'Northlight'

/** The languages of the seeded site, default first. */
export const languages = [
  { id: 0, title: 'English', locale: 'en' },
  { id: 1, title: 'Deutsch', locale: 'de' },
]

type Item = Table.Key & Table.Row

/**
 * Fills an empty table with the site; false if the table already has a site. All times are relative to `now`, in
 * milliseconds since the epoch. The mark of a complete site is written last and only once: the next start after an
 * interruption begins again.
 */
export async function seed({ table }: { table: string }, now: number): Promise<boolean> {
  if (await Table.get(Items.siteKey, table)) return false
  const history = historyRows(now)
  const records = [
    ...groupRows(now),
    ...pageRows(now),
    ...contentRows(now),
    ...newsRows(now),
    ...mediaRows(now),
  ]
  const rows = [...records.map((row) => lastChanged(row, history)), ...logRows(now), ...history]
  const items: Item[] = [
    ...rows.map((row) => Items.encode(row)),
    ...(await userItems(now)),
    ...history.map((row) => Items.trailKey(Items.historyPartition(...subjectOf(row)), row.uid)),
    { ...Items.counterKey, ...lastUids([...rows, ...userRows(now)]) },
  ]
  const puts = items.map((item) => Table.putWrite(item, {}, table))
  // One after another: on a busy machine the emulator does not answer the last of many within the time of a request.
  for (const some of Table.chunks(puts, 100)) await Table.transact(some)
  return Table.put(
    { ...Items.siteKey, name: siteName, languages },
    { condition: 'attribute_not_exists(pk)' },
    table,
  )
}

function subjectOf(change: Items.Row): [table: string, uid: number] {
  return [Items.textOf(change, 'tablename'), Items.numberOf(change, 'recuid')]
}

/** Sets the last change of a record from its history. */
function lastChanged(row: Items.Row, history: Items.Row[]): Items.Row {
  const last = history.findLast((change) => subjectOf(change).join() === `${row.table},${row.uid}`)
  return last ? { ...row, changedAt: last.createdAt, changedBy: last.changedBy } : row
}

function lastUids(rows: Items.Row[]): Record<string, number> {
  const last: Record<string, number> = {}
  for (const { table, uid } of rows) last[table] = Math.max(last[table] ?? 0, uid)
  return last
}

type SeedRecord = { daysAgo: number; fields: Record<string, Items.Value> }

const rowsOf = (table: string, records: SeedRecord[], now: number): Items.Row[] =>
  records.map(({ daysAgo, fields }, at) =>
    seedRow(table, at + 1, { pid: 0, at: now - daysAgo * dayMs }, fields),
  )

/** Returns the groups: editors change the public tree, authors change the news, visitors only read. */
export const groupRows = (now: number): Items.Row[] => rowsOf('be_groups', accounts.groups, now)
/** Returns the users that the login page of the local stage lists. */
const userRows = (now: number): Items.Row[] => rowsOf('be_users', accounts.users, now)

/** Returns the users with their passwords and effective groups. Their password is public, so one hash is enough. */
async function userItems(now: number): Promise<(Table.Key & Record<string, unknown>)[]> {
  const known = new Map(groupRows(now).map((group) => [group.uid, group]))
  const stored = await hashPassword(password)
  return userRows(now).map((user) =>
    Items.encode(user, {
      password: stored,
      effective_groups: effectiveGroups(Items.uidsOf(user, 'usergroup'), known),
    }),
  )
}
