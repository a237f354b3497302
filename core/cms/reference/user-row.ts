import type { Cms } from '../cms.ts'
import { recordKey } from './item.ts'
import { actorOf } from './user.ts'

/** Where the users of the reference CMS lie, and who a row of them is. */
export function userRow(table: string): NonNullable<Cms['userRow']> {
  return { table, key: (uid) => recordKey('be_users', uid), decode: actorOf }
}
