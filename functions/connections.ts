import { stringifySetCookie } from 'cookie'
import * as z from 'zod'
import { config } from '../core/base/config.ts'
import * as Connections from '../core/chat/connections.ts'
import { attemptMs, isPersonal } from '../core/user/connection/grant.ts'
import * as Connection from '../core/user/connection/schema.ts'
import { http } from './http/http.ts'
import { returnPage } from './http/page.ts'
import { cookiesOf, credentials } from './http/request.ts'
import { openRoute, route } from './http/route.ts'
import { routes as tokenRoutes } from './routes/access-tokens.ts'
import { routes as consentRoutes } from './routes/consent.ts'
import { auditChange, routes as oauthRoutes } from './routes/oauth.ts'

const Nothing = z.strictObject({})
const connected = {
  200: { description: 'The connections as they are now.', schema: Connection.ConnectionsAnswer },
}
const example = { server: 'shop' }

/** Routes for a user's grants to tool servers. */
export const routes = {
  'GET /ai-chat/connections': route({
    input: Nothing,
    summary: 'Servers of tools that want a grant of each user, and how the user stands to them.',
    answers: connected,
    isPoll: true,
    run: async ({ actor, settings }) => ({ body: await Connections.connections(actor, settings) }),
  }),
  'POST /ai-chat/connections/begin': route({
    input: Connection.ServerBody,
    summary: 'Begins to connect a server by OAuth 2.1.',
    description:
      'The browser opens the address of the answer; within ten minutes it comes back to `/ai-chat/connections/callback`, and the list of connections shows how it ended.',
    answers: {
      200: {
        description: 'Where the user consents.',
        schema: Connection.BeginAnswer,
        headers: ['Set-Cookie'],
      },
    },
    errors: ['connection.notFound', 'connection.failed'],
    example,
    run: async ({ actor, settings, event, now }, { server }) => {
      const hasCookies = credentials(event)?.isBearer === false
      const { url, browser } = await Connections.begin(actor, settings, server, hasCookies, now)
      const body: Connection.BeginAnswer = { url }
      return { body, ...(browser && { cookies: [cookie(browser, attemptMs / 1000)] }) }
    },
  }),
  'GET /ai-chat/connections/callback': openRoute({
    input: Connection.CallbackQuery,
    summary: 'Takes the browser back from an authorization server.',
    description:
      'Takes the code once, from the browser that began alone; where no cookie reaches that browser, the page asks first whether the account is the right one.',
    answers: { 200: { description: 'A page that says how it ended.', type: 'text/html' } },
    example: { state: '2.abcdefghijklmnopqrstuvwxyz012345', code: 'a-code' },
    run: async (visit, query) => {
      const { settings, event, lang, now } = visit
      const { error, code, confirmed, state, iss } = query
      const { complete } = await import('../core/user/connection/authorize.ts')
      const completed = await complete(
        settings.mcpServers.filter(isPersonal),
        {
          state,
          iss,
          code: error === undefined ? code : undefined,
          cookie: cookiesOf(event)[cookieName],
          isConfirmed: confirmed === 'yes',
        },
        now,
      )
      if (completed.state === 'connected')
        await auditChange(visit, completed.uid, 'connection', completed.server, 'connect')
      return returnPage(completed, query, lang)
    },
  }),
  'POST /ai-chat/connections/token': route({
    input: Connection.TokenBody,
    summary: 'Keeps a token that the user made at a server, encrypted.',
    answers: connected,
    errors: ['connection.notFound', 'connection.tokenRefused'],
    example: { ...example, token: 'a-token-of-the-server' },
    run: async (visit, input) => {
      const { actor, settings, now } = visit
      await Connections.putToken(actor, settings, input, now)
      await auditChange(visit, actor.uid, 'connection', input.server, 'connect')
      return { body: await Connections.connections(actor, settings) }
    },
  }),
  'POST /ai-chat/connections/disconnect': route({
    input: Connection.ServerBody,
    summary: 'Forgets the grant for a server, and has it revoked there where the server offers that.',
    answers: connected,
    example,
    run: async (visit, { server }) => {
      const { actor, settings } = visit
      await Connections.disconnect(actor, server)
      await auditChange(visit, actor.uid, 'connection', server, 'disconnect')
      return { body: await Connections.connections(actor, settings) }
    },
  }),
}

/** Name of the cookie by which the stage recognises the browser that began a connection. */
const cookieName = 'ai_chat_connecting'

function cookie(value: string, maxAge: number): string {
  return stringifySetCookie({
    name: cookieName,
    value,
    maxAge,
    path: '/ai-chat/connections/callback',
    httpOnly: true,
    // Another site sends the browser back, and for such a request a browser sends no `strict` cookie.
    sameSite: 'lax',
    secure: !config().isLocal,
  })
}

/** Routes for the access of a user's programs: access tokens, and OAuth. */
export const programRoutes = { ...tokenRoutes, ...oauthRoutes, ...consentRoutes }

/** The function for the connections and for the access of programs. */
export const handler = http({ ...routes, ...programRoutes })
