import { randomBytes } from 'node:crypto'
import * as Mcp from '@modelcontextprotocol/client'
import * as Table from '../../base/aws/table.ts'
import { config } from '../../base/config.ts'
import { VisibleError } from '../../base/error.ts'
import { sha256 } from '../../base/hash.ts'
import * as Log from '../../base/log.ts'
import { type Fetch, Refused } from '../../base/safety/guard.ts'
import { asking, forget, identity, redirectUrl } from './client.ts'
import { attemptCodec, attemptKey, attemptMs, grantContext, type PersonalServer, putGrant } from './grant.ts'
import { seal, unseal } from './seal.ts'
import { Attempt, type Issuer, partsOf } from './sealed.ts'

/** A new attempt to connect: the URL for the browser, and the value of its cookie. */
export type Begun = { url: string; browser: string | undefined }

/**
 * Begins an OAuth 2.1 authorization code flow with PKCE. Finds the authorization server, registers the stage if needed,
 * and returns the URL where the user consents. Rejects with `connection.failed`.
 */
export async function begin(
  { uid, username }: { uid: number; username: string },
  server: PersonalServer,
  hasCookies: boolean,
  now: number,
): Promise<Begun> {
  const browser = hasCookies ? randomBytes(24).toString('base64url') : undefined
  try {
    const fetchFn = asking()
    const { issuer, scope } = await discovered(server, fetchFn)
    const client = await identity(server, issuer, fetchFn, now)
    const word = randomBytes(24).toString('base64url')
    const { authorizationUrl, codeVerifier } = await Mcp.startAuthorization(issuer.url, {
      clientInformation: client,
      redirectUrl: redirectUrl(),
      state: `${uid}.${word}`,
      ...(scope && { scope }),
      ...partsOf(issuer),
    })
    refuseScheme(authorizationUrl)
    const attempt: Attempt = { verifier: codeVerifier, issuer, client, username }
    if (browser) attempt.browser = sha256(browser)
    const place = grantContext(uid, server.name, server.url)
    await Table.put({
      ...attemptKey(uid, sha256(word)),
      ...attemptCodec.encode({
        server: server.name,
        sealed: seal(JSON.stringify(attempt), place),
        until: now + attemptMs,
      }),
      ...Table.expiresAt(now + attemptMs),
    })
    return { url: authorizationUrl.href, browser }
  } catch (error) {
    if (error instanceof VisibleError) throw error
    Log.warn('A server of grants could not be asked', { server: server.name, reason: loggedReason(error) })
    throw new VisibleError('connection.failed')
  }
}

/** Returns the reason for the log. The server's message is untrusted, so the log gets only the kind of the error. */
function loggedReason(error: unknown): string {
  if (error instanceof Refused) return error.message
  return error instanceof Error ? error.name : 'unknown'
}

/** Discovers the authorization server of a tool server, and the scope to request. */
async function discovered(
  server: PersonalServer,
  fetchFn: Fetch,
): Promise<{ issuer: Issuer; scope: string | undefined }> {
  const challenge = await challenged(server.url, fetchFn)
  const { authorizationServerUrl, authorizationServerMetadata, resourceMetadata } =
    await Mcp.discoverOAuthServerInfo(server.url, {
      fetchFn,
      ...(challenge.resourceMetadataUrl && { resourceMetadataUrl: challenge.resourceMetadataUrl }),
    })
  const resource = resourceMetadata?.resource
  if (resource !== undefined) {
    const requestedResource = Mcp.resourceUrlFromServerUrl(server.url)
    if (!Mcp.checkResourceAllowed({ requestedResource, configuredResource: resource }))
      throw new Refused('The server names another resource than itself.')
  }
  const wanted = server.scope ?? challenge.scope ?? resourceMetadata?.scopes_supported?.join(' ')
  const isRenewable = authorizationServerMetadata?.scopes_supported?.includes('offline_access') ?? false
  const scopes = [...new Set([...(wanted ?? '').split(' '), isRenewable ? 'offline_access' : ''])]
  return {
    issuer: { url: String(authorizationServerUrl), metadata: authorizationServerMetadata, resource },
    scope: scopes.filter(Boolean).join(' ') || undefined,
  }
}

