import type * as z from 'zod'
import type { Key } from '../../core/base/aws/table.ts'
import * as Idempotency from '../../core/chat/idempotency.ts'
import type { ReadAlong, Starter } from '../../core/chat/start.ts'
import { key } from '../../core/conversation/item.ts'
import * as Waiting from '../../core/conversation/waiting.ts'
import { type Description, repeatable, type Visit } from './route.ts'

/** The common parts of routes that start or continue a turn. */

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
export function reads(
  { uid, idempotencyKey }: { uid: number; idempotencyKey: string | undefined },
  { conversationId }: { conversationId?: string | undefined },
): Key[] {
  return [
    ...(idempotencyKey ? [Idempotency.key(uid, idempotencyKey)] : []),
    ...(conversationId ? [key(conversationId)] : []),
    Waiting.key,
  ]
}

/** The rows that `reads` has read for the request. */
export function rows({ rows, idempotencyKey }: Visit): ReadAlong {
  const [first, second] = rows.slice(0, -1)
  return idempotencyKey ? { known: first, conversation: second } : { known: undefined, conversation: first }
}

/** The user who starts or continues a turn, with the route's repeatable request. */
export function starter(visit: Visit, name: string, input: unknown): Starter {
  const { actor, settings, now } = visit
  const seen = Waiting.decode(visit.rows.at(-1), now)
  return { actor, settings, now, seen, request: repeatable(visit, name, input) }
}
