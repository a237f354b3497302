import type { Actor } from '../../base/actor.ts'
import { choice, item, number, type Of, optional, text, time } from '../../base/aws/item.ts'
import type { Key } from '../../base/aws/table.ts'
import * as Table from '../../base/aws/table.ts'
import { has } from '../../stage/settings/group.ts'
import type { Settings } from '../../stage/settings/schema.ts'
import type { McpServer } from '../../stage/settings/server.ts'
import { ConnectionState } from './schema.ts'
import { seal } from './seal.ts'
import type { Grant } from './sealed.ts'

/** An HTTP server that each user connects to individually. */
export type PersonalServer = McpServer & { url: string; auth: 'oauth' | 'token' }

/** Returns true if each user connects to the server with a personal grant. */
export function isPersonal(server: McpServer): server is PersonalServer {
  return (server.auth === 'oauth' || server.auth === 'token') && server.url !== null
}

/** Returns the servers whose tools the actor may use after connecting them. */
export function connectable(
  actor: Pick<Actor, 'groups' | 'isAdmin'>,
  { mcpServers }: Pick<Settings, 'mcpServers'>,
): PersonalServer[] {
  return mcpServers.filter(isPersonal).filter(({ groups }) => has(groups, actor))
}

/** Returns all stored connections of a user in any state, by server name. */
export async function ofUser(uid: number): Promise<Map<string, Connection>> {
  const rows = await Table.below(key(uid, ''))
  return new Map(rows.map(codec.decode).map((connection) => [connection.server, connection]))
}

/** Returns a user's current connection to a server; undefined if there is none for the server's present address. */
export async function read(uid: number, server: PersonalServer): Promise<Connection | undefined> {
  const row = await Table.get(key(uid, server.name))
  const connection = row && codec.decode(row)
  return connection?.url === server.url ? connection : undefined
}

/** Returns true if a stored connection is connected to the server's address in the settings. */
export function isConnected(connection: Connection | undefined, { url }: PersonalServer): boolean {
  return connection?.state === 'connected' && connection.url === url
}

/** Stores a grant that the user has just given, and replaces any earlier one. */
export async function putGrant(
  uid: number,
  server: PersonalServer,
  grant: Grant,
  now: number,
): Promise<void> {
  const since = new Date(now).toISOString()
  // A version that no earlier grant had, even after a disconnect: a running renewal must not replace this grant.
  const row = codec.encode({ ...grantItem(uid, server, grant, now), since, version: now })
  await Table.put({ ...key(uid, server.name), ...row })
}

/** Stores a renewed grant; false if the user has disconnected or reconnected meanwhile. */
export function putRenewedGrant(
  uid: number,
  server: PersonalServer,
  before: Connection,
  grant: Grant,
  now: number,
): Promise<boolean> {
  const { since, version } = before
  const row = codec.encode({ ...grantItem(uid, server, grant, now), since, version: version + 1 })
  return Table.put({ ...key(uid, server.name), ...row }, sameVersion(before))
}

/**
 * Deletes a grant that the server no longer accepts, and marks the connection as ended. Does not touch a newer grant.
 */
export async function endGrant(uid: number, before: Connection): Promise<void> {
  const row = codec.encode({ ...before, state: 'ended', sealed: '', renewingUntil: 0 })
  await Table.put({ ...key(uid, before.server), ...row }, sameVersion(before))
}

function grantItem(uid: number, { name, url }: PersonalServer, grant: Grant, now: number) {
  const lasts = grant.kind === 'oauth' ? grant.tokens.expires_in : undefined
  return {
    server: name,
    url,
    state: 'connected' as const,
    sealed: seal(JSON.stringify(grant), grantContext(uid, name, url)),
    until: lasts === undefined ? undefined : now + lasts * 1000,
    renewingUntil: 0,
  }
}

/** Returns the condition that the stored grant is still the one that was read. */
export const sameVersion = ({ version }: Connection): Required<Table.Condition> => ({
  condition: `#${codec.attributes.version} = :version`,
  values: { ':version': version },
})

/**
 * The stored form of a user's grant for an MCP server. It is in the user's partition (`user#<uid>`,
 * `connection#<server>`), where an erasure finds it.
 */
export const codec = item('connection', 1, {
  server: text('server'),
  /** The server's address; the grant is sent to no other address. */
  url: text('url'),
  state: choice('connection_state', ConnectionState, 'ended'),
  /** The encrypted grant; empty after it has ended. */
  sealed: text('sealed', ''),
  /** The token's expiry in milliseconds since the epoch; undefined if the server gave none. */
  until: optional(number('until')),
  since: time('since'),
  /** Increases with every stored grant, so that a concurrent write with an older version fails. */
  version: number('version'),
  /** The time until which other processes wait for a running renewal, in milliseconds since the epoch. */
  renewingUntil: number('renewing_until', 0),
})

/** A user's grant for a server; its secret part is encrypted. */
export type Connection = Of<typeof codec.fields>

/** The secret attributes, which no export contains. */
export const secretAttributes = [codec.attributes.sealed]

/** Returns the table key of a grant, in the user's partition. */
export const key = (uid: number, server: string): Key => ({ pk: `user#${uid}`, sk: `connection#${server}` })

/** Returns the context that encryption binds a grant to: user, server and address. */
export const grantContext = (uid: number, server: string, url: string): string => `${uid} ${server} ${url}`

/** The stored form of an attempt to connect while the user is at the authorization server; it expires automatically. */
export const attemptCodec = item('attempt to connect', 1, {
  server: text('server'),
  sealed: text('sealed'),
  until: number('until'),
})

/**
 * Returns the table key of an attempt: the user's partition, and the hash of the `state` that the browser brings back.
 */
export const attemptKey = (uid: number, hash: string): Key => ({
  pk: `user#${uid}`,
  sk: `connecting#${hash}`,
})

/** The time in which a user can consent at the authorization server, in milliseconds. */
export const attemptMs = 10 * 60_000
