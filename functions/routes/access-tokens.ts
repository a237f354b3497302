import * as z from 'zod'
import type { Actor } from '../../core/base/actor.ts'
import { VisibleError } from '../../core/base/error.ts'
import {
  CreatedTokenAnswer,
  CreateTokenBody,
  RevokeTokenBody,
  TokensAnswer,
} from '../../core/user/access-token/schema.ts'
import * as Token from '../../core/user/access-token/token.ts'
import * as Audit from '../../core/user/audit/audit.ts'
import { address } from '../http/request.ts'
import { route, type Visit } from '../http/route.ts'

/** Routes for a user's access tokens, which their programs send. */
export const routes = {
  'GET /ai-chat/access-tokens': route({
    access: 'chat',
    input: z.strictObject({}),
    about: {
      summary: 'The access tokens of the user, newest first.',
      description: 'Those that have ended are listed for 30 days.',
      answers: { 200: { description: 'The tokens, without their secret.', schema: TokensAnswer } },
      errors: ['route.notFound'],
      example: {},
    },
    isPoll: true,
    run: async (visit) => {
      checkOffered(visit)
      return { body: await answer(visit.actor) }
    },
  }),
  'POST /ai-chat/access-tokens/create': route({
    access: 'chat',
    input: CreateTokenBody,
    about: {
      summary: 'Makes an access token for a program, which reaches `/ai-chat/mcp` with it.',
      description: 'The token is in this answer alone. At most 10 are good at a time.',
      answers: { 201: { description: 'The tokens, and the new one.', schema: CreatedTokenAnswer } },
      errors: ['route.notFound', 'token.tooMany'],
      example: { name: 'Editor on my laptop', days: 90 },
    },
    run: async (visit, input) => {
      checkOffered(visit)
      const { id, token } = await Token.create(visit.actor, input, visit.now)
      await audited(visit, id)
      const body: CreatedTokenAnswer = { ...(await answer(visit.actor)), token }
      return { status: 201, body }
    },
  }),
  'POST /ai-chat/access-tokens/revoke': route({
    access: 'chat',
    input: RevokeTokenBody,
    about: {
      summary: 'Ends an access token at once.',
      answers: { 200: { description: 'The tokens that are left.', schema: TokensAnswer } },
      errors: ['route.notFound'],
      example: { id: '0123456789abcdef' },
    },
    run: async (visit, { id }) => {
      checkOffered(visit)
      await Token.revoke(visit.actor, id)
      await audited(visit, id)
      return { body: await answer(visit.actor) }
    },
  }),
}

/** A stage without access tokens has nothing at these addresses. */
function checkOffered({ settings }: Visit): void {
  if (!settings.accessTokens) throw new VisibleError('route.notFound')
}

const answer = async (actor: Actor): Promise<TokensAnswer> => ({ tokens: await Token.list(actor) })

async function audited({ actor, settings, event, now }: Visit, id: string): Promise<void> {
  const resources = [{ type: 'access-token', uid: id }]
  const act = { act: 'change', uid: actor.uid, operation: event.routeKey, source: 'web' } as const
  await Audit.note({ ...act, ip: address(event), resources }, settings.retainAuditDays, now)
}
