import type { AuthorizationServerMetadata, OAuthTokens } from '@modelcontextprotocol/client'
import type { Actor } from '../actor.ts'
import * as Table from '../aws/table.ts'
import type { McpServer, Settings } from '../settings/schema.ts'
import { mayUse } from '../settings/server.ts'
import { type Connection, codec, key, placeOf } from './item.ts'
import { seal, unseal } from './seal.ts'

/** Who a client of a server of grants is; the secret is there for confidential clients alone. */
export type ClientIdentity = { client_id: string; client_secret?: string | undefined }

/** Where a grant comes from and is renewed. */
export type Issuer = {
  url: string
  metadata?: AuthorizationServerMetadata | undefined
  /** What the token is for (RFC 8707). */
  resource?: string | undefined
}

/** The secret part of a connection. */
export type Grant =
  | { kind: 'token'; token: string }
  | { kind: 'oauth'; tokens: OAuthTokens; issuer: Issuer; client: ClientIdentity }

/** A server that each user connects by themselves, over HTTP. */
export type PersonalServer = McpServer & { url: string; auth: 'oauth' | 'token' }

/** Whether each user brings a grant of their own for the server. */
export function isPersonal(server: McpServer): server is PersonalServer {
  return (server.auth === 'oauth' || server.auth === 'token') && server.url !== null
}

/** The servers of which the actor may use the tools, once they have connected them. */
export function connectable(
  actor: Pick<Actor, 'groups' | 'isAdmin'>,
  { mcpServers }: Pick<Settings, 'mcpServers'>,
): PersonalServer[] {
  return mcpServers.filter(isPersonal).filter((server) => mayUse(actor, server))
}

/** The connections of a user, by the name of their server; all that are stored, whatever their state. */
export async function ofUser(uid: number): Promise<Map<string, Connection>> {
  const rows = await Table.all({
    KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
    ExpressionAttributeValues: { ':pk': key(uid, '').pk, ':prefix': key(uid, '').sk },
  })
  return new Map(rows.map(codec.decode).map((connection) => [connection.server, connection]))
}

/** The connection of a user to a server as it is now; undefined where there is none for its address. */
export async function read(uid: number, server: PersonalServer): Promise<Connection | undefined> {
  const row = await Table.get(key(uid, server.name))
  const connection = row && codec.decode(row)
  return connection?.url === server.url ? connection : undefined
}

/** Whether a stored connection can be used for the server as the settings have it. */
export function isConnected(connection: Connection | undefined, { url }: PersonalServer): boolean {
  return connection?.state === 'connected' && connection.url === url
}

/** The grant of a connection; undefined where it has ended, or was encrypted under another key. */
export function grantOf(uid: number, server: PersonalServer, connection: Connection): Grant | undefined {
  if (!isConnected(connection, server)) return undefined
  const opened = unseal(connection.sealed, placeOf(uid, server.name, server.url))
  return opened === undefined ? undefined : (JSON.parse(opened) as Grant)
}

/** Stores a grant that the user has just given, over whatever was there. */
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
    ...codec.encode({ ...stored(uid, server, grant, now), since: new Date(now).toISOString(), version }),
  })
}

/** Stores what a renewal brought; false where the user has disconnected, or connected again, meanwhile. */
export function renewed(
  uid: number,
  server: PersonalServer,
  before: Connection,
  grant: Grant,
  now: number,
): Promise<boolean> {
  const { since, version } = before
  const row = codec.encode({ ...stored(uid, server, grant, now), since, version: version + 1 })
  return Table.put({ ...key(uid, server.name), ...row }, sameVersion(before))
}

/** Marks that the server does not take the grant any more, and forgets it. A newer grant stays. */
export async function ended(uid: number, before: Connection): Promise<void> {
  const row = codec.encode({ ...before, state: 'ended', sealed: '', renewingUntil: 0 })
  await Table.put({ ...key(uid, before.server), ...row }, sameVersion(before))
}

function stored(uid: number, { name, url }: PersonalServer, grant: Grant, now: number) {
  const lasts = grant.kind === 'oauth' ? grant.tokens.expires_in : undefined
  return {
    server: name,
    url,
    state: 'connected' as const,
    sealed: seal(JSON.stringify(grant), placeOf(uid, name, url)),
    until: lasts === undefined ? undefined : now + lasts * 1000,
    renewingUntil: 0,
  }
}

/** Holds while the stored grant is the one that was read. */
export const sameVersion = ({ version }: Connection): Table.Condition => ({
  condition: '#version = :version',
  names: { '#version': codec.attributes.version },
  values: { ':version': version },
})
