import type { Payload } from 'payload'
import type { Actor } from '../../actor.ts'
import type { Cms } from '../cms.ts'
import { type Acting, actingAs } from './acting.ts'
import { history } from './history.ts'
import type { AiChatOptions } from './options.ts'
import { picture } from './picture.ts'
import * as Read from './read.ts'
import { inLocale, previewed } from './translation.ts'
import { typesOf } from './type.ts'
import { changesOf, undo } from './undo.ts'
import { actorOf, userOf, users } from './user.ts'
import { settle, write } from './write.ts'

/** A Payload site as the port, for one request of the bridge: what the user may do is worked out once for it. */
export function payloadCms(payload: Payload, options: AiChatOptions, version: string): Cms {
  const known = new WeakMap<Actor, Acting>()
  const as = (actor: Actor): Acting => {
    const acting = known.get(actor)
    if (!acting) throw new Error('The actor is of another request')
    return acting
  }
  const site = { payload, options, types: typesOf(payload, options) }
  return {
    capabilities: async () => Read.capabilities(site, version),
    languages: async () => Read.languages(site),
    async user(uid) {
      const user = await userOf(payload, uid)
      if (!user) return undefined
      const actor = await actorOf(payload, user, options)
      known.set(actor, actingAs(payload, options, user))
      return actor
    },
    // Users have numbers on the bridge: no text names one.
    userNamed: async () => undefined,
    opening: () => Promise.reject(new Error('The bridge asks for the parts of an opening')),
    page: (actor, uid) => Read.page(as(actor), uid),
    pageTree: (actor, query) => Read.pageTree(as(actor), query),
    pageContent: (actor, uid) => Read.pageContent(as(actor), uid),
    tables: (actor) => Read.tables(as(actor)),
    search: (actor, query) => Read.search(as(actor), query),
    list: (actor, query) => Read.list(as(actor), query),
    record: (actor, table, uid) => Read.record(as(actor), table, uid),
    picture: (actor, table, uid) => picture(as(actor), table, uid),
    history: (actor, table, uid, limit) => history(as(actor), table, uid, limit),
    log: async () => [],
    exception: async () => undefined,
    users: async (actor) => (actor.isAdmin ? users(payload, options) : []),
    facts: async (actor) => (actor.isAdmin ? factsOf(payload, version) : {}),
    preview: (actor, wanted, earlier) => previewed(as(actor), wanted, earlier),
    write: async (actor, wanted, how) => write(as(actor), inLocale(as(actor), wanted), how),
    settle: (actor, key) => settle(as(actor), key),
    changesOf: (actor, run) => changesOf(as(actor), run),
    undo: (actor, run, _now, only) => undo(as(actor), run, only),
  }
}

function factsOf({ config, db }: Payload, version: string): Record<string, string | number> {
  return {
    'Payload version': version,
    'Node version': process.version,
    Database: db.name,
    Collections: config.collections.length,
    Globals: config.globals.length,
  }
}
