import type { Actor } from '../../actor.ts'
import * as Table from '../../aws/table.ts'
import type { Cms } from '../cms.ts'
import * as Administration from './administration.ts'
import { capabilities } from './capabilities.ts'
import { decodeSite, recordKey, siteKey } from './item.ts'
import * as Log from './log.ts'
import { ownId } from './own-id.ts'
import * as Read from './read.ts'
import { open, type Site } from './site.ts'
import { changesOf, undo } from './undo.ts'
import { actorOf } from './user.ts'
import { userRow } from './user-row.ts'
import { preview, settle, write } from './write.ts'

/**
 * The embedded CMS: the port over a DynamoDB table of its own. Each operation reads the actor's rights afresh. `clock`
 * tells the time by which users are active, in milliseconds since the epoch.
 */
export function reference(options: { table: string; clock?: () => number }): Cms {
  const { table: store, clock = Date.now } = options
  const opening = new WeakMap<Actor, Promise<Site>>()
  // What is asked in the same moment, as the records of a batch, shares one look at rights and pages.
  const site = (actor: Actor, now = clock()): Promise<Site> => {
    const begun = opening.get(actor)
    if (begun) return begun
    const opened = open(store, actor, now)
    opening.set(actor, opened)
    setImmediate(() => opening.delete(actor))
    return opened
  }
  return {
    capabilities: async () => capabilities(),
    user: async (uid) => actorOf(await Table.get(recordKey('be_users', uid), store), clock()),
    userRow: userRow(store),
    opening: async (uid, open) => {
      const actor = actorOf(await Table.get(recordKey('be_users', uid), store), clock())
      if (!actor) return undefined
      const [row, page] = await Promise.all([
        Table.get(siteKey, store),
        open === 0 ? undefined : site(actor).then((seen) => Read.page(seen, ownId(open))),
      ])
      return { actor, capabilities: capabilities(), languages: decodeSite(row).languages, page }
    },
    languages: async () => decodeSite(await Table.get(siteKey, store)).languages,
    page: async (actor, uid) => Read.page(await site(actor), ownId(uid)),
    pageTree: async (actor, query) => Read.pageTree(await site(actor), { ...query, root: ownId(query.root) }),
    pageContent: async (actor, uid) => Read.pageContent(await site(actor), ownId(uid)),
    tables: async (actor) => Read.selectable(await site(actor)),
    search: async (actor, query) => Read.search(await site(actor), query),
    list: async (actor, { page, ...query }) =>
      Read.list(await site(actor), page === undefined ? query : { ...query, page: ownId(page) }),
    record: async (actor, table, uid) => Read.record(await site(actor), table, ownId(uid)),
    history: async (actor, table, uid, limit) => Read.history(await site(actor), table, ownId(uid), limit),
    log: async (actor, query) => Log.log(await site(actor), query),
    exception: async (actor, index) => Log.exception(await site(actor), index),
    users: async (actor) => Administration.users(await site(actor)),
    facts: async (actor) => Administration.facts(await site(actor), clock()),
    preview: async (actor, wanted, earlier) => preview(await site(actor), wanted, earlier),
    write: async (actor, wanted, settings) => write(await site(actor, settings.now), wanted, settings),
    settle: (actor, key) => settle(store, actor, key),
    changesOf: async (actor, runId) => changesOf(await site(actor), runId),
    undo: (actor, runId, now, only) => undo(store, actor, { runId, only }, now),
  }
}
