import type * as z from 'zod'
import type { Key } from '../../core/base/aws/table.ts'
import * as Idempotency from '../../core/chat/idempotency.ts'
import type { ReadAlong, Starter } from '../../core/chat/start.ts'
import type { Cms } from '../../core/cms/cms.ts'
import { type Conversation, key, own } from '../../core/conversation/item.ts'
import { ConversationAnswer, type Summary } from '../../core/conversation/schema.ts'
import * as Waiting from '../../core/conversation/waiting.ts'
import { type Description, repeatable, route, type UserDefinition, type Visit } from './route.ts'

/** Defines routes for one conversation of the user: routes that change it, and routes that start or continue a turn. */

type Named = { conversationId: string }

/** The description of a route without its answers. */
type About = Pick<Description, 'summary' | 'description' | 'errors' | 'example'>

/** The key of the request's conversation, for the read with the session. */
export const readsOne = (_: unknown, { conversationId }: Named): Key[] => [key(conversationId)]

/**
 * Returns the conversation that `readsOne` has read; throws `conversation.notFound` if it does not belong to the user.
 */
export const mine = ({ actor, rows: [row] }: Visit, { conversationId }: Named): Conversation =>
  own(actor, conversationId, row)

/** Describes an answer with the conversation. */
export const changed: Description['answers'] = {
  200: { description: 'The conversation as it is now.', schema: ConversationAnswer },
}

/** Defines a route that changes one conversation and returns its new state. */
export function changing<S extends z.ZodType<Named>>(
  input: S,
  { errors = [], ...about }: About,
  change: (visit: Visit, conversation: Conversation, input: z.infer<S>) => Promise<Summary>,
): UserDefinition {
  return route({
    ...about,
    input,
    answers: changed,
    errors: ['conversation.notFound', ...errors],
    reads: readsOne,
    run: async (visit, body) => ({ body: { conversation: await change(visit, mine(visit, body), body) } }),
  })
}

/** Errors of every route that starts a turn. */
export const startErrors = [
  'user.tooManyActive',
  'user.budgetSpent',
  'stage.budgetSpent',
  'service.maintenance',
  'service.busy',
] as const

/** Describes the answer of a route that has stored the message and queued the turn. */
export const accepted = (schema: z.ZodType): Description['answers'] => ({
  202: { description: 'Stored and queued; a poll shows the result.', schema },
})

/**
 * The keys for the read with the session: the idempotency record and the conversation, if the request names them, and
 * last the state of the stage.
 */
export function readsStart(
  { uid, idempotencyKey }: { uid: number; idempotencyKey: string | undefined },
  { conversationId }: { conversationId?: string | undefined },
): Key[] {
  return [
    ...(idempotencyKey ? [Idempotency.key(uid, idempotencyKey)] : []),
    ...(conversationId ? [key(conversationId)] : []),
    Waiting.key,
  ]
}

/** The user who starts a turn with a repeatable request, their CMS, and the rows that `readsStart` has read. */
export type Start = { starter: Starter; cms: Cms; rows: ReadAlong }

/** Returns the start of a turn for a request to the route with this name. */
export function startOf(visit: Visit, name: string, input: unknown): Start {
  const { actor, settings, now, live, idempotencyKey } = visit
  const [first, second] = visit.rows.slice(0, -1)
  const seen = Waiting.decode(visit.rows.at(-1), now)
  return {
    starter: { actor, settings, now, seen, request: repeatable(visit, name, input) },
    cms: live.cms,
    rows: idempotencyKey ? { known: first, conversation: second } : { known: undefined, conversation: first },
  }
}

/** Defines a route that starts or continues a turn and answers when the turn is queued. */
export function starting<S extends z.ZodType<{ conversationId?: string | undefined }>>(
  name: string,
  input: S,
  { errors = [], answer, ...about }: About & { answer: z.ZodType },
  start: (given: Start, input: z.infer<S>) => Promise<unknown>,
): UserDefinition {
  return route({
    ...about,
    input,
    answers: accepted(answer),
    errors: [...errors, ...startErrors],
    takesKey: true,
    reads: readsStart,
    run: async (visit, body) => ({ status: 202, body: await start(startOf(visit, name, body), body) }),
  })
}
