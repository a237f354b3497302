import { setTimeout as later } from 'node:timers/promises'
import { OAuthError, OAuthErrorCode, refreshAuthorization } from '@modelcontextprotocol/client'
import * as Table from '../aws/table.ts'
import * as Log from '../log.ts'
import { asking } from './ask.ts'
import { ended, type Grant, grantOf, type PersonalServer, read, renewed, sameVersion } from './grant.ts'
import { type Connection, codec, key } from './item.ts'

/** There is no token of the user for the server: none was given, it has ended, or it could not be renewed just now. */
export class NotConnected extends Error {
  readonly why: 'none' | 'ended' | 'unreachable'
  constructor(why: NotConnected['why']) {
    super(sentences[why])
    this.name = 'NotConnected'
    this.why = why
  }
}

/** For a model, which passes it on. */
const sentences = {
  none: 'the user has not connected this server. They can do so under "Connections" in the menu of the chat.',
  ended:
    'the grant of the user for this server has ended or was revoked. They can connect it again under "Connections" in the menu of the chat.',
  unreachable: 'the grant of the user could not be renewed just now, because its server did not answer.',
}

/** A token that ends within this time is renewed before it is sent, in milliseconds. */
const marginMs = 60_000
/** How long a renewal keeps others from beginning one, and how often they look whether it is there, in milliseconds. */
const renewalMs = 20_000
const lookMs = 250

type Renewable = Extract<Grant, { kind: 'oauth' }>

/** The token of the user for the server, renewed where it has ended. Throws NotConnected. */
export async function tokenOf(uid: number, server: PersonalServer, now: number): Promise<string> {
  const { connection, grant } = await current(uid, server)
  if (grant.kind === 'token') return grant.token
  const { until } = connection
  if (until === undefined || now < until - marginMs) return grant.tokens.access_token
  return renew(uid, server, { connection, grant }, now)
}

/** Looks after a token that the server has refused: renewed where possible, else ended. Throws NotConnected then. */
export async function refused(
  uid: number,
  server: PersonalServer,
  token: string,
  now: number,
): Promise<void> {
  const { connection, grant } = await current(uid, server)
  if (grant.kind === 'oauth') {
    // Another call has had it renewed meanwhile.
    if (grant.tokens.access_token === token) await renew(uid, server, { connection, grant }, now)
    return
  }
  if (grant.token !== token) return
  await ended(uid, connection)
  throw new NotConnected('ended')
}

async function current(
  uid: number,
  server: PersonalServer,
): Promise<{ connection: Connection; grant: Grant }> {
  const connection = await read(uid, server)
  if (!connection) throw new NotConnected('none')
  const grant = grantOf(uid, server, connection)
  if (!grant) throw new NotConnected('ended')
  return { connection, grant }
}

/** Renews a grant, one process at a time: a server of grants revokes the whole grant when a word is used twice. */
async function renew(
  uid: number,
  server: PersonalServer,
  { connection, grant }: { connection: Connection; grant: Renewable },
  now: number,
): Promise<string> {
  const { tokens, issuer, client } = grant
  if (!tokens.refresh_token) {
    await ended(uid, connection)
    throw new NotConnected('ended')
  }
  if (!(await take(uid, connection, now))) return afterAnother(uid, server, connection)
  try {
    const fresh = await refreshAuthorization(issuer.url, {
      clientInformation: client,
      refreshToken: tokens.refresh_token,
      fetchFn: asking(),
      ...(issuer.metadata && { metadata: issuer.metadata }),
      ...(issuer.resource && { resource: issuer.resource }),
    })
    const next: Grant = { ...grant, tokens: fresh }
    if (await renewed(uid, server, connection, next, now)) return fresh.access_token
  } catch (error) {
    if (error instanceof OAuthError && isFinal(error)) {
      await ended(uid, connection)
      throw new NotConnected('ended')
    }
    await give(uid, connection)
    Log.warn('A grant could not be renewed', { server: server.name })
    throw new NotConnected('unreachable')
  }
  // The user has disconnected, or connected again, while it was renewed.
  return latest(uid, server)
}

/** Whether the server of grants will never renew this one. */
function isFinal({ code }: OAuthError): boolean {
  return [OAuthErrorCode.InvalidGrant, OAuthErrorCode.InvalidClient, OAuthErrorCode.UnauthorizedClient].some(
    (final) => final === code,
  )
}

function take(uid: number, connection: Connection, now: number): Promise<boolean> {
  const { condition, names, values } = sameVersion(connection)
  return Table.update(key(uid, connection.server), {
    UpdateExpression: 'SET #renewing = :until',
    ConditionExpression: `${condition} AND (attribute_not_exists(#renewing) OR #renewing <= :now)`,
    ExpressionAttributeNames: { ...names, '#renewing': codec.attributes.renewingUntil },
    ExpressionAttributeValues: { ...values, ':until': now + renewalMs, ':now': now },
  })
}

async function give(uid: number, connection: Connection): Promise<void> {
  const { condition, names, values } = sameVersion(connection)
  await Table.update(key(uid, connection.server), {
    UpdateExpression: 'SET #renewing = :never',
    ConditionExpression: condition,
    ExpressionAttributeNames: { ...names, '#renewing': codec.attributes.renewingUntil },
    ExpressionAttributeValues: { ...values, ':never': 0 },
  })
}

/** Waits for the renewal that another process has begun. */
async function afterAnother(uid: number, server: PersonalServer, before: Connection): Promise<string> {
  for (let waited = 0; waited < renewalMs; waited += lookMs) {
    await later(lookMs)
    const now = await read(uid, server)
    if (now?.version !== before.version || now.state !== 'connected') return latest(uid, server)
  }
  throw new NotConnected('unreachable')
}

async function latest(uid: number, server: PersonalServer): Promise<string> {
  const { grant } = await current(uid, server)
  return grant.kind === 'token' ? grant.token : grant.tokens.access_token
}
