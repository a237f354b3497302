import * as z from 'zod'
import { config } from '../../core/base/config.ts'
import { VisibleError } from '../../core/base/error.ts'
import { mayChat } from '../../core/stage/settings/group.ts'
import { clientOf, hostOf, mayRedirect } from '../../core/user/access-token/client.ts'
import * as Grant from '../../core/user/access-token/grant.ts'
import * as Token from '../../core/user/session/token.ts'
import { consentPage, consentPath, loginPage, passingPage, refusedPage } from '../http/page.ts'
import { type Answer, openRoute, type PublicVisit } from '../http/route.ts'
import { type Visitor, visitor } from '../http/visitor.ts'
import { auditChange, checkOAuth, isResource } from './oauth.ts'

/** The page on which a user gives a program access: the authorization endpoint of OAuth. */

const Text = z.string().max(4_096)
const AuthorizeQuery = z.object({
  response_type: Text.default(''),
  client_id: Text.default(''),
  redirect_uri: Text.default(''),
  code_challenge: Text.default(''),
  code_challenge_method: Text.default(''),
  state: Text.optional(),
  scope: Text.optional(),
  resource: Text.optional(),
  /** Set if a page of the stage led here. The browser has then sent its strict cookie, if it has one. */
  here: z.literal('yes').optional(),
})
type AuthorizeQuery = z.infer<typeof AuthorizeQuery>

const AuthorizeForm = AuthorizeQuery.omit({ here: true }).extend({
  csrf: Text.default(''),
  decision: z.enum(['allow', 'deny']),
})

const pages = (description: string) => ({
  200: { description, type: 'text/html' },
  400: { description: 'A page: the client or its redirect URI is not known.', type: 'text/html' },
  403: { description: 'A page: the user may not use the chat, or the page is too old.', type: 'text/html' },
})
const example = {
  response_type: 'code',
  client_id: 'v1.a-client',
  redirect_uri: 'http://127.0.0.1:4000/callback',
  code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  code_challenge_method: 'S256',
}

/** The routes of the page. */
export const routes = {
  'GET /ai-chat/oauth/authorize': openRoute({
    input: AuthorizeQuery,
    summary: 'Asks the user whether a program may have access (OAuth 2.1, with PKCE).',
    answers: pages('A page that asks, that asks to log in first, or that leads back to the program.'),
    errors: ['route.notFound'],
    example,
    run: async (visit, { here, ...asked }) => {
      checkOAuth(visit.settings)
      const user = await visitor(visit)
      const itself = `${consentPath}?${visit.event.rawQueryString.replace(/&here=yes$/, '')}&here=yes`
      // A browser sends no strict cookie if another site's link led here. The page therefore opens itself again, now
      // from the stage.
      if (!user && !here) return passingPage(visit.lang, itself)
      if (!user) return loginPage(visit.lang, itself, visit.live.reference === undefined)
      return answered(visit, user, asked, async (wanted) =>
        consentPage({
          lang: user.actor.lang,
          client: wanted.client.name,
          username: user.actor.username,
          host: hostOf(asked.redirect_uri),
          scope: wanted.scope,
          fields: { ...asked, csrf: Token.csrf(user.sid) },
        }),
      )
    },
  }),
  'POST /ai-chat/oauth/authorize': openRoute({
    isForm: true,
    input: AuthorizeForm,
    summary: 'Takes the decision of the user, from the page alone.',
    answers: pages('A page that leads back to the program, with a code or with a refusal.'),
    errors: ['route.notFound', 'csrf.invalid'],
    example: { ...example, csrf: 'aicc_a-token', decision: 'deny' },
    run: async (visit, { csrf, decision, ...asked }) => {
      checkOAuth(visit.settings)
      const user = await visitor(visit)
      if (!user || !Token.isCsrf(csrf, user.sid)) return refusedPage(visit.lang, 'stale', 403)
      return answered(visit, user, asked, async (wanted) => {
        if (decision === 'deny') return back(user.actor.lang, asked, { error: 'access_denied' })
        const { id, code } = await Grant.grantAccess(user.actor, wanted, visit.now)
        await auditChange(visit, user.actor.uid, 'access-token', id)
        return back(user.actor.lang, asked, { code })
      })
    },
  }),
}

/**
 * Continues with a valid request of a user who may use the chat. Otherwise returns a page, or sends the browser back to
 * the program with the error code.
 */
async function answered(
  { settings }: PublicVisit,
  { actor }: Visitor,
  asked: AuthorizeQuery,
  goOn: (wanted: Grant.Allowed) => Promise<Answer>,
): Promise<Answer> {
  const { lang } = actor
  const client = await clientOf(asked.client_id)
  const { redirect_uri: redirectUri, code_challenge: challenge } = asked
  // Without a known client and address, no program may get the error; only the user sees it (RFC 6749, 4.1.2.1).
  if (!client || !mayRedirect(client, redirectUri)) return refusedPage(lang, 'client', 400)
  if (!mayChat(actor, settings)) return refusedPage(lang, new VisibleError('access.denied'), 403)
  const fault = faultOf(asked)
  if (fault) return back(lang, asked, { error: fault })
  try {
    return await goOn({ client, redirectUri, challenge, scope: Grant.scopesOf(asked.scope) })
  } catch (error) {
    if (!(error instanceof VisibleError)) throw error
    return refusedPage(lang, error, 403)
  }
}

/** Returns the OAuth error code for a wrong request of a known client. */
function faultOf(asked: AuthorizeQuery): string | undefined {
  if (asked.response_type !== 'code') return 'unsupported_response_type'
  if (asked.code_challenge_method !== 'S256' || !/^[A-Za-z0-9_-]{43}$/.test(asked.code_challenge))
    return 'invalid_request'
  return isResource(asked.resource) ? undefined : 'invalid_target'
}

/** Sends the browser back to the program. */
function back(
  lang: string,
  { redirect_uri, state }: AuthorizeQuery,
  outcome: Record<string, string>,
): Answer {
  const url = new URL(redirect_uri)
  const all = { ...outcome, ...(state !== undefined && { state }), iss: config().origin }
  for (const [name, value] of Object.entries(all)) url.searchParams.set(name, value)
  return passingPage(lang, url.href, hostOf(redirect_uri))
}
