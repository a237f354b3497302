import * as z from 'zod'
import { item, json, number, text } from '../base/aws/item.ts'
import * as Table from '../base/aws/table.ts'
import type { Part } from '../model/model.ts'
import type { Thought } from './journal.ts'
import { partition, type Run, type RunRef } from './run-record.ts'

/**
 * Stores the model's thoughts before the calls of a running turn. The provider needs them back unchanged with the
 * results, even after a crash, a hand-over or a pause. No other part reads them. They are in the run's partition and
 * expire with its steps. They have items of their own, because steps are redacted and cut.
 */

const PartShape = z.discriminatedUnion('type', [
  z.object({ type: z.literal('thinking'), thinking: z.string(), signature: z.string() }),
  z.object({ type: z.literal('redacted_thinking'), data: z.string() }),
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({ type: z.literal('call'), at: z.number() }),
])

/** Encodes and decodes the stored parts of one reply. */
export const codec = item('thought', 1, {
  sequence: number('sequence'),
  model: text('model'),
  parts: json('parts', z.array(PartShape), []),
})

const prefix = 'thought#'

/** The thoughts of each reply, by the sequence of its row; only the model that wrote them can read them. */
export type Thoughts = Map<number, Thought>

/**
 * The maximum size of the parts of a reply in bytes. An item holds 400 KB, and the text of a reply may take half of
 * that.
 */
const maxBytes = 350_000

/**
 * Returns the writes that store the parts of a reply. Returns none for parts that are too large; the next request then
 * sends the reply without them.
 */
export function writes(
  run: RunRef & Pick<Run, 'expiresAt'>,
  sequence: number,
  model: string,
  parts: Part[],
): Table.Write[] {
  const row = codec.encode({ sequence, model, parts })
  if (Buffer.byteLength(String(row.parts)) > maxBytes) return []
  const key = { pk: partition(run), sk: `${prefix}${String(sequence).padStart(8, '0')}` }
  return [Table.putWrite({ ...key, ...row, expires_at: run.expiresAt })]
}

/** Returns the stored thoughts of the run. Leaves out an unreadable item, so its reply is sent without thoughts. */
export async function read(run: RunRef): Promise<Thoughts> {
  const thoughts: Thoughts = new Map()
  for (const row of await Table.below({ pk: partition(run), sk: prefix })) {
    const { value, unread } = codec.read(row)
    if (Object.keys(unread).length === 0) thoughts.set(value.sequence, value)
  }
  return thoughts
}
