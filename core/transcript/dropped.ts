import { item, text } from '../aws/item.ts'
import type * as Table from '../aws/table.ts'
import { partition } from '../conversation/item.ts'
import { config } from '../stage/config.ts'

/** How the id of a dropped run is stored. */
export const codec = item('dropped run', 1, { runId: text('run_id') })

/**
 * The write that keeps the id of a run that no message names any more, so that its record is removed with the
 * conversation. The item sorts behind all that a turn reads.
 */
export function note(id: string, runId: string): Table.Write {
  const key = { pk: partition(id), sk: `turn#${runId}` }
  return { Put: { TableName: config().table, Item: { ...key, ...codec.encode({ runId }) } } }
}
