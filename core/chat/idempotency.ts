import * as z from 'zod'
import { item, json, number, text } from '../base/aws/item.ts'
import * as Table from '../base/aws/table.ts'
import { VisibleError } from '../base/error.ts'
import { sha256 } from '../base/hash.ts'

/**
 * The memory of requests with an `Idempotency-Key`: the same key from the same user within 24 hours repeats the first answer and does nothing again. The record is put in the transaction of the act itself.
 */
const lifetimeMs = 24 * 60 * 60_000

/** The stored memory of a request; `until` in milliseconds since the epoch. */
export const codec = item('idempotency', 1, {
  route: text('route'),
  request: text('request'),
  answer: json('answer', z.unknown(), undefined),
  until: number('until'),
})

/** A request that may be repeated: its user, its key, and its input. */
export type Repeatable = { uid: number; key: string; route: string; input: unknown }

/** Key of the record of a client-made key: below its user. */
export const key = (uid: number, name: string): Table.Key => ({
  pk: `user#${uid}`,
  sk: `idempotency#${name}`,
})

/** The answer of the first call, if there was one. Another request under the same key is `request.keyReused`. */
export function remembered<A>(
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
  // If the stored answer is unreadable, a second run of the request could do its work twice.
  if (!answer?.success) throw new VisibleError('request.keyReused')
  return answer.data
}

/** The write that remembers the answer; fails when the key was used meanwhile. */
export function remember(request: Repeatable, answer: unknown, now: number): Table.Write {
  const until = now + lifetimeMs
  const row = {
    ...key(request.uid, request.key),
    ...codec.encode({ route: request.route, request: fingerprint(request.input), answer, until }),
    expires_at: Math.ceil(until / 1000),
  }
  return Table.putWrite(row, {
    condition: 'attribute_not_exists(pk) OR #until <= :now',
    names: { '#until': 'until' },
    values: { ':now': now },
  })
}

/** The parsed input has its keys in the order of its schema, whatever the order in the request. */
function fingerprint(input: unknown): string {
  return sha256(JSON.stringify(input))
}
