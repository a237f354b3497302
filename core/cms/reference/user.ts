import * as z from 'zod'
import type { Actor } from '../../base/actor.ts'
import type { Cms } from '../cms.ts'
import { decode, type Row, recordKey, textOf, uidsOf } from './item.ts'

/** Backend users: who of them is one at this moment, and which groups they have. Pure. */

const Effective = z.object({ effective_groups: z.array(z.int()) })

/**
 * The actor of a user's item; undefined when the user is gone, disabled or outside their time. The effective groups are
 * stored on the item whenever users or groups are saved, so that this row alone says who is asking.
 */
export function actorOf(item: Record<string, unknown> | undefined, now: number): Actor | undefined {
  if (!item) return undefined
  const row = decode('be_users', item)
  if (!isActive(row, now)) return undefined
  return {
    uid: row.uid,
    username: textOf(row, 'username'),
    name: textOf(row, 'name') || textOf(row, 'username'),
    isAdmin: row.fields.admin === true,
    groups: Effective.parse(item).effective_groups,
    lang: textOf(row, 'lang') || 'en',
  }
}

/** The key of a user's row in the table, and the actor that a row stands for. */
export function userRow(table: string): NonNullable<Cms['userRow']> {
  return { table, key: (uid) => recordKey('be_users', uid), decode: actorOf }
}

/** May this user act now? `now` is milliseconds since the epoch; the end of the time is exclusive. */
export function isActive(user: Row, now: number): boolean {
  if (user.deleted || user.fields.disable === true) return false
  const { starttime, endtime } = user.fields
  if (typeof starttime === 'string' && Date.parse(starttime) > now) return false
  return !(typeof endtime === 'string' && Date.parse(endtime) <= now)
}

/**
 * A user's own groups and all that they inherit from, each group before those that it inherits from, each once.
 * Disabled and missing groups count for nothing, and pass nothing on.
 */
export function effectiveGroups(own: number[], groups: ReadonlyMap<number, Row>): number[] {
  const found = new Set<number>()
  const add = (uid: number) => {
    const group = groups.get(uid)
    if (!group || group.fields.hidden === true || found.has(uid)) return
    found.add(uid)
    for (const inherited of uidsOf(group, 'subgroup')) add(inherited)
  }
  for (const uid of own) add(uid)
  return [...found]
}
