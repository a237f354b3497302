import type * as z from 'zod'
import type { Key } from '../../core/base/aws/table.ts'
import * as Idempotency from '../../core/chat/idempotency.ts'
import type { ReadAlong, Starter } from '../../core/chat/start.ts'
import type { Cms } from '../../core/cms/cms.ts'
import { type Conversation, key, own } from '../../core/conversation/item.ts'
import { ConversationAnswer, type Summary } from '../../core/conversation/schema.ts'
import * as Waiting from '../../core/conversation/waiting.ts'
import { type Description, repeatable, route, type UserDefinition, type Visit } from './route.ts'

/** Routes about one conversation of the user: those that change it, and those that start or continue a turn of it. */

type Named = { conversationId: string }

/** The description of a route beside its answer. */
type About = Pick<Description, 'summary' | 'description' | 'errors' | 'example'>

/** The conversation of the request, read with the session. */
export const readsOne = (_: unknown, { conversationId }: Named): Key[] => [key(conversationId)]

/** The conversation that `readsOne` has read; throws `conversation.notFound` if it is not the user's. */
export const mine = ({ actor, rows: [row] }: Visit, { conversationId }: Named): Conversation =>
  own(actor, conversationId, row)

/** The answer with the conversation. */
export const changed: Description['answers'] = {
  200: { description: 'The conversation as it is now.', schema: ConversationAnswer },
}

/** A route that changes one conversation and answers it as it is then. */
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

/** The answer of a route that has stored the message and queued the turn. */
export const accepted = (schema: z.ZodType): Description['answers'] => ({
  202: { description: 'Stored and queued; a poll shows the result.', schema },
})

/** The idempotency record and the conversation, where they are named, and last the state of the stage; read with the session. */
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

/** The start of a turn by a request of the route with this name. */
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

/** A route that starts or continues a turn and answers when the turn is queued. */
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
