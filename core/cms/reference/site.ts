import type { Actor } from '../../base/actor.ts'
import * as Item from './item.ts'
import { effectiveGroups, noRights, rightsOf } from './permission.ts'
import * as Rows from './rows.ts'

/**
 * Reads rights and pages again; takes only the identity from the actor. A user who is gone, disabled or outside the
 * active period has no rights. `now` is milliseconds since the epoch.
 */
export async function open(store: string, actor: Actor, now: number, read: Rows.Reader = Rows.reader(store)) {
  const [userItem, siteItem, pages, groups] = await Promise.all([
    read(Item.recordKey('be_users', actor.uid)),
    read(Item.siteKey),
    Rows.current(store, 'pages'),
    Rows.current(store, 'be_groups'),
  ])
  const user = userItem && Item.decode('be_users', userItem)
  const { languages } = Item.decodeSite(siteItem)
  const rights = user && Item.isActive(user, now) ? rightsOf(user, groupsOf(user, groups)) : noRights
  // `store` is the name of the table of the reference CMS.
  return { store, actor, rights, pages, groups, languages }
}

/** The site as one actor sees it now: the actor's rights, and the rows that every decision reads. */
export type Site = Awaited<ReturnType<typeof open>> & {
  /** True while a put reverts a change: then a required field may be empty again. */
  isUndo?: boolean
}

/** Returns all records of a table; pages and groups are those that the site has already loaded. */
export async function rowsOf({ store, pages, groups }: Site, table: string): Promise<Item.Row[]> {
  const loaded = new Map([
    ['pages', pages],
    ['be_groups', groups],
  ]).get(table)
  return loaded ? [...loaded.values()] : Rows.all(store, table)
}

function groupsOf(user: Item.Row, groups: ReadonlyMap<number, Item.Row>): Item.Row[] {
  return effectiveGroups(Item.uidsOf(user, 'usergroup'), groups).flatMap((uid) => groups.get(uid) ?? [])
}

/** The time for which operations share a loaded site, in milliseconds; a later operation loads the site again. */
const mostMs = 2_000

type Look = { site: Promise<Site>; at: number; uses: number }

/**
 * Loads the site once for several operations that start at the same moment or one directly after the other. The reads
 * of one tool call are an example. Keeps nothing after the last operation.
 */
export class Looks {
  readonly #of = new WeakMap<Actor, Look>()

  /**
   * Runs the operation on the site that is already loaded for this actor, or loads it with `open`. `now` is in
   * milliseconds.
   */
  async share<T>(
    actor: Actor,
    now: number,
    open: () => Promise<Site>,
    act: (site: Site) => T | Promise<T>,
  ): Promise<T> {
    const begun = this.#of.get(actor)
    const look = begun && now - begun.at < mostMs ? begun : { site: open(), at: now, uses: 0 }
    this.#of.set(actor, look)
    look.uses++
    try {
      return await act(await look.site)
    } finally {
      look.uses--
      // The caller starts its next operation before `setImmediate` runs.
      if (look.uses === 0) setImmediate(() => this.#end(actor, look))
    }
  }

  /** Makes the next operation of the actor load the site again. */
  forget(actor: Actor): void {
    this.#of.delete(actor)
  }

  #end(actor: Actor, look: Look): void {
    if (look.uses === 0 && this.#of.get(actor) === look) this.#of.delete(actor)
  }
}
