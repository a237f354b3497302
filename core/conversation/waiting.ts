import * as z from 'zod'
import { field, item, number, text } from '../aws/item.ts'
import * as Table from '../aws/table.ts'
import { dayOf } from '../usage/budget.ts'

/**
 * What cleanup saw last of the stage as a whole: how long turns wait, and what all users together have
 * used today. One item, which a start reads in the same request as its session.
 */
export const key: Table.Key = { pk: 'stage', sk: 'waiting' }

/** How it is stored: milliseconds, those of each tenant, tokens, and the UTC day of the tokens. */
export const codec = item('waiting', 1, {
  waitMs: number('wait_ms', 0),
  waits: field('waits', z.record(z.string(), z.number()), {}, false),
  seenAt: number('seen_at', 0),
  tokens: number('tokens', 0),
  tokensOn: text('tokens_on', ''),
})

/** What a start has to know of the stage. */
export type Seen = {
  /** How long turns wait for their provider, in milliseconds; 0 where nothing was seen lately. */
  waitMs: number
  /** How long turns of a tenant wait for a consumer, in milliseconds; a tenant that is not named does not. */
  waits: Record<string, number>
  /** Tokens of all users today; 0 where the settings have no limit of them, or before the first look of the day. */
  tokens: number
}

/** What a start knows of the stage that has not looked. */
export const nothing: Seen = { waitMs: 0, waits: {}, tokens: 0 }

/** Cleanup looks every minute; a wait that it saw three looks ago says nothing of now. Tokens only become more. */
const freshMs = 3 * 60_000

/** Stores what cleanup saw. */
export async function note({ waitMs, waits, tokens }: Seen, now: number): Promise<void> {
  const seen = { waitMs, waits, seenAt: now, tokens, tokensOn: dayOf(now) }
  await Table.put({ ...key, ...codec.encode(seen) })
}

/** What was seen, as far as it still holds. */
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
