import * as z from 'zod'
import { assign } from '../aws/expression.ts'
import { field, item, json, list, number, type Of, optional, text, time } from '../aws/item.ts'
import type * as Table from '../aws/table.ts'
import { partition } from '../conversation/item.ts'
import { PendingCall } from '../conversation/schema.ts'
import { config } from '../stage/config.ts'

/**
 * The calls of a paused run: a head with the digest and, once it is made, the decision; and one item per call with its
 * preview as JSON text, so that no item grows large. All of them sort between the messages and the prompt of the conversation.
 */

/** How long a proposal waits for its decision, in milliseconds. */
export const approvalExpiryMs = 7 * 24 * 60 * 60_000

const Decision = z.object({ approve: z.boolean(), reason: z.string(), at: z.string() })
export type Decision = z.infer<typeof Decision>

const Version = z.object({ table: z.string(), uid: z.number(), version: z.string() })

/** How the head of the pending calls is stored. */
export const codec = item('pending', 1, {
  runId: text('run_id'),
  digest: text('digest'),
  until: time('until'),
  decision: optional(field('decision', Decision, { approve: false, reason: '', at: '' })),
  /** All calls of the reply that have no result yet, those that need no decision included. */
  open: list('open', z.object({ id: z.string(), name: z.string() })),
  /** The versions of the records that a call's preview was computed from, by call id. */
  versions: field('versions', z.record(z.string(), z.array(Version)), {}),
  count: number('count'),
})

const Unreadable: PendingCall = { id: '', tool: '', title: '', arguments: {}, preview: null }
/** How a pending call is stored. */
export const callCodec = item('pending call', 1, { call: json('call', PendingCall, Unreadable) })

/** The versions of the records that a call's preview was computed from, by call id. */
export type Versions = Pending['versions']

/** What waits for a decision; `calls` are those that need it, with what they would do. */
export type Pending = Omit<Of<typeof codec.fields>, 'count'> & { calls: PendingCall[] }

/** First sort key of the pending items, and the one behind the last. */
export const range = { first: 'pending', last: 'pending$' }

const headKey = (id: string): Table.Key => ({ pk: partition(id), sk: 'pending' })
const callKey = (id: string, at: number): Table.Key => ({
  pk: partition(id),
  sk: `pending#${String(at).padStart(2, '0')}`,
})

/**
 * The pending calls among the rows of a conversation's partition, if there are any. Where a part cannot be read the
 * digest is empty, which no decision names: what is not known whole cannot be approved, only superseded or cancelled.
 */
export function decode(rows: Table.Row[]): Pending | undefined {
  const head = rows.find((row) => row.sk === 'pending')
  if (!head) return undefined
  const { value, unread } = codec.read(head)
  const { count, ...pending } = value
  const items = rows.filter((row) => String(row.sk).startsWith('pending#'))
  const read = items.slice(0, 'count' in unread ? items.length : count).map((row) => callCodec.read(row))
  const isWhole = [unread, ...read.map((call) => call.unread)].every((one) => Object.keys(one).length === 0)
  const calls = read.flatMap((call) => (call.value.call === Unreadable ? [] : [call.value.call]))
  return { ...pending, digest: isWhole && calls.length === count ? pending.digest : '', calls }
}

/** The writes that store the calls of a pause. */
export function store(id: string, pending: Omit<Pending, 'decision'>): Table.Write[] {
  const TableName = config().table
  const { calls } = pending
  const head = codec.encode({ ...pending, decision: undefined, count: calls.length })
  return [
    { Put: { TableName, Item: { ...headKey(id), ...head } } },
    ...calls.map((call, at) => ({
      Put: { TableName, Item: { ...callKey(id, at), ...callCodec.encode({ call }) } },
    })),
  ]
}

/** The write that records the decision; fails when another was made, or other calls are pending. */
export function decide(id: string, digest: string, decision: Decision): Table.Write {
  return {
    Update: assign(config().table, headKey(id), {
      set: { decision },
      condition: '#digest = :digest AND attribute_not_exists(#decision)',
      names: { '#digest': 'digest' },
      values: { ':digest': digest },
    }),
  }
}

/** The writes that remove the pending calls. */
export function clear(id: string, pending: Pending): Table.Write[] {
  const TableName = config().table
  return [
    { Delete: { TableName, Key: headKey(id) } },
    ...pending.calls.map((_, at) => ({ Delete: { TableName, Key: callKey(id, at) } })),
  ]
}
