import * as z from 'zod'
import * as Table from '../../base/aws/table.ts'
import { config } from '../../base/config.ts'
import { VisibleError } from '../../base/error.ts'
import { sha256 } from '../../base/hash.ts'
import { parsedJson } from '../../base/json.ts'
import * as Log from '../../base/log.ts'
import { guarded } from '../../base/safety/guard.ts'
import { seal, unseal } from '../connection/seal.ts'
import { network } from '../session/login.ts'

/**
 * OAuth clients: programs that ask users for access. All are public, and PKCE proves that the program which redeems a code
 * is the one that asked for it. The id of a registered client is its registration, sealed by the stage: nothing is stored,
 * so nobody can fill the table. Any other id is the address of a document that describes the client.
 */
const sealedFor = 'OAuth client'

/** Schemes of programs on the user's device; others have the name of a domain in them (RFC 8252, 7.1). */
const schemesOfPrograms =
  /^(?:cursor|vscode|vscode-insiders|windsurf|claude|[a-z][a-z0-9+-]*\.[a-z0-9+.-]+):$/

const loopbacks = new Set(['127.0.0.1', '[::1]', 'localhost'])
const isLoopback = ({ protocol, hostname }: URL) => protocol === 'http:' && loopbacks.has(hostname)

function isRedirect(text: string): boolean {
  if (!URL.canParse(text)) return false
  const url = new URL(text)
  if (url.hash !== '' || url.username !== '' || url.password !== '') return false
  return url.protocol === 'https:' || isLoopback(url) || schemesOfPrograms.test(url.protocol)
}

const RedirectUri = z.string().max(500).refine(isRedirect, 'https, loopback, or the scheme of a program')
const Name = z.string().max(500)

/** `POST /oauth/register`: the metadata of a client (RFC 7591), as far as the stage uses them. */
export const RegisterBody = z.object({
  redirect_uris: z.array(RedirectUri).min(1).max(5),
  client_name: Name.default(''),
})
export type RegisterBody = z.infer<typeof RegisterBody>

/** A client: its name is its own word, its redirect URIs are where codes may go. */
export type Client = { id: string; name: string; redirectUris: string[] }
const Sealed = z.object({ name: z.string(), redirectUris: z.array(z.string()) })

const Document = z.lazy(() =>
  z
    .object({ client_id: z.string(), token_endpoint_auth_method: z.literal('none').default('none') })
    .extend(RegisterBody.shape),
)

/** The most registrations from one network in an hour. */
export const maxRegistrations = 30
const hourMs = 3_600_000

/** Registers a client. Throws `token.throttled` for a network that has registered too many. */
export async function register(body: RegisterBody, address: string, now: number): Promise<Client> {
  const hour = Math.floor(now / hourMs)
  const key = { pk: `login#registrations#${sha256(network(address))}`, sk: String(hour) }
  const counted = await Table.assign(key, {
    set: { expires_at: (hour + 1) * 3_600 },
    add: { taken: 1 },
    condition: 'attribute_not_exists(#taken) OR #taken < :most',
    values: { ':most': maxRegistrations },
  })
  if (!counted) throw new VisibleError('token.throttled', { retryAfterMs: (hour + 1) * hourMs - now })
  const client = { name: clientName(body), redirectUris: body.redirect_uris }
  return { id: seal(JSON.stringify(client), sealedFor), ...client }
}

/** The client of an id; undefined if it is neither registered nor described at its address. */
export async function clientOf(id: string): Promise<Client | undefined> {
  if (!/^https?:/.test(id)) {
    const known = unseal(id, sealedFor, Sealed)
    return known && { id, ...known }
  }
  const { success, data } = Document.safeParse(await described(id))
  if (!success || data.client_id !== id) return undefined
  return { id, name: clientName(data), redirectUris: data.redirect_uris }
}

/** The time for a client's document in milliseconds, and its most bytes. */
const documentMs = 5_000
const maxDocumentBytes = 10_000

async function described(address: string): Promise<unknown> {
  const { pathname, hash, username, password, href } = new URL(address)
  if (href !== address || pathname === '/' || hash !== '' || username !== '' || password !== '')
    return undefined
  try {
    const ask = guarded({ maxBytes: maxDocumentBytes, isLocal: config().isLocal })
    const answer = await ask(address, {
      headers: { accept: 'application/json' },
      signal: AbortSignal.timeout(documentMs),
    })
    const text = await answer.text()
    return answer.ok ? parsedJson(text) : undefined
  } catch (error) {
    // The words of the other side are untrusted: the log gets only the kind of the failure.
    Log.warn('The document of a client could not be read', {
      reason: error instanceof Error ? error.name : 'unknown',
    })
    return undefined
  }
}

/** One line of visible characters; the host of the client where it has no such name. */
function clientName({ client_name, redirect_uris }: RegisterBody): string {
  const [first = ''] = redirect_uris
  const name = client_name.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '').trim()
  return [...(name || hostOf(first))].slice(0, 60).join('')
}

/** The host that a redirect URI leads to; the scheme where a program on the device takes it. */
export function hostOf(redirectUri: string): string {
  const { protocol, host } = new URL(redirectUri)
  return protocol === 'https:' || protocol === 'http:' ? host : protocol
}

/** True if codes of the client may go there: to a URI that it named, on the user's own device at any port. */
export function mayRedirect({ redirectUris }: Client, given: string): boolean {
  return redirectUris.some(
    (known) => known === given || (isAtDevice(known) && anyPort(known) === anyPort(given)),
  )
}

const isAtDevice = (uri: string) => isLoopback(new URL(uri))

function anyPort(uri: string): string | undefined {
  if (!URL.canParse(uri)) return undefined
  const url = new URL(uri)
  url.port = ''
  return url.href
}
