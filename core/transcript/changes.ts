import { item, text } from '../aws/item.ts'
import * as Table from '../aws/table.ts'
import { partition } from '../conversation/item.ts'
import { config } from '../stage/config.ts'

/**
 * Which results of the transcript stand for a change of a record: an item each, so that an edit learns what it drops
 * without reading the transcript.
 */
/** How the note of a change is stored. */
export const codec = item('change', 1, { runId: text('run_id') })

const sortKey = (sequence: number) => `written#${String(sequence).padStart(8, '0')}`

/** The write that notes a change made by the result at a sequence. */
export function note(id: string, sequence: number, runId: string): Table.Write {
  return {
    Put: {
      TableName: config().table,
      Item: { pk: partition(id), sk: sortKey(sequence), ...codec.encode({ runId }) },
    },
  }
}

/** The runs with changes noted behind a sequence, and the writes that forget them. */
export async function behind(
  id: string,
  sequence: number,
): Promise<{ runIds: string[]; forget: Table.Write[] }> {
  const { rows } = await Table.query({
    KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :last',
    ExpressionAttributeValues: {
      ':pk': partition(id),
      ':first': sortKey(sequence + 1),
      ':last': 'written#~',
    },
  })
  const noted = rows.map((row) => ({ ...codec.decode(row), sk: String(row.sk) }))
  return {
    runIds: [...new Set(noted.map((row) => row.runId).filter((runId) => runId !== ''))],
    // A transaction holds 100 items; what is left over names runs that no longer count and is harmless.
    forget: noted.slice(0, 50).map(({ sk }) => ({
      Delete: { TableName: config().table, Key: { pk: partition(id), sk } },
    })),
  }
}
