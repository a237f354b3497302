import { item, text } from '../../base/aws/item.ts'
import * as Table from '../../base/aws/table.ts'
import { partition } from '../item.ts'

/** Encodes and decodes the id of a dropped run. */
export const codec = item('dropped run', 1, { runId: text('run_id') })

/**
 * The write that keeps the id of a run that no message names any more. With it, cleanup of the conversation finds the
 * run's record. The item sorts after everything that a turn reads.
 */
export function note(id: string, runId: string): Table.Write {
  const key = { pk: partition(id), sk: `turn#${runId}` }
  return Table.putWrite({ ...key, ...codec.encode({ runId }) })
}
