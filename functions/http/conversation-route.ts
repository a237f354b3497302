import type * as z from 'zod'
import type { Key } from '../../core/base/aws/table.ts'
import * as Idempotency from '../../core/chat/idempotency.ts'
import type { Starter } from '../../core/chat/start.ts'
import type { Cms } from '../../core/cms/cms.ts'
import { type Conversation, key, own } from '../../core/conversation/item.ts'
import { ConversationAnswer, type SendAnswer, type Summary } from '../../core/conversation/schema.ts'
import * as Waiting from '../../core/conversation/waiting.ts'
import { type Description, route, type UserDefinition, type Visit } from './route.ts'

/** Defines routes for one conversation of the user: routes that change it, and routes that start or continue a turn. */

type Named = { conversationId: string }
type MaybeNamed = { conversationId?: string | undefined }

/** The description of a route without its answers. */
type About = Pick<Description, 'summary' | 'description' | 'errors' | 'example'>

/** Returns the key of the request's conversation, for the read with the session. */
export const readsOne = (_: unknown, { conversationId }: Named): Key[] => [key(conversationId)]

/**
 * Returns the conversation that `readsOne` has read; throws `conversation.notFound` if it does not belong to the user.
 */
export const mine = ({ actor, rows: [row] }: Visit, { conversationId }: Named): Conversation =>
  own(actor, conversationId, row)

/** The description of an answer that contains the conversation. */
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
 * Returns the keys of the rows that are read together with the session: the state of the stage, then the idempotency
 * record and the conversation, if the request names them.
 */
export function readsStart(
  { uid, idempotencyKey }: { uid: number; idempotencyKey: string | undefined },
  { conversationId }: MaybeNamed,
): Key[] {
  return [
    Waiting.key,
    ...(idempotencyKey ? [Idempotency.key(uid, idempotencyKey)] : []),
    ...(conversationId ? [key(conversationId)] : []),
  ]
}

/** The user who starts a turn, their CMS, and the conversation if the request names one. */
export type Start<I> = {
  starter: Starter
  cms: Cms
  conversation: I extends Named ? Conversation : Conversation | undefined
}

/**
 * Runs `start` for a request to the route with this name, whose rows `readsStart` has read. A repeated request gets the
 * answer to the first request, and its turn is queued if no consumer has it. Rejects with `conversation.notFound` if
 * the conversation does not belong to the user.
 */
export async function startOnce<I extends MaybeNamed, A>(
  visit: Visit,
  name: string,
  input: I,
  answer: z.ZodType<A>,
  start: (given: Start<I>) => Promise<A>,
): Promise<A> {
  const { actor, settings, now, live, idempotencyKey } = visit
  const request = idempotencyKey ? { uid: actor.uid, key: idempotencyKey, route: name, input } : undefined
  const [waiting, ...rows] = visit.rows
  const known = request && rows.shift()
  const { conversationId: id } = input
  let isRepeated = true
  const given = await Idempotency.once(request, known, answer, now, async () => {
    isRepeated = false
    const conversation = id === undefined ? undefined : own(actor, id, rows[0])
    const starter = { actor, settings, now, request, seen: Waiting.decode(waiting, now) }
    return start({ starter, cms: live.cms, conversation } as Start<I>)
  })
  if (isRepeated) {
    const { queueTurn } = await import('../../core/chat/start.ts')
    await queueTurn(id ?? (given as SendAnswer).conversation.id)
  }
  return given
}

/** Defines a route that starts or continues a turn and answers when the turn is queued. */
export function starting<S extends z.ZodType<MaybeNamed>, A>(
  name: string,
  input: S,
  { errors = [], answer, check, ...about }: About & { answer: z.ZodType<A>; check?(input: z.infer<S>): void },
  start: (given: Start<z.infer<S>>, input: z.infer<S>) => Promise<A>,
): UserDefinition {
  return route({
    ...about,
    input,
    answers: accepted(answer),
    errors: [...errors, ...startErrors],
    takesKey: true,
    reads: readsStart,
    run: async (visit, body) => {
      check?.(body)
      return { status: 202, body: await startOnce(visit, name, body, answer, (given) => start(given, body)) }
    },
  })
}
