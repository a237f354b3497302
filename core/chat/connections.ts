import type { Actor } from '../base/actor.ts'
import { config } from '../base/config.ts'
import { VisibleError } from '../base/error.ts'
import type { Settings } from '../stage/settings/schema.ts'
import { concernOfUser, seenServers } from '../tool/remote/review.ts'
import type { Begun } from '../user/connection/authorize.ts'
import { connectable, connected, ofUser, type PersonalServer } from '../user/connection/grant.ts'
import type { ConnectionsAnswer, TokenBody } from '../user/connection/schema.ts'

type Servers = Pick<Settings, 'mcpServers'>

/** Lists every server that wants a grant of the actor, with the state of the grant and the fault of the server. */
export async function connections(actor: Actor, settings: Servers): Promise<ConnectionsAnswer> {
  const servers = connectable(actor, settings)
  if (servers.length === 0) return { connections: [] }
  const [stored, seen] = await Promise.all([ofUser(actor.uid), seenServers()])
  return {
    connections: servers.map((server) => {
      const known = stored.get(server.name)
      // A grant for another address is no grant for this one.
      const state = known?.url === server.url ? known.state : 'none'
      return {
        server: server.name,
        title: seen.find(({ name }) => name === server.name)?.title || server.name,
        auth: server.auth,
        state,
        since: state === 'connected' && known ? known.since : null,
        issue: concernOfUser(server, seen, actor.lang) ?? null,
      }
    }),
  }
}

/** Begins to connect a server that takes grants. Throws `connection.notFound` and `connection.failed`. */
export async function begin(
  actor: Actor,
  settings: Servers,
  name: string,
  hasCookies: boolean,
  now: number,
): Promise<Begun> {
  const server = named(actor, settings, name, 'oauth')
  const { begin } = await import('../user/connection/authorize.ts')
  return begin(actor, server, hasCookies, now)
}

/**
 * Keeps a token that the actor made at the server. A token that the server refuses is not kept and throws
 * `connection.tokenRefused`; the first call shows if a server that is down accepts it.
 */
export async function putToken(
  actor: Actor,
  settings: Servers,
  { server: name, token }: TokenBody,
  now: number,
): Promise<void> {
  const server = named(actor, settings, name, 'token')
  const { isRefused } = await import('../tool/remote/listing.ts')
  const asker = { uid: actor.uid, isLocal: config().isLocal, now }
  if (await isRefused(server, asker, token)) throw new VisibleError('connection.tokenRefused')
  await connected(actor.uid, server, { kind: 'token', token }, now)
}

/** Removes the actor's grant, also of a server that they may use no longer. */
export async function disconnect(actor: Actor, server: string): Promise<void> {
  const { disconnect } = await import('../user/connection/user-token.ts')
  await disconnect(actor.uid, server)
}

function named(actor: Actor, settings: Servers, name: string, auth: PersonalServer['auth']): PersonalServer {
  const server = connectable(actor, settings).find((one) => one.name === name && one.auth === auth)
  if (!server) throw new VisibleError('connection.notFound')
  return server
}
