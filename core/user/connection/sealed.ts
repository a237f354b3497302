import { type AuthorizationServerMetadata, isSpecType, type OAuthTokens } from '@modelcontextprotocol/client'
import * as z from 'zod'

/** The secret parts of connections in their decrypted form. */

/** An OAuth client; only confidential clients have a secret. */
export const ClientIdentity = z.object({ client_id: z.string(), client_secret: z.string().optional() })
export type ClientIdentity = z.infer<typeof ClientIdentity>

const Metadata = z.custom<AuthorizationServerMetadata>(
  (value) => isSpecType.OAuthMetadata(value) || isSpecType.OpenIdProviderDiscoveryMetadata(value),
)

/** The authorization server that issues and renews a grant. */
const Issuer = z.object({
  url: z.string(),
  metadata: Metadata.optional(),
  /** The resource that the token is for (RFC 8707). */
  resource: z.string().optional(),
})
export type Issuer = z.infer<typeof Issuer>

/** Returns the known parts of an authorization server that requests of the flow must name. */
export const partsOf = ({ metadata, resource }: Issuer) => ({
  ...(metadata && { metadata }),
  ...(resource && { resource }),
})

/** The secret part of a connection: a token of the user, or the tokens of an OAuth grant. */
export const Grant = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('token'), token: z.string() }),
  z.object({
    kind: z.literal('oauth'),
    tokens: z.custom<OAuthTokens>((value) => isSpecType.OAuthTokens(value)),
    issuer: Issuer,
    client: ClientIdentity,
  }),
])
export type Grant = z.infer<typeof Grant>

/** The encrypted state of an attempt, stored until the browser comes back. */
export const Attempt = z.object({
  verifier: z.string(),
  issuer: Issuer,
  client: ClientIdentity,
  /**
   * The hash of the cookie of the browser that began the attempt; absent if that browser cannot keep the cookie, as in
   * a page of another site.
   */
  browser: z.string().optional(),
  /** The user's name in the CMS, for the confirmation page. */
  username: z.string(),
})
export type Attempt = z.infer<typeof Attempt>
