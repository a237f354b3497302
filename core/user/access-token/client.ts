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
 * Manages OAuth clients: programs that ask users for access. All clients are public; PKCE proves that the program that
 * redeems a code also asked for it. The id of a registered client is its registration, sealed by the stage. So the
 * stage stores nothing, and nobody can fill the table. Any other id is the URL of a document that describes the client.
 */
const sealedFor = 'OAuth client'

/** Schemes of programs on the user's device; schemes not listed by name must contain a domain name (RFC 8252, 7.1). */
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

/** `POST /oauth/register`: the metadata of a client (RFC 7591) that the stage uses. */
export const RegisterBody = z.object({
  redirect_uris: z.array(RedirectUri).min(1).max(5),
  client_name: Name.default(''),
})
export type RegisterBody = z.infer<typeof RegisterBody>

/** A client. It chose its name itself; codes may go only to its redirect URIs. */
export type Client = { id: string; name: string; redirectUris: string[] }
const Sealed = z.object({ name: z.string(), redirectUris: z.array(z.string()) })

const Document = z.lazy(() =>
  z
    .object({ client_id: z.string(), token_endpoint_auth_method: z.literal('none').default('none') })
    .extend(RegisterBody.shape),
)

/** The maximum number of registrations from one network in an hour. */
export const maxRegistrations = 30
const hourMs = 3_600_000

/** Registers a client. Rejects with `token.throttled` if its network has registered too many in this hour. */
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

/** Returns the client of an id; undefined if the id is neither a registration nor the URL of a valid description. */
export async function clientOf(id: string): Promise<Client | undefined> {
  if (!/^https?:/.test(id)) {
    const known = unseal(id, sealedFor, Sealed)
    return known && { id, ...known }
  }
  const { success, data } = Document.safeParse(await described(id))
  if (!success || data.client_id !== id) return undefined
  return { id, name: clientName(data), redirectUris: data.redirect_uris }
}

/** The timeout for a client's document in milliseconds, and the document's most bytes. */
const documentMs = 5_000
const maxDocumentBytes = 10_000

async function described(address: string): Promise<unknown> {
  if (!URL.canParse(address)) return undefined
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
    // The other side's message is untrusted, so the log gets only the kind of the error.
    Log.warn('The document of a client could not be read', {
      reason: error instanceof Error ? error.name : 'unknown',
    })
    return undefined
  }
}

/**
 * Returns the client's name as one line of visible characters; the host of its redirect URI if no such character is
 * left.
 */
function clientName({ client_name, redirect_uris }: RegisterBody): string {
  const [first = ''] = redirect_uris
  const name = client_name.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '').trim()
  return [...(name || hostOf(first))].slice(0, 60).join('')
}

/** Returns the host of a redirect URI, or the scheme if a program on the device handles the URI. */
export function hostOf(redirectUri: string): string {
  const { protocol, host } = new URL(redirectUri)
  return protocol === 'https:' || protocol === 'http:' ? host : protocol
}

/**
 * Returns true if codes of the client may go to the URI: it is registered, or only its port differs from a registered
 * URI on the user's own device.
 */
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
