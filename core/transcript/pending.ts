import * as z from 'zod'
import { assign } from '../aws/expression.ts'
import type * as Table from '../aws/table.ts'
import { partition } from '../conversation/item.ts'
import { PendingCall } from '../conversation/schema.ts'
import { config } from '../stage/config.ts'

/**
 * The calls of a paused run: a head with the digest and, once it is made, the decision; and one item per call with its
 * preview as JSON text, so that no item grows large. All of them sort between the messages and the prompt of the conversation.
 */

/** How long a proposal waits for its decision, in milliseconds. */
export const patienceMs = 7 * 24 * 60 * 60_000

const Decision = z.object({ approve: z.boolean(), reason: z.string(), at: z.string() })
export type Decision = z.infer<typeof Decision>

const Head = z.object({
  run_id: z.string(),
  digest: z.string(),
  until: z.string(),
  decision: Decision.optional(),
  open: z.array(z.object({ id: z.string(), name: z.string() })),
  versions: z.record(
    z.string(),
    z.array(z.object({ table: z.string(), uid: z.number(), version: z.string() })),
  ),
  count: z.number(),
})

/** The versions of the records that a call's preview was computed from, by call id. */
export type Versions = z.infer<typeof Head>['versions']

export type Pending = {
  runId: string
  digest: string
  until: string
  decision: Decision | undefined
  /** All calls of the reply that have no result yet, those that need no decision included. */
  open: { id: string; name: string }[]
  versions: Versions
  /** Those that need the decision, with what they would do. */
  calls: PendingCall[]
}

/** First sort key of the pending items, and the one behind the last. */
export const range = { first: 'pending', last: 'pending$' }

const headKey = (id: string): Table.Key => ({ pk: partition(id), sk: 'pending' })
const callKey = (id: string, at: number): Table.Key => ({
  pk: partition(id),
  sk: `pending#${String(at).padStart(2, '0')}`,
})

/** The pending calls among the rows of a conversation's partition, if there are any. */
export function decode(rows: Table.Row[]): Pending | undefined {
  const head = rows.find((row) => row.sk === 'pending')
  if (!head) return undefined
  const { run_id, digest, until, decision, open, versions, count } = Head.parse(head)
  const calls = rows
    .filter((row) => String(row.sk).startsWith('pending#'))
    .slice(0, count)
    .map((row) => PendingCall.parse(JSON.parse(String(row.call))))
  return { runId: run_id, digest, until, decision, open, versions, calls }
}

/** The writes that store the calls of a pause. */
export function store(id: string, pending: Omit<Pending, 'decision'>): Table.Write[] {
  const TableName = config().table
  const { runId, digest, until, open, versions, calls } = pending
  const head = { run_id: runId, digest, until, open, versions, count: calls.length }
  return [
    { Put: { TableName, Item: { ...headKey(id), ...head } } },
    ...calls.map((call, at) => ({
      Put: { TableName, Item: { ...callKey(id, at), call: JSON.stringify(call) } },
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
