import type { Actor } from '../base/actor.ts'
import { config } from '../base/config.ts'
import { VisibleError } from '../base/error.ts'
import type { Settings } from '../stage/settings/schema.ts'
import { concernOfUser, seenServers } from '../tool/remote/review.ts'
import type { Begun } from '../user/connection/authorize.ts'
import { connectable, ofUser, type PersonalServer, putGrant } from '../user/connection/grant.ts'
import type { ConnectionsAnswer, TokenBody } from '../user/connection/schema.ts'

type Servers = Pick<Settings, 'mcpServers'>

/** Lists every server that needs the actor's own grant, with the state of the grant and the server's problem. */
export async function connections(actor: Actor, settings: Servers): Promise<ConnectionsAnswer> {
  const servers = connectable(actor, settings)
  if (servers.length === 0) return { connections: [] }
  const [stored, seen] = await Promise.all([ofUser(actor.uid), seenServers()])
  return {
    connections: servers.map((server) => {
      const known = stored.get(server.name)
      // A grant for an earlier address of the server does not count.
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

/** Begins to connect a server that uses OAuth. Rejects with `connection.notFound` or `connection.failed`. */
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
 * Stores a token that the actor made at the server. Rejects with `connection.tokenRefused`, without storing it, if the
 * server refuses the token. If the server is down, the token is stored, and its first call shows whether the server
 * accepts it.
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
  await putGrant(actor.uid, server, { kind: 'token', token }, now)
}

/** Removes the actor's grant, even for a server that the actor may no longer use. */
export async function disconnect(actor: Actor, server: string): Promise<void> {
  const { disconnect } = await import('../user/connection/user-token.ts')
  await disconnect(actor.uid, server)
}

function named(actor: Actor, settings: Servers, name: string, auth: PersonalServer['auth']): PersonalServer {
  const server = connectable(actor, settings).find((one) => one.name === name && one.auth === auth)
  if (!server) throw new VisibleError('connection.notFound')
  return server
}
