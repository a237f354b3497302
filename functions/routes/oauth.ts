import * as z from 'zod'
import { config } from '../../core/base/config.ts'
import { VisibleError } from '../../core/base/error.ts'
import { objectOf } from '../../core/base/lazy-schema.ts'
import { mayChat } from '../../core/stage/settings/group.ts'
import type { Settings } from '../../core/stage/settings/schema.ts'
import { RegisterBody, register } from '../../core/user/access-token/client.ts'
import * as Grant from '../../core/user/access-token/grant.ts'
import { hasOAuth, scopes } from '../../core/user/access-token/schema.ts'
import * as Audit from '../../core/user/audit.ts'
import { address } from '../http/request.ts'
import { failure } from '../http/response.ts'
import { type Answer, openRoute, type PublicVisit } from '../http/route.ts'
import { mcpMetadataPath, mcpPath } from '../http/routes.ts'

/**
 * OAuth 2.1 for the tools of programs, as the Model Context Protocol requires it: metadata, registration and tokens.
 */

const Text = z.string().max(8_192)
const Nothing = z.object({})

/** A refusal of OAuth (RFC 6749, 5.2). */
const OAuthRefusal = objectOf(() => ({
  error: z.string(),
  error_description: z.string().exactOptional(),
}))

const ProtectedResource = objectOf(() => ({
  resource: z.url(),
  authorization_servers: z.array(z.url()),
  scopes_supported: z.array(z.string()),
  bearer_methods_supported: z.array(z.string()),
  resource_name: z.string(),
}))

const AuthorizationServer = z.lazy(() => z.looseObject({ issuer: z.url(), token_endpoint: z.url() }))

const Registered = objectOf(() => ({
  client_id: z.string(),
  client_id_issued_at: z.int(),
  client_name: z.string(),
  redirect_uris: z.array(z.string()),
  token_endpoint_auth_method: z.literal('none'),
  grant_types: z.array(z.string()),
  response_types: z.array(z.string()),
}))

const TokenRequest = z.object({
  grant_type: Text,
  client_id: Text,
  code: Text.optional(),
  code_verifier: Text.optional(),
  redirect_uri: Text.optional(),
  refresh_token: Text.optional(),
  resource: Text.optional(),
})
type TokenRequest = z.infer<typeof TokenRequest>

const TokenAnswer = objectOf(() => ({
  access_token: z.string(),
  token_type: z.literal('Bearer'),
  expires_in: z.int(),
  refresh_token: z.string(),
  scope: z.string(),
}))

/** Returns the resource that every token of the stage is for (RFC 8707). */
export const resource = (): string => `${config().origin}${mcpPath}`

/** True if a request names this resource or no resource. */
export function isResource(named: string | undefined): boolean {
  return named === undefined || named.replace(/\/$/, '') === resource()
}

/** Throws `route.notFound` if users cannot give programs access by OAuth: such a stage has no such routes. */
export function checkOAuth(settings: Settings): void {
  if (!hasOAuth(settings)) throw new VisibleError('route.notFound')
}

const protectedResource = openRoute({
  input: Nothing,
  summary: 'Tells programs where they get access to the tools (RFC 9728).',
  answers: { 200: { description: 'The metadata.', schema: ProtectedResource } },
  errors: ['route.notFound'],
  run: async ({ settings }) => {
    checkOAuth(settings)
    const body: z.infer<typeof ProtectedResource> = {
      resource: resource(),
      authorization_servers: [config().origin],
      scopes_supported: [...scopes],
      bearer_methods_supported: ['header'],
      resource_name: 'Backend AI Chat',
    }
    return { body }
  },
})

