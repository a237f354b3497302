import * as z from 'zod'
import { item, json, number, text } from '../base/aws/item.ts'
import { TableUnavailable } from '../base/aws/retry.ts'
import * as Table from '../base/aws/table.ts'
import { VisibleError } from '../base/error.ts'
import { sha256 } from '../base/hash.ts'

/**
 * Remembers requests with an `Idempotency-Key`. A repeated key of the same user within 24 hours returns the first
 * answer and does nothing again. The record is stored in the transaction of the request's own change.
 */
const lifetimeMs = 24 * 60 * 60_000

/** The stored record of a request; `until` is in milliseconds since the epoch. */
export const codec = item('idempotency', 1, {
  route: text('route'),
  request: text('request'),
  answer: json('answer', z.unknown(), undefined),
  until: number('until'),
})

/** A request that its client may repeat: user, key, route and input. */
export type Repeatable = { uid: number; key: string; route: string; input: unknown }

/** Returns the table key of the record for a client's idempotency key, in the user's partition. */
export const key = (uid: number, name: string): Table.Key => ({
  pk: `user#${uid}`,
  sk: `idempotency#${name}`,
})

/**
 * Acts for a request, or returns the first answer to it without acting again; `row` is the record of its key, as read
 * before. `act` stores the answer with `remember` or `keep`. Rejects with `request.keyReused` if the key belongs to
 * another request.
 */
export async function once<A>(
  request: Repeatable | undefined,
  row: Table.Row | undefined,
  schema: z.ZodType<A>,
  now: number,
  act: () => Promise<A>,
): Promise<A> {
  if (!request) return act()
  const known = remembered(row, request, schema, now)
  if (known) return known
  try {
    return await act()
  } catch (error) {
    if (error instanceof TableUnavailable) throw error
    // The same request may have finished in parallel since the record was read.
    const meanwhile = remembered(await Table.get(key(request.uid, request.key)), request, schema, now)
    if (!meanwhile) throw error
    return meanwhile
  }
}

/**
 * Returns the stored answer to the request; undefined for the first request with this key. Throws if the key belongs to
 * another request.
 */
function remembered<A>(
  row: Table.Row | undefined,
  request: Repeatable,
  schema: z.ZodType<A>,
  now: number,
): A | undefined {
  if (!row) return undefined
  const { value: known, unread } = codec.read(row)
  const isRead = Object.keys(unread).length === 0
  if (isRead && known.until <= now) return undefined
  const isSame = known.route === request.route && known.request === fingerprint(request.input)
  const answer = isRead && isSame ? schema.safeParse(known.answer) : undefined
  // A repeated request could do its work twice if an unreadable answer counted as no answer.
  if (!answer?.success) throw new VisibleError('request.keyReused')
  return answer.data
}

/** Returns the write that remembers the answer; it fails if the key was used meanwhile. */
export function remember(request: Repeatable, answer: unknown, now: number): Table.Write {
  const until = now + lifetimeMs
  const row = {
    ...key(request.uid, request.key),
    ...codec.encode({ route: request.route, request: fingerprint(request.input), answer, until }),
    ...Table.expiresAt(until),
  }
  return Table.putWrite(row, {
    condition: 'attribute_not_exists(pk) OR #until <= :now',
    values: { ':now': now },
  })
}

/**
 * Remembers the answer to a request that has changed other services than the table. A parallel request with the same key
 * may have stored its answer first.
 */
export async function keep(request: Repeatable | undefined, answer: unknown, now: number): Promise<void> {
  if (request) await Table.transact([remember(request, answer, now)])
}

/** Returns a hash of the parsed input. Parsing puts the keys in the schema's order, whatever order the request has. */
const fingerprint = (input: unknown): string => sha256(JSON.stringify(input))
