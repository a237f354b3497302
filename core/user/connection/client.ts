import * as Mcp from '@modelcontextprotocol/client'
import { item, text } from '../../base/aws/item.ts'
import * as Table from '../../base/aws/table.ts'
import { config, secret } from '../../base/config.ts'
import { hash } from '../../base/hash.ts'
import { type Fetch, guarded, Refused } from '../../base/safety/guard.ts'
import type { PersonalServer } from './grant.ts'
import { seal, unseal } from './seal.ts'
import { ClientIdentity } from './sealed.ts'

/** The stored registration of the stage at an authorization server, shared by all users; it may contain a secret. */
export const codec = item('client of a server of grants', 1, { sealed: text('sealed') })

/** Returns the redirect URI that authorization servers send browsers to. */
export const redirectUrl = (): string => `${config().origin}/ai-chat/connections/callback`

/** Returns the stage's client metadata for a registration; the authorization server uses the parts it needs. */
function description() {
  return Mcp.resolveClientMetadata({
    redirectUrl: redirectUrl(),
    clientMetadata: {
      client_name: 'Backend AI chat',
      client_uri: config().origin,
      redirect_uris: [redirectUrl()],
      response_types: ['code'],
      // A public client: PKCE proves that the client that redeems the code also requested it.
      token_endpoint_auth_method: 'none',
    },
  })
}

const keyOf = (issuer: string): Table.Key => ({
  pk: 'connection-client',
  sk: hash([issuer, redirectUrl()]),
})
const clientContext = (issuer: string): string => [issuer, redirectUrl()].join(' ')

/** The lifetime of a registration, in milliseconds. A grant keeps the client that it was issued to. */
const registeredMs = 90 * 86_400_000

/**
 * Returns the stage's OAuth client at an authorization server: from the settings, from an earlier registration, or from
 * a new one (RFC 7591). The client in the settings is used only for the issuer in the settings. Rejects if the server
 * allows no dynamic registration.
 */
export async function identity(
  server: PersonalServer,
  issuer: { url: string; metadata?: Mcp.AuthorizationServerMetadata | undefined },
  fetchFn: Fetch,
  now: number,
): Promise<ClientIdentity> {
  if (server.clientId !== null) {
    // An MCP server can name any authorization server, so the secret goes only to the issuer that gave it.
    if (server.issuer === null || new URL(server.issuer).href !== new URL(issuer.url).href)
      throw new Refused('The server names another authorization server than the settings.')
    const client_secret = server.secret === null ? undefined : secret(server.secret)
    return { client_id: server.clientId, ...(client_secret && { client_secret }) }
  }
  const key = keyOf(issuer.url)
  const row = await Table.get(key)
  const known = row && unseal(codec.decode(row).sealed, clientContext(issuer.url), ClientIdentity)
  if (known) return known
  // Registers without a scope, so that one registration serves every later scope.
  const { client_id, client_secret } = await Mcp.registerClient(issuer.url, {
    clientMetadata: description(),
    fetchFn,
    ...(issuer.metadata && { metadata: issuer.metadata }),
  })
  const client = { client_id, ...(client_secret && { client_secret }) }
  await Table.put({
    ...key,
    ...codec.encode({ sealed: seal(JSON.stringify(client), clientContext(issuer.url)) }),
    ...Table.expiresAt(now + registeredMs),
  })
  return client
}

/** Deletes the stage's registration at an authorization server that no longer knows it. */
export async function forget(issuer: string): Promise<void> {
  await Table.remove(keyOf(issuer))
}

/** The timeout of one request of the flow, in milliseconds, and the most bytes of its answer. */
const answerPatienceMs = 8_000
const maxAnswerBytes = 500_000

/**
 * Returns the fetch for requests of the flow, with the same guards as requests to MCP servers. It follows no redirect.
 */
export function asking(): Fetch {
  const send = guarded({ maxBytes: maxAnswerBytes, isLocal: config().isLocal })
  return (target, init) => send(target, { ...init, signal: AbortSignal.timeout(answerPatienceMs) })
}
