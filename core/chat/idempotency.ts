import { createHash } from 'node:crypto'
import * as z from 'zod'
import type * as Table from '../aws/table.ts'
import { VisibleError } from '../error.ts'
import { config } from '../stage/config.ts'

/**
 * The memory of requests with an `Idempotency-Key`: the same key from the same user within 24 hours answers what the
 * first call answered and does nothing again. The record is put in the transaction of what was done.
 */
const lifetimeMs = 24 * 60 * 60_000

const Row = z.object({ route: z.string(), request: z.string(), answer: z.string(), until: z.number() })

/** A request that may be repeated: who makes it, its key, and what it asks for. */
export type Repeatable = { uid: number; key: string; route: string; input: unknown }

/** Key of the record of a client-made key: below its user. */
export const key = (uid: number, name: string): Table.Key => ({
  pk: `user#${uid}`,
  sk: `idempotency#${name}`,
})

/** What the first call answered, if there was one. Another request under the same key is `request.keyReused`. */
export function remembered(row: Table.Row | undefined, request: Repeatable, now: number): unknown {
  if (!row) return undefined
  const known = Row.parse(row)
  if (known.until <= now) return undefined
  if (known.route !== request.route || known.request !== fingerprint(request.input)) {
    throw new VisibleError('request.keyReused')
  }
  return JSON.parse(known.answer)
}

/** The write that remembers the answer; fails when the key was used meanwhile. */
export function remember(request: Repeatable, answer: unknown, now: number): Table.Write {
  const until = now + lifetimeMs
  return {
    Put: {
      TableName: config().table,
      Item: {
        ...key(request.uid, request.key),
        route: request.route,
        request: fingerprint(request.input),
        answer: JSON.stringify(answer),
        until,
        expires_at: Math.ceil(until / 1000),
      },
      ConditionExpression: 'attribute_not_exists(pk) OR #until <= :now',
      ExpressionAttributeNames: { '#until': 'until' },
      ExpressionAttributeValues: { ':now': now },
    },
  }
}

/** The parsed input has its keys in the order of its schema, whatever the order in the request. */
function fingerprint(input: unknown): string {
  return createHash('sha256').update(JSON.stringify(input)).digest('hex')
}
