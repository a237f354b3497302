import type { Actor } from '../../base/actor.ts'
import * as Table from '../../base/aws/table.ts'
import type { McpServer, Settings } from '../../stage/settings/schema.ts'
import { mayUse } from '../../stage/settings/server.ts'
import { type Connection, codec, grantContext, key } from './item.ts'
import { seal } from './seal.ts'
import type { Grant } from './sealed.ts'

/** An HTTP server that each user connects to individually. */
export type PersonalServer = McpServer & { url: string; auth: 'oauth' | 'token' }

/** True if each user connects to the server with a grant of their own. */
export function isPersonal(server: McpServer): server is PersonalServer {
  return (server.auth === 'oauth' || server.auth === 'token') && server.url !== null
}

/** The servers whose tools the actor may use after connecting them. */
export function connectable(
  actor: Pick<Actor, 'groups' | 'isAdmin'>,
  { mcpServers }: Pick<Settings, 'mcpServers'>,
): PersonalServer[] {
  return mcpServers.filter(isPersonal).filter((server) => mayUse(actor, server))
}

/** Reads all stored connections of a user in any state, by the name of their server. */
export async function ofUser(uid: number): Promise<Map<string, Connection>> {
  const rows = await Table.below(key(uid, ''))
  return new Map(rows.map(codec.decode).map((connection) => [connection.server, connection]))
}

/** Reads a user's current connection to a server; undefined if there is none for its address. */
export async function read(uid: number, server: PersonalServer): Promise<Connection | undefined> {
  const row = await Table.get(key(uid, server.name))
  const connection = row && codec.decode(row)
  return connection?.url === server.url ? connection : undefined
}

/** True if a stored connection fits the server as the settings describe it. */
export function isConnected(connection: Connection | undefined, { url }: PersonalServer): boolean {
  return connection?.state === 'connected' && connection.url === url
}

/** Stores a grant that the user has just given, and replaces any earlier one. */
export async function connected(
  uid: number,
  server: PersonalServer,
  grant: Grant,
  now: number,
): Promise<void> {
  const before = await Table.get(key(uid, server.name))
  const version = before ? codec.decode(before).version + 1 : 1
  await Table.put({
    ...key(uid, server.name),
    ...codec.encode({ ...grantItem(uid, server, grant, now), since: new Date(now).toISOString(), version }),
  })
}

/** Stores a renewed grant; false if the user has disconnected or reconnected meanwhile. */
export function renewed(
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

/** Deletes a grant that the server no longer accepts, and marks the connection as ended. A newer grant stays. */
export async function ended(uid: number, before: Connection): Promise<void> {
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

/** The condition that the stored grant is still the one that was read. */
export const sameVersion = ({ version }: Connection): Required<Table.Condition> => ({
  condition: '#version = :version',
  names: { '#version': codec.attributes.version },
  values: { ':version': version },
})
