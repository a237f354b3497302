import { decodeStep, modelOf, usageOf } from '../../core/agent/run-item.ts'
import { pages } from '../../core/aws/scan.ts'
import type * as Table from '../../core/aws/table.ts'
import { decode } from '../../core/conversation/item.ts'
import type { Usage } from '../../core/model/model.ts'
import { dayOf } from '../../core/usage/budget.ts'

/** What was done for a user in a turn: a call of a model, or the failure that ended it. */
export type Entry = { day: string; owner: number; runId: string } & (
  | { kind: 'call'; model: string; usage: Usage }
  | { kind: 'failure' }
)

/** Days in UTC, `YYYY-MM-DD`, both included. */
export type Days = { from: string; to: string }

/**
 * All that the chat table still holds of these days: the steps of runs, kept for `retainRunDays`, and the turns whose
 * last end was a failure. Reads the whole table once.
 */
export async function collect({ from, to }: Days): Promise<Entry[]> {
  const entries: Entry[] = []
  const matching = pages({
    ConsistentRead: false,
    FilterExpression:
      '(begins_with(pk, :run) AND begins_with(sk, :step)) OR (sk = :conversation AND #status = :failed)',
    ExpressionAttributeNames: { '#status': 'status' },
    ExpressionAttributeValues: {
      ':run': 'run#',
      ':step': 'step#',
      ':conversation': 'conversation',
      ':failed': 'failed',
    },
  })
  for await (const rows of matching) entries.push(...rows.flatMap(entryOf))
  return entries.filter(({ day }) => day >= from && day <= to)
}

function entryOf(row: Table.Row): Entry[] {
  if (row.sk === 'conversation') {
    const it = decode(row)
    return it ? [{ kind: 'failure', day: it.updatedAt.slice(0, 10), owner: it.owner, runId: it.runId }] : []
  }
  const { at, detail } = decodeStep(row)
  const usage = usageOf(detail)
  if (!usage) return []
  const { owner, runId } = placeOf(row)
  return [{ kind: 'call', day: dayOf(Date.parse(at)), owner, runId, model: modelOf(detail), usage }]
}

/** Owner and run are part of the key of every step. */
function placeOf(row: Table.Row): { owner: number; runId: string } {
  const [, owner, runId = ''] = String(row.pk).split('#')
  return { owner: Number(owner), runId }
}
