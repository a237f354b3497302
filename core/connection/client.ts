import {
  type AuthorizationServerMetadata,
  registerClient,
  resolveClientMetadata,
} from '@modelcontextprotocol/client'
import { item, text } from '../aws/item.ts'
import * as Table from '../aws/table.ts'
import { hash } from '../canonical.ts'
import type { Fetch } from '../safety/guard.ts'
import { config, secret } from '../stage/config.ts'
import type { ClientIdentity, PersonalServer } from './grant.ts'
import { seal, unseal } from './seal.ts'

/** How the stage is registered at a server of grants, once for all users; it may have a secret. */
export const codec = item('client of a server of grants', 1, { sealed: text('sealed') })

/** Where browsers come back to from a server of grants. */
export const redirectUrl = (): string => `${config().origin}/ai-chat/connections/callback`

/** The stage's own description, of which a server of grants takes what it needs. */
function description() {
  return resolveClientMetadata({
    redirectUrl: redirectUrl(),
    clientMetadata: {
      client_name: 'Backend AI chat',
      client_uri: config().origin,
      redirect_uris: [redirectUrl()],
      response_types: ['code'],
      // A public client: PKCE proves that who redeems the code has asked for it.
      token_endpoint_auth_method: 'none',
    },
  })
}

const placeOf = (issuer: string, scope: string | undefined): string =>
  [issuer, redirectUrl(), scope ?? ''].join(' ')
const keyOf = (place: string): Table.Key => ({ pk: 'connection-client', sk: hash(place) })

/**
 * Who the stage is to a server of grants: as the settings say, as it was registered before, or registered now (RFC 7591).
 * Rejects where the server takes no registration.
 */
export async function identity(
  server: PersonalServer,
  issuer: { url: string; metadata?: AuthorizationServerMetadata | undefined },
  scope: string | undefined,
  fetchFn: Fetch,
): Promise<ClientIdentity> {
  if (server.clientId !== null) {
    const client_secret = server.secret === null ? undefined : secret(server.secret)
    return { client_id: server.clientId, ...(client_secret && { client_secret }) }
  }
  const place = placeOf(issuer.url, scope)
  const key = keyOf(place)
  const row = await Table.get(key)
  const known = row && unseal(codec.decode(row).sealed, place)
  if (known) return JSON.parse(known) as ClientIdentity
  const { client_id, client_secret } = await registerClient(issuer.url, {
    clientMetadata: description(),
    fetchFn,
    ...(issuer.metadata && { metadata: issuer.metadata }),
    ...(scope && { scope }),
  })
  const client = { client_id, ...(client_secret && { client_secret }) }
  await Table.put({ ...key, ...codec.encode({ sealed: seal(JSON.stringify(client), place) }) })
  return client
}

/** Forgets how the stage is registered, for a server of grants that does not know it any more. */
export async function forget(issuer: string, scope: string | undefined): Promise<void> {
  await Table.remove(keyOf(placeOf(issuer, scope)))
}
