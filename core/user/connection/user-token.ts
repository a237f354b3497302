import { setTimeout as later } from 'node:timers/promises'
import { OAuthError, OAuthErrorCode, refreshAuthorization } from '@modelcontextprotocol/client'
import * as Table from '../../base/aws/table.ts'
import * as Log from '../../base/log.ts'
import { asking } from './client.ts'
import {
  type Connection,
  codec,
  endGrant,
  grantContext,
  isConnected,
  key,
  type PersonalServer,
  putRenewedGrant,
  read,
  sameVersion,
} from './grant.ts'
import { unseal } from './seal.ts'
import { Grant, partsOf } from './sealed.ts'

/** Thrown if the user has no valid token for the server: never given, ended, or not renewable at the moment. */
export class NotConnected extends Error {
  constructor(why: keyof typeof sentences) {
    super(sentences[why])
    this.name = 'NotConnected'
  }
}

/** The sentences for a model, which tells them to the user. */
const sentences = {
  none: 'the user has not connected this server. They can do so under "Connections" in the menu of the chat.',
  ended:
    'the grant of the user for this server has ended or was revoked. They can connect it again under "Connections" in the menu of the chat.',
  unreachable: 'the grant of the user could not be renewed just now, because its server did not answer.',
}

/** A token that expires within this time, in milliseconds, is renewed before use. */
const marginMs = 60_000
/**
 * The time for which a renewal blocks other processes, and the interval of their checks for its end, in milliseconds.
 */
const renewalMs = 20_000
const renewalLookMs = 250

/** A user's connection with its decrypted grant. */
type Current<G extends Grant> = { connection: Connection; grant: G }

/** Returns the user's valid token for the server; renews an expired one first. Rejects with NotConnected. */
export async function tokenOf(uid: number, server: PersonalServer, now: number): Promise<string> {
  const { connection, grant } = await current(uid, server)
  if (grant.kind === 'token') return grant.token
  const { until } = connection
  if (until === undefined || now < until - marginMs) return grant.tokens.access_token
  return renew(uid, server, { connection, grant }, now)
}

/**
 * Handles a token that the server has rejected: renews it if possible. Otherwise ends the connection and rejects with
 * NotConnected.
 */
export async function replaceRefused(
  uid: number,
  server: PersonalServer,
  token: string,
  now: number,
): Promise<void> {
  const { connection, grant } = await current(uid, server)
  if (grant.kind === 'oauth') {
    // If the tokens differ, another call has already renewed the grant.
    if (grant.tokens.access_token === token) await renew(uid, server, { connection, grant }, now)
    return
  }
  if (grant.token !== token) return
  await endGrant(uid, connection)
  throw new NotConnected('ended')
}

async function current(uid: number, server: PersonalServer): Promise<Current<Grant>> {
  const connection = await read(uid, server)
  if (!connection) throw new NotConnected('none')
  const place = grantContext(uid, server.name, server.url)
  const grant = isConnected(connection, server) ? unseal(connection.sealed, place, Grant) : undefined
  if (!grant) throw new NotConnected('ended')
  return { connection, grant }
}

/**
 * Renews a grant in only one process at a time. An authorization server revokes a whole grant if a refresh token is
 * used twice.
 */
async function renew(
  uid: number,
  server: PersonalServer,
  { connection, grant }: Current<Extract<Grant, { kind: 'oauth' }>>,
  now: number,
): Promise<string> {
  const { tokens, issuer, client } = grant
  if (!tokens.refresh_token) {
    await endGrant(uid, connection)
    throw new NotConnected('ended')
  }
  if (!(await takeRenewal(uid, connection, now))) return afterAnother(uid, server, connection)
  try {
    const fresh = await refreshAuthorization(issuer.url, {
      clientInformation: client,
      refreshToken: tokens.refresh_token,
      fetchFn: asking(),
      ...partsOf(issuer),
    })
    if (await putRenewedGrant(uid, server, connection, { ...grant, tokens: fresh }, now))
      return fresh.access_token
  } catch (error) {
    if (error instanceof OAuthError && isFinal(error)) {
      await endGrant(uid, connection)
      throw new NotConnected('ended')
    }
    await give(uid, connection)
    Log.warn('A grant could not be renewed', { server: server.name })
    throw new NotConnected('unreachable')
  }
  // The user has disconnected or reconnected during the renewal.
  return latest(uid, server)
}

/** True if the authorization server will never renew this grant. */
function isFinal({ code }: OAuthError): boolean {
  const { InvalidGrant, InvalidClient, UnauthorizedClient } = OAuthErrorCode
  return [InvalidGrant, InvalidClient, UnauthorizedClient].some((final) => final === code)
}

async function takeRenewal(uid: number, connection: Connection, now: number): Promise<boolean> {
  const { renewingUntil } = codec.attributes
  const isFree = `attribute_not_exists(#${renewingUntil}) OR #${renewingUntil} <= :now`
  const write = Table.assignWrite(key(uid, connection.server), {
    set: { [renewingUntil]: now + renewalMs },
    ...Table.allOf(sameVersion(connection), { condition: isFree, values: { ':now': now } }),
  })
  return Table.writeOnce(write)
}

async function give(uid: number, connection: Connection): Promise<void> {
  const set = { [codec.attributes.renewingUntil]: 0 }
  await Table.assign(key(uid, connection.server), { set, ...sameVersion(connection) })
}

/** Waits for the renewal that another process runs, and returns the new token. */
async function afterAnother(uid: number, server: PersonalServer, before: Connection): Promise<string> {
  for (let waited = 0; waited < renewalMs; waited += renewalLookMs) {
    await later(renewalLookMs)
    const now = await read(uid, server)
    if (now?.version !== before.version || now.state !== 'connected') return latest(uid, server)
  }
  throw new NotConnected('unreachable')
}

async function latest(uid: number, server: PersonalServer): Promise<string> {
  const { grant } = await current(uid, server)
  return grant.kind === 'token' ? grant.token : grant.tokens.access_token
}

/**
 * Deletes a user's grant for a server, even if its revocation fails. Revokes the grant if the authorization server
 * supports revocation (RFC 7009).
 */
export async function disconnect(uid: number, server: string): Promise<void> {
  const row = await Table.get(key(uid, server))
  if (!row) return
  await Table.remove(key(uid, server))
  const { sealed, url } = codec.decode(row)
  const grant = unseal(sealed, grantContext(uid, server, url), Grant)
  if (grant) await revoke(grant, server)
}

async function revoke(grant: Grant, server: string): Promise<void> {
  if (grant.kind === 'token') return
  const { tokens, issuer, client } = grant
  const { metadata } = issuer
  // The types of OpenID Connect metadata lack this endpoint.
  const endpoint = metadata && Reflect.get(metadata, 'revocation_endpoint')
  if (typeof endpoint !== 'string') return
  const isRenewable = tokens.refresh_token !== undefined
  const body = new URLSearchParams({
    token: tokens.refresh_token ?? tokens.access_token,
    token_type_hint: isRenewable ? 'refresh_token' : 'access_token',
    client_id: client.client_id,
    ...(client.client_secret && { client_secret: client.client_secret }),
  })
  try {
    const answer = await asking()(endpoint, { method: 'POST', body })
    await answer.body?.cancel()
    if (!answer.ok) Log.warn('A grant was not revoked at its server', { server, status: answer.status })
  } catch {
    // The server's message is untrusted, so the log omits it. The grant expires at the server.
    Log.warn('A grant was not revoked at its server', { server })
  }
}
