import type { Write } from '../../base/aws/table.ts'
import type { Change } from './history.ts'
import { type Row, recordKey, textOf, uidsOf } from './item.ts'
import * as Rows from './rows.ts'
import { effectiveGroups } from './user.ts'

/** Most users whose groups change with one change of a group: a transaction has room for 100 items. */
const most = 80

/**
 * Updates the effective groups that users carry after a change of a user or a group. `own` are the groups of the
 * changed user; `writes` update the users of a changed group in the same transaction.
 */
export async function inheritance(
  store: string,
  change: { row: Row; changes: Change[] },
): Promise<{ own?: number[]; writes: Write[] }> {
  const touches = (field: string) => change.changes.some((entry) => entry.field === field)
  if (change.row.table === 'be_users' && touches('usergroup')) {
    const groups = await groupsOf(store)
    return { own: effectiveGroups(uidsOf(change.row, 'usergroup'), groups), writes: [] }
  }
  if (change.row.table !== 'be_groups' || !(touches('subgroup') || touches('hidden'))) return { writes: [] }
  const [groups, users] = await Promise.all([groupsOf(store), Rows.all(store, 'be_users')])
  const then = new Map(groups).set(change.row.uid, change.row)
  const writes = users
    .map((user) => ({
      user,
      was: effectiveGroups(uidsOf(user, 'usergroup'), groups),
      is: effectiveGroups(uidsOf(user, 'usergroup'), then),
    }))
    .filter(({ was, is }) => was.join() !== is.join())
    .map(({ user, is }) => carry(store, user, is))
  if (writes.length > most) throw new Error(`More than ${most} users belong to the group ${change.row.uid}`)
  return { writes }
}

async function groupsOf(store: string): Promise<Map<number, Row>> {
  const rows = await Rows.all(store, 'be_groups')
  return new Map(rows.map((row) => [row.uid, row]))
}

function carry(store: string, user: Row, groups: number[]): Write {
  return {
    Update: {
      TableName: store,
      Key: recordKey('be_users', user.uid),
      UpdateExpression: 'SET effective_groups = :groups',
      ConditionExpression: '#fields.usergroup = :own',
      ExpressionAttributeNames: { '#fields': 'fields' },
      ExpressionAttributeValues: { ':groups': groups, ':own': textOf(user, 'usergroup') },
    },
  }
}
