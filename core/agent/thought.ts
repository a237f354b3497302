import * as z from 'zod'
import * as Table from '../base/aws/table.ts'
import { config } from '../base/config.ts'
import { parsedJson } from '../base/json.ts'
import * as Log from '../base/log.ts'
import type { Part } from '../model/model.ts'
import { partition, type Run, type RunRef } from './run-record.ts'

/**
 * The thoughts of the model before the calls of a running turn. The provider needs them back, unchanged, with the
 * results, also after a crash, a hand-over or a pause. No other part reads them. They are stored in the partition of
 * the run and expire with its steps, in items of their own, because steps are redacted and cut.
 */

const PartShape = z.discriminatedUnion('type', [
  z.object({ type: z.literal('thinking'), thinking: z.string(), signature: z.string() }),
  z.object({ type: z.literal('redacted_thinking'), data: z.string() }),
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({ type: z.literal('call'), at: z.number() }),
])

const Stored = z.object({ sequence: z.number(), model: z.string(), parts: z.array(PartShape) })

/** The parts of a reply by the sequence of its row, and the model that wrote them: no other model can read them. */
export type Thoughts = Map<number, { model: string; parts: Part[] }>

/** An item holds 400 KB; the text of a reply alone may take half of that. */
const maxBytes = 350_000

/** The writes that keep the parts of a reply; none where they are too large, and the reply then goes back without. */
export function writes(
  run: RunRef & Pick<Run, 'expiresAt'>,
  sequence: number,
  model: string,
  parts: Part[],
): Table.Write[] {
  const text = JSON.stringify(parts)
  if (Buffer.byteLength(text) > maxBytes) return []
  const sk = `thought#${String(sequence).padStart(8, '0')}`
  const item = { pk: partition(run), sk, sequence, model, parts: text, expires_at: run.expiresAt }
  return [{ Put: { TableName: config().table, Item: item } }]
}

/** Reads the stored thoughts of the run. Leaves out and logs an unreadable item: its reply goes back without it. */
export async function read(run: RunRef): Promise<Thoughts> {
  const rows = await Table.all({
    KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
    ExpressionAttributeValues: { ':pk': partition(run), ':prefix': 'thought#' },
  })
  const thoughts: Thoughts = new Map()
  for (const row of rows) {
    const { data } = Stored.safeParse({ ...row, parts: parsedJson(row.parts) })
    if (data) thoughts.set(data.sequence, { model: data.model, parts: data.parts })
    else Log.warn('A stored item is damaged', { noun: 'thought', pk: String(row.pk), sk: String(row.sk) })
  }
  return thoughts
}
