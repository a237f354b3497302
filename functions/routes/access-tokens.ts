import * as z from 'zod'
import { config } from '../../core/base/config.ts'
import { VisibleError } from '../../core/base/error.ts'
import { loadLanguage } from '../../core/base/language.ts'
import * as AccessToken from '../../core/user/access-token/schema.ts'
import * as Token from '../../core/user/access-token/token.ts'
import * as Ticket from '../../core/user/session/exchanged.ts'
import { TicketAnswer } from '../../core/user/session/schema.ts'
import { knownPage, refusedPage } from '../http/page.ts'
import { openRoute, route, type Visit } from '../http/route.ts'
import { consentCookie, setSession } from '../http/visitor.ts'
import { auditChange, checkOAuth } from './oauth.ts'

/** Routes for the access tokens of a user's programs, and for the login of a browser to the consent page. */
export const routes = {
  'GET /ai-chat/access-tokens': route({
    input: z.strictObject({}),
    summary: 'The access tokens of the user, newest first.',
    description: 'Those that have ended are listed for 30 days.',
    answers: { 200: { description: 'The tokens, without their secret.', schema: AccessToken.TokensAnswer } },
    errors: ['route.notFound'],
    isPoll: true,
    run: async (visit) => {
      checkOffered(visit)
      return { body: await answer(visit) }
    },
  }),
  'POST /ai-chat/access-tokens/create': route({
    input: AccessToken.CreateTokenBody,
    summary: 'Makes an access token for a program, which reaches `/ai-chat/mcp` with it.',
    description: 'The token is in this answer alone. At most 10 are good at a time.',
    answers: { 201: { description: 'The tokens, and the new one.', schema: AccessToken.CreatedTokenAnswer } },
    errors: ['route.notFound', 'token.tooMany'],
    example: { name: 'Editor on my laptop', days: 90 },
    run: async (visit, input) => {
      checkOffered(visit)
      const { id, token } = await Token.create(visit.actor, input, visit.now)
      await auditChange(visit, visit.actor.uid, 'access-token', id)
      const body: AccessToken.CreatedTokenAnswer = { ...(await answer(visit)), token }
      return { status: 201, body }
    },
  }),
  'POST /ai-chat/access-tokens/revoke': route({
    input: AccessToken.RevokeTokenBody,
    summary: 'Ends an access token at once.',
    answers: { 200: { description: 'The tokens that are left.', schema: AccessToken.TokensAnswer } },
    errors: ['route.notFound'],
    example: { id: '0123456789abcdef' },
    run: async (visit, { id }) => {
      checkOffered(visit)
      await Token.revoke(visit.actor, id)
      await auditChange(visit, visit.actor.uid, 'access-token', id)
      return { body: await answer(visit) }
    },
  }),
  'POST /ai-chat/oauth/ticket': route({
    input: z.strictObject({}),
    summary:
      'Makes a ticket that logs the browser in to the consent page, for a chat inside the page of another site.',
    description: 'The browser opens the address within a minute, once; it is then logged in for ten minutes.',
    answers: { 200: { description: 'The address.', schema: TicketAnswer } },
    errors: ['route.notFound'],
    run: async ({ session, settings, now }) => {
      checkOAuth(settings)
      const ticket = await Ticket.issue(session, now)
      const url = `${config().origin}/ai-chat/oauth/enter?ticket=${ticket}`
      return { body: { url } satisfies TicketAnswer }
    },
  }),
  'GET /ai-chat/oauth/enter': openRoute({
    input: z.object({ ticket: z.string().max(100) }),
    summary: 'Logs the browser in to the consent page with a ticket.',
    answers: {
      200: { description: 'A page that says who may decide.', type: 'text/html' },
      403: { description: 'A page: the ticket is not good.', type: 'text/html' },
    },
    errors: ['route.notFound'],
    example: { ticket: '2.abcdefghijklmnopqrstuvwxyz012345' },
    run: async ({ settings, live, lang, now }, { ticket }) => {
      checkOAuth(settings)
      const entered = await Ticket.enter(ticket, now)
      const actor = entered && (await live.cms.user(entered.uid))
      if (!actor) return refusedPage(lang, 'stale', 403)
      await loadLanguage(actor.lang)
      const cookies = [setSession(entered.token, Ticket.enteredMs / 1000, consentCookie())]
      return { ...knownPage(actor.lang, actor.username), cookies }
    },
  }),
}

/** Throws `route.notFound` on a stage without access tokens, which has no such routes. */
function checkOffered({ settings }: Visit): void {
  if (!settings.accessTokens) throw new VisibleError('route.notFound')
}

const answer = async ({ actor, settings }: Visit): Promise<AccessToken.TokensAnswer> => ({
  tokens: await Token.list(actor),
  oauth: AccessToken.hasOAuth(settings),
})
