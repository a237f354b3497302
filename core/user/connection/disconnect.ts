import * as Table from '../../base/aws/table.ts'
import * as Log from '../../base/log.ts'
import { asking } from './client.ts'
import { codec, grantContext, key } from './item.ts'
import { unseal } from './seal.ts'
import { Grant } from './sealed.ts'

/**
 * Deletes a user's grant for a server, and revokes it if the authorization server supports revocation (RFC 7009). The
 * local grant is deleted in any case.
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
    // The server's words are untrusted, so the log omits them. The grant expires there by itself.
    Log.warn('A grant was not revoked at its server', { server })
  }
}
