import type { Actor } from '../../base/actor.ts'
import type { Language } from '../schema.ts'
import type { Row } from './item.ts'
import * as Item from './item.ts'
import { noRights, type Pages, type Rights, rightsOf } from './permission.ts'
import type { Reader } from './rows.ts'
import * as Rows from './rows.ts'
import { effectiveGroups, isActive } from './user.ts'

/** The site as one actor sees it now: the actor's rights, and the rows that every decision reads. */
export type Site = {
  /** Name of the table of the reference CMS. */
  store: string
  actor: Actor
  rights: Rights
  pages: Pages
  groups: ReadonlyMap<number, Row>
  languages: Language[]
  /** True while a put takes something back: a required field may be empty again. */
  isUndo?: boolean
}

/**
 * Reads rights and pages afresh; nothing is taken from the actor but who it is. A user who is gone, disabled or outside
 * their time has no right at all. `now` is milliseconds since the epoch.
 */
export async function open(
  store: string,
  actor: Actor,
  now: number,
  read: Reader = Rows.reader(store),
): Promise<Site> {
  const [userItem, siteItem, pages, groups] = await Promise.all([
    read(Item.recordKey('be_users', actor.uid)),
    read(Item.siteKey),
    Rows.all(store, 'pages').then(byUid),
    Rows.all(store, 'be_groups').then(byUid),
  ])
  const user = userItem && Item.decode('be_users', userItem)
  return {
    store,
    actor,
    rights: user && isActive(user, now) ? rights(user, groups) : noRights,
    pages,
    groups,
    languages: Item.decodeSite(siteItem).languages,
  }
}

function rights(user: Row, groups: ReadonlyMap<number, Row>): Rights {
  const effective = effectiveGroups(Item.uidsOf(user, 'usergroup'), groups)
  return rightsOf(
    user,
    effective.flatMap((uid) => groups.get(uid) ?? []),
  )
}

function byUid(rows: Row[]): Map<number, Row> {
  return new Map(rows.map((row) => [row.uid, row]))
}
