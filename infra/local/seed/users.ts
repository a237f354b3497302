import * as z from 'zod'
import type { Key } from '../../../core/base/aws/table.ts'
import { dayMs } from '../../../core/base/clock.ts'
import { seedRow } from '../../../core/cms/reference/bootstrap.ts'
import { encode, type Row, uidsOf, Value } from '../../../core/cms/reference/item.ts'
import { hash } from '../../../core/cms/reference/login.ts'
import { effectiveGroups } from '../../../core/cms/reference/user.ts'
import { password } from '../../../core/user/session/demo-users.ts'
import data from './users.json' with { type: 'json' }

const Records = z.array(z.strictObject({ daysAgo: z.int(), fields: z.record(z.string(), Value) }))
const { groups, users } = z.strictObject({ groups: Records, users: Records }).parse(data)

const rowsOf = (table: string, records: z.infer<typeof Records>, now: number): Row[] =>
  records.map(({ daysAgo, fields }, at) =>
    seedRow(table, at + 1, { pid: 0, at: now - daysAgo * dayMs }, fields),
  )

/** Editors change the public tree, authors the news, visitors look. */
export const groupRows = (now: number): Row[] => rowsOf('be_groups', groups, now)
/** The users that the login page of the local stage lists. */
export const userRows = (now: number): Row[] => rowsOf('be_users', users, now)

/** The users with their passwords and effective groups. */
export function userItems(now: number): Promise<(Key & Record<string, unknown>)[]> {
  const known = new Map(groupRows(now).map((group) => [group.uid, group]))
  return Promise.all(
    userRows(now).map(async (user) =>
      encode(user, {
        password: await hash(password),
        effective_groups: effectiveGroups(uidsOf(user, 'usergroup'), known),
      }),
    ),
  )
}
