import * as z from 'zod'
import { field, item, number, text } from '../base/aws/item.ts'
import * as Table from '../base/aws/table.ts'
import { dayOf } from '../stage/usage/budget.ts'

/**
 * The key of the item with the cleanup's last observation of the whole stage. The observation contains the waiting
 * times of turns, and today's usage of all users. The start of a turn reads this item in the same request as the
 * session.
 */
export const key: Table.Key = { pk: 'stage', sk: 'waiting' }

/**
 * Encodes and decodes the observation: waiting times in milliseconds (`waits` by tenant), the tokens, and the UTC day
 * of the tokens.
 */
export const codec = item('waiting', 1, {
  waitMs: number('wait_ms', 0),
  waits: field('waits', z.record(z.string(), z.number()), {}, false),
  seenAt: number('seen_at', 0),
  tokens: number('tokens', 0),
  tokensOn: text('tokens_on', ''),
})

/** The observation in the form for the start of a turn. */
export type Seen = {
  /** The time that turns wait for their provider, in milliseconds; 0 without a recent observation. */
  waitMs: number
  /** The time that a tenant's turns wait for a consumer, in milliseconds; a tenant without an entry does not wait. */
  waits: Record<string, number>
  /** The tokens of all users today; 0 if the settings do not limit them, or before the first observation of the day. */
  tokens: number
}

/** The observation of a stage on which cleanup has not run yet. */
export const nothing: Seen = { waitMs: 0, waits: {}, tokens: 0 }

/**
 * The time after which a waiting time is stale, in milliseconds. Cleanup observes every minute, so this is three missed
 * observations.
 */
const freshMs = 3 * 60_000

/**
 * Stores an observation, unless a later one is stored: the waits that a delayed cleanup measured are over. If the
 * stored time is more than `freshMs` in the future, a clock was wrong, and the observation is replaced.
 */
export async function note({ waitMs, waits, tokens }: Seen, now: number): Promise<void> {
  const seen = { waitMs, waits, seenAt: now, tokens, tokensOn: dayOf(now) }
  await Table.put(
    { ...key, ...codec.encode(seen) },
    {
      condition: `NOT #${codec.attributes.seenAt} BETWEEN :later AND :soon`,
      values: { ':later': now + 1, ':soon': now + freshMs },
    },
  )
}

/** Returns the parts of the observation that are still valid. */
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