/** Routes of OAuth for programs; the routes of the user's page are in `consent.ts`. */
export const routes = {
  'GET /.well-known/oauth-protected-resource': protectedResource,
  [`GET ${mcpMetadataPath}`]: protectedResource,
  'GET /.well-known/oauth-authorization-server': openRoute({
    input: Nothing,
    summary: 'Tells programs how the stage gives access (RFC 8414).',
    answers: { 200: { description: 'The metadata.', schema: AuthorizationServer } },
    errors: ['route.notFound'],
    run: async ({ settings }) => {
      checkOAuth(settings)
      return { body: authorizationServer(config().origin) }
    },
  }),
  'POST /ai-chat/oauth/register': openRoute({
    input: RegisterBody,
    summary: 'Registers a program as a public client (RFC 7591).',
    description:
      'Nothing is stored: the id holds the registration. Other members of the metadata are ignored.',
    answers: { 201: { description: 'The client.', schema: Registered } },
    errors: ['route.notFound', 'token.throttled', 'origin.notAllowed'],
    refusal: OAuthRefusal,
    example: { client_name: 'An assistant', redirect_uris: ['http://127.0.0.1/callback'] },
    run: async ({ settings, event, now }, input) => {
      checkOAuth(settings)
      const { id, name, redirectUris } = await register(input, address(event), now)
      const body: z.infer<typeof Registered> = {
        client_id: id,
        client_id_issued_at: Math.floor(now / 1000),
        client_name: name,
        redirect_uris: redirectUris,
        token_endpoint_auth_method: 'none',
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
      }
      return { status: 201, body }
    },
    refuse: (error, visit) => refuse(error, visit, 'invalid_client_metadata'),
  }),
  'POST /ai-chat/oauth/token': openRoute({
    isForm: true,
    input: TokenRequest,
    summary: 'Redeems a code for tokens, or a refresh token for the next ones (OAuth 2.1).',
    description:
      'A code is good for one attempt within a minute, a refresh token for one use within 30 days. A used one ends the access.',
    answers: { 200: { description: 'The tokens.', schema: TokenAnswer } },
    errors: ['route.notFound', 'origin.notAllowed'],
    refusal: OAuthRefusal,
    example: { grant_type: 'refresh_token', client_id: 'v1.a-client', refresh_token: 'aicr_a-token' },
    run: giveTokens,
    refuse: (error, visit) => refuse(error, visit, 'invalid_request'),
  }),
  'POST /ai-chat/oauth/revoke': openRoute({
    isForm: true,
    input: z.object({ token: Text, client_id: Text }),
    summary: 'Ends the access that a token belongs to (RFC 7009).',
    answers: { 200: { description: 'Ended, also where there was none.', schema: Nothing } },
    errors: ['route.notFound', 'origin.notAllowed'],
    refusal: OAuthRefusal,
    example: { token: 'aicr_a-token', client_id: 'v1.a-client' },
    run: async (visit, { token, client_id }) => {
      checkOAuth(visit.settings)
      const ended = await Grant.end(token, client_id, visit.now)
      if (ended) await auditChange(visit, ended.uid, 'access-token', ended.id)
      return { body: {} }
    },
    refuse: (error, visit) => refuse(error, visit, 'invalid_request'),
  }),
}

function authorizationServer(issuer: string): z.infer<typeof AuthorizationServer> {
  const at = (path: string) => `${issuer}/ai-chat/oauth/${path}`
  return {
    issuer,
    authorization_endpoint: at('authorize'),
    token_endpoint: at('token'),
    registration_endpoint: at('register'),
    revocation_endpoint: at('revoke'),
    scopes_supported: [...scopes],
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none'],
    revocation_endpoint_auth_methods_supported: ['none'],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
  }
}

async function giveTokens(visit: PublicVisit, asked: TokenRequest): Promise<Answer> {
  const { settings, live, now } = visit
  checkOAuth(settings)
  if (!isResource(asked.resource)) return refused('invalid_target', 'The stage has no such resource.')
  const isCode = asked.grant_type === 'authorization_code'
  if (!isCode && asked.grant_type !== 'refresh_token') return refused('unsupported_grant_type')
  const given = isCode ? asked.code : asked.refresh_token
  const found = given === undefined ? undefined : await Grant.find(given, isCode ? 'code' : 'refresh')
  const owner = found && (await live.cms.user(found.uid))
  if (!owner || !mayChat(owner, settings)) return refused('invalid_grant')
  const { client_id: clientId, redirect_uri: redirectUri, code_verifier: verifier = '' } = asked
  const issued = isCode
    ? await Grant.redeem(found, { clientId, redirectUri, verifier }, now)
    : await Grant.renew(found, clientId, now)
  if (!issued) return refused('invalid_grant')
  const body: z.infer<typeof TokenAnswer> = {
    access_token: issued.token,
    token_type: 'Bearer',
    expires_in: Math.floor(issued.expiresInMs / 1000),
    refresh_token: issued.refresh,
    scope: issued.scope,
  }
  return { body }
}

function refused(error: string, error_description?: string): Answer {
  const body: z.infer<typeof OAuthRefusal> = { error, ...(error_description && { error_description }) }
  return { status: 400, body }
}

/**
 * Returns a refusal of the service in the form of OAuth; `invalid` is the OAuth code for a request that is not valid.
 */
async function refuse(
  error: VisibleError,
  { requestId, lang }: PublicVisit,
  invalid: string,
): Promise<Answer> {
  const { body, ...answer } = await failure(error, requestId, lang)
  const { message, fields = {} } = body.error
  const codes: Partial<Record<string, string>> = { limit: 'temporarily_unavailable', invalid }
  const named = Object.entries(fields).map(([name, fault]) => `${name}: ${fault}`)
  const told: z.infer<typeof OAuthRefusal> = {
    error: named.some((one) => one.startsWith('redirect_uris'))
      ? 'invalid_redirect_uri'
      : (codes[error.kind] ?? 'access_denied'),
    error_description: [message, ...named].join(' '),
  }
  return { ...answer, body: told }
}

/** Audits the creation or the end of an access token or of a connection of a user. */
export async function auditChange(
  { settings, event, now }: Pick<PublicVisit, 'settings' | 'event' | 'now'>,
  uid: number,
  type: 'access-token' | 'connection',
  name: string,
  operation = event.routeKey,
): Promise<void> {
  const act = { act: 'change', uid, operation, source: 'web', ip: address(event) } as const
  await Audit.note({ ...act, resources: [{ type, uid: name }] }, settings.retainAuditDays, now)
}
