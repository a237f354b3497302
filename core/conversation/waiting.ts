import { item, number } from '../aws/item.ts'
import * as Table from '../aws/table.ts'

/**
 * How long turns wait for a consumer, as cleanup saw it last: one item of the stage, which a start reads in the same
 * request as its session.
 */
export const key: Table.Key = { pk: 'stage', sk: 'waiting' }

/** How the wait is stored, both in milliseconds. */
export const codec = item('waiting', 1, { waitMs: number('wait_ms', 0), seenAt: number('seen_at', 0) })

/** Cleanup looks every minute; what it saw three looks ago says nothing of now. */
const freshMs = 3 * 60_000

/** Stores what cleanup saw. */
export async function note(waitMs: number, now: number): Promise<void> {
  await Table.put({ ...key, ...codec.encode({ waitMs, seenAt: now }) })
}

/** The wait in milliseconds; 0 where nothing was seen lately. */
export function decode(row: Table.Row | undefined, now: number): number {
  if (!row) return 0
  const { waitMs, seenAt } = codec.decode(row)
  return now - seenAt < freshMs ? waitMs : 0
}
