import { createHash, randomUUID } from 'node:crypto'
import { SignJWT } from 'jose'
import type { Endpoint, TypedUser } from 'payload'
import { audience, type Pairing } from '../../../core/cms/bridge/pairing.ts'
import { answer, type ServerOptions } from '../../../core/cms/bridge/server.ts'
import type { AiChatOptions } from './options.ts'
import { payloadCms } from './payload-cms.ts'
import { spend } from './store.ts'
import { userWith } from './user.ts'

/** How long a statement is valid, in seconds. */
const statementSeconds = 50
/** How long the site waits for the stage when a user logs out, in milliseconds. */
const patienceMs = 3_000
/** The path at which a page of the admin panel gets statements, below the address of Payload's API. */
export const statementPath = '/ai-chat/statement'

/**
 * The endpoints of the plugin: the bridge for the stage, which signs for the address `base`, and statements for the pages of
 * the admin panel.
 */
export function endpoints(
  pairing: Pairing,
  previous: Pairing | undefined,
  options: AiChatOptions,
  version: string,
  base: string,
): Endpoint[] {
  const keys = new Map([pairing, previous].flatMap((it) => (it ? [[it.keyId, it.bridgeKey] as const] : [])))
  return [
    {
      path: '/aic/v2/:operation',
      method: 'post',
      handler: async (req) => {
        const { payload } = req
        const server: ServerOptions = {
          base,
          keys,
          spend: (...nonce) => spend(payload, ...nonce),
          now: Date.now,
        }
        const operation = String(req.routeParams?.operation)
        const request = {
          operation,
          headers: Object.fromEntries(req.headers),
          body: (await req.text?.()) ?? '',
        }
        const { status, body } = await answer(payloadCms(payload, options, version), server, request)
        return new Response(body, { status, headers: { 'content-type': 'application/json' } })
      },
    },
    {
      path: statementPath,
      method: 'post',
      handler: async ({ user, payload }) => {
        const headers = { 'cache-control': 'no-store' }
        const known = user?.collection === payload.config.admin.user && (await userWith(payload, user.id))
        if (!user || !known) return Response.json({}, { status: 401, headers })
        return Response.json({ token: await statement(pairing, user) }, { headers })
      },
    },
  ]
}

/** Ends the sessions in the chat that belong to the session of Payload that ends here. */
export async function endSessions(pairing: Pairing, user: TypedUser): Promise<void> {
  const token = await statement(pairing, user, { use: 'end' })
  // A stage that cannot be reached ends its session by itself within minutes; the logout does not wait for it.
  await fetch(`${pairing.origin}/backend/exchange/end`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token }),
    signal: AbortSignal.timeout(patienceMs),
  }).catch(() => undefined)
}

/** A statement about a user, signed with the exchange key. */
function statement({ keyId, exchangeKey }: Pairing, user: TypedUser, more = {}): Promise<string> {
  const { _sid: session } = user as { _sid?: string }
  const sid = session === undefined ? {} : { sid: createHash('sha256').update(session).digest('hex') }
  return new SignJWT({ ...sid, ...more })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .setIssuer(keyId)
    .setAudience(audience)
    .setSubject(String(user.id))
    .setJti(randomUUID())
    .setExpirationTime(Math.floor(Date.now() / 1000) + statementSeconds)
    .sign(new TextEncoder().encode(exchangeKey))
}
