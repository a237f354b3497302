import * as z from 'zod'
import { field, item, json, list, number, type Of, optional, text, time } from '../../base/aws/item.ts'
import * as Table from '../../base/aws/table.ts'
import { dayMs } from '../../base/clock.ts'
import { objectOf } from '../../base/lazy-schema.ts'
import { partition } from '../item.ts'
import { PendingCall, RecordId } from '../schema.ts'
import { approvalExpiryDays } from './schema.ts'

/**
 * Stores the calls of a paused run. The first item, the head, has the digest and later the decision. Further items hold
 * the calls and their previews as JSON text, as many per item as fit. So no item grows large, and all fit into one
 * transaction. They sort between the messages and the instructions of the conversation.
 */

/** The time for which a proposal waits for its decision, in milliseconds. */
export const approvalExpiryMs = approvalExpiryDays * dayMs

const Decision = objectOf(() => ({
  approve: z.boolean(),
  reason: z.string(),
  at: z.string(),
  /** The ids of the calls that are denied although the others are approved. */
  denied: z.array(z.string()).default([]),
  /** The user's answer to a question; empty if the user skips the question. */
  answer: z.string().optional(),
}))
export type Decision = z.infer<typeof Decision>

const Version = objectOf(() => ({ table: z.string(), uid: RecordId, version: z.string() }))

/** Encodes and decodes the first item of the pending calls, which holds the digest and the decision. */
export const codec = item('pending', 1, {
  runId: text('run_id'),
  digest: text('digest'),
  until: time('until'),
  decision: optional(field('decision', Decision, { approve: false, reason: '', at: '', denied: [] })),
  /** All calls of the reply without a result, even calls that need no decision; a batch counts as one call. */
  open: list('open', z.object({ id: z.string(), name: z.string() })),
  /** The versions of the records from which a call's preview was computed, by call id. */
  versions: field('versions', z.record(z.string(), z.array(Version)), {}),
  /** The hash of the write, or of the definition of the remote tool, by call id. */
  definitions: field('definitions', z.record(z.string(), z.string()), {}, false),
  count: number('count'),
})

/** Encodes and decodes pending calls. */
export const callCodec = item('pending calls', 1, { calls: json('calls', z.array(PendingCall), []) })

/** The maximum number of characters of all calls in one item, unless the item holds only one call. */
const perItem = 60_000

/**
 * Everything that waits for a decision. `calls` are the calls that need the decision, with their previews; `items` is
 * the number of items that store them.
 */
export type Pending = Omit<Of<typeof codec.fields>, 'count'> & { calls: PendingCall[]; items: number }

/** The pending calls in the form for a pause. */
export type Proposed = Omit<Pending, 'decision' | 'items'>

/** The first sort key of the pending items, and the first sort key after them. */
export const range = { first: 'pending', last: 'pending$' }

const headKey = (id: string): Table.Key => ({ pk: partition(id), sk: 'pending' })
const callKey = (id: string, at: number): Table.Key => ({
  pk: partition(id),
  sk: `pending#${String(at).padStart(2, '0')}`,
})

/**
 * Returns the pending calls among the rows of a conversation's partition; undefined if there are none. If a part cannot
 * be read, the digest is empty, and no decision names an empty digest. So the user can supersede or cancel such calls
 * but not approve them.
 */
export function decode(rows: Table.Row[]): Pending | undefined {
  const head = rows.find((row) => row.sk === 'pending')
  if (!head) return undefined
  const { value, unread } = codec.read(head)
  const { count, ...pending } = value
  const items = rows.filter((row) => String(row.sk).startsWith('pending#'))
  const read = items.map((row) => callCodec.read(row))
  const isWhole = [unread, ...read.map((one) => one.unread)].every((one) => Object.keys(one).length === 0)
  const calls = read.flatMap(({ value }) => value.calls)
  return {
    ...pending,
    digest: isWhole && calls.length === count ? pending.digest : '',
    calls,
    items: items.length,
  }
}

/** Returns the writes that store the calls for which the turn pauses. */
export function store(id: string, pending: Proposed): Table.Write[] {
  return [Table.putWrite(headRow(id, pending)), ...callWrites(id, pending)]
}

function headRow(id: string, pending: Proposed): Table.Row & Table.Key {
  const count = pending.calls.length
  return { ...headKey(id), ...codec.encode({ ...pending, decision: undefined, count }) }
}

function callWrites(id: string, { calls }: Proposed): Table.Write[] {
  return packed(calls).map((some, at) =>
    Table.putWrite({ ...callKey(id, at), ...callCodec.encode({ calls: some }) }),
  )
}

function packed(calls: PendingCall[]): PendingCall[][] {
  const items: PendingCall[][] = []
  let room = 0
  for (const call of calls) {
    const { length } = JSON.stringify(call)
    if (items.length === 0 || length > room) {
      items.push([])
      room = perItem
    }
    items.at(-1)?.push(call)
    room -= length
  }
  return items
}

/** Returns the write that records the decision; it fails if another decision is stored, or other calls are pending. */
export function decide(id: string, digest: string, decision: Decision): Table.Write {
  return Table.assignWrite(headKey(id), { set: { decision }, ...undecided(digest) })
}

/** Returns the condition that the calls with this digest are pending, and that no decision is stored. */
const undecided = (digest: string): Table.Condition => ({
  condition: '#digest = :digest AND attribute_not_exists(#decision)',
  values: { ':digest': digest },
})

/**
 * Returns the writes that replace the proposal with a reworded proposal. They fail if the old proposal was decided or
 * replaced meanwhile.
 */
export function replace(id: string, old: Pending, now: Proposed): Table.Write[] {
  const items = callWrites(id, now)
  const head = Table.putWrite(headRow(id, now), undecided(old.digest))
  return [head, ...items, ...removals(id, items.length, old.items)]
}

/** Returns the writes that remove the pending calls. */
export function clear(id: string, pending: Pending): Table.Write[] {
  return [Table.removeWrite(headKey(id)), ...removals(id, 0, pending.items)]
}

function removals(id: string, from: number, to: number): Table.Write[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, at) => Table.removeWrite(callKey(id, from + at)))
}