/**
 * Sends a request without a token and reads the server's challenge: the URL of its metadata, and the scope it wants.
 */
async function challenged(url: string, fetchFn: Fetch) {
  const answer = await fetchFn(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
  })
  await answer.body?.cancel()
  return answer.status === 401 ? Mcp.extractWWWAuthenticateParams(answer) : {}
}

/** Rejects every scheme but https (and http on the local stage), because a browser could run another URL as code. */
function refuseScheme({ protocol }: URL): void {
  if (protocol === 'https:' || (protocol === 'http:' && config().isLocal)) return
  throw new Refused('The address for the consent is no page of the web.')
}

/** The query of the callback, the cookie of the browser, and the person's confirmation. */
type Return = {
  state: string
  code?: string | undefined
  iss?: string | undefined
  cookie: string | undefined
  isConfirmed: boolean
}

/**
 * The outcome of a callback. `unknown`: this browser has no attempt, or it has expired. `confirm`: the person must
 * first confirm that the named account is theirs. `denied`: the user or the server refused.
 */
export type Completed =
  | { state: 'unknown' }
  | { state: 'confirm'; server: string; username: string }
  | { state: 'denied'; server: string }
  | { state: 'connected'; server: string; uid: number }

/** Redeems the code of a callback once, and stores the grant. */
export async function complete(
  servers: readonly PersonalServer[],
  { state, code, iss, cookie, isConfirmed }: Return,
  now: number,
): Promise<Completed> {
  const [, uid = '', word = ''] = /^([1-9][0-9]{0,15})\.([A-Za-z0-9_-]{32})$/.exec(state) ?? []
  if (word === '') return { state: 'unknown' }
  const owner = Number(uid)
  const key = attemptKey(owner, sha256(word))
  const row = await Table.get(key)
  const kept = row && attemptCodec.decode(row)
  const server = servers.find(({ name }) => name === kept?.server)
  if (!kept || !server || now >= kept.until) return { state: 'unknown' }
  const attempt = unseal(kept.sealed, grantContext(owner, server.name, server.url), Attempt)
  if (!attempt) return { state: 'unknown' }
  if (attempt.browser !== undefined && (cookie === undefined || sha256(cookie) !== attempt.browser))
    return { state: 'unknown' }
  if (attempt.browser === undefined && !isConfirmed)
    return { state: 'confirm', server: server.name, username: attempt.username }
  const isTaken = await Table.writeOnce(Table.removeWrite(key, { condition: 'attribute_exists(pk)' }))
  if (!isTaken) return { state: 'unknown' }
  if (code === undefined) return { state: 'denied', server: server.name }
  return redeemed(owner, server, attempt, { code, iss }, now)
}

async function redeemed(
  uid: number,
  server: PersonalServer,
  { verifier, issuer, client }: Attempt,
  { code, iss }: { code: string; iss: string | undefined },
  now: number,
): Promise<Completed> {
  try {
    const tokens = await Mcp.exchangeAuthorization(issuer.url, {
      clientInformation: client,
      authorizationCode: code,
      codeVerifier: verifier,
      redirectUri: redirectUrl(),
      fetchFn: asking(),
      ...(iss !== undefined && { iss }),
      ...partsOf(issuer),
    })
    await putGrant(uid, server, { kind: 'oauth', tokens, issuer, client }, now)
    return { state: 'connected', server: server.name, uid }
  } catch (error) {
    if (error instanceof Mcp.OAuthError && error.code === Mcp.OAuthErrorCode.InvalidClient)
      await forget(issuer.url)
    Log.warn('A code could not be redeemed', { server: server.name, reason: loggedReason(error) })
    return { state: 'denied', server: server.name }
  }
}
