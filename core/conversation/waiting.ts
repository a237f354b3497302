import * as z from 'zod'
import { field, item, number, text } from '../base/aws/item.ts'
import * as Table from '../base/aws/table.ts'
import { dayOf } from '../stage/usage/budget.ts'

/**
 * Key of the last observation of cleanup about the whole stage: the waiting times of turns, and today's usage of all
 * users. A start reads this item in the same request as its session.
 */
export const key: Table.Key = { pk: 'stage', sk: 'waiting' }

/** Encodes and decodes the observation: milliseconds, also per tenant, tokens, and the UTC day of the tokens. */
export const codec = item('waiting', 1, {
  waitMs: number('wait_ms', 0),
  waits: field('waits', z.record(z.string(), z.number()), {}, false),
  seenAt: number('seen_at', 0),
  tokens: number('tokens', 0),
  tokensOn: text('tokens_on', ''),
})

/** The observation as a start needs it. */
export type Seen = {
  /** The time that turns wait for their provider, in milliseconds; 0 without a recent observation. */
  waitMs: number
  /** The time that turns of a tenant wait for a consumer, in milliseconds; a tenant without an entry does not wait. */
  waits: Record<string, number>
  /** Tokens of all users today; 0 if the settings do not limit them, or before the first observation of the day. */
  tokens: number
}

/** The observation of a stage that has none. */
export const nothing: Seen = { waitMs: 0, waits: {}, tokens: 0 }

/** Cleanup observes every minute; after three missed observations a waiting time is stale. */
const freshMs = 3 * 60_000

/** Stores an observation. */
export async function note({ waitMs, waits, tokens }: Seen, now: number): Promise<void> {
  const seen = { waitMs, waits, seenAt: now, tokens, tokensOn: dayOf(now) }
  await Table.put({ ...key, ...codec.encode(seen) })
}

/** The observation, as far as it is still valid. */
export function decode(row: Table.Row | undefined, now: number): Seen {
  if (!row) return nothing
  const { waitMs, waits, seenAt, tokens, tokensOn } = codec.decode(row)
  const isFresh = now - seenAt < freshMs
  return {
    waitMs: isFresh ? waitMs : 0,
    waits: isFresh ? waits : {},
    tokens: tokensOn === dayOf(now) ? tokens : 0,
  }
}
