import { item, number, text } from '../../base/aws/item.ts'
import * as Table from '../../base/aws/table.ts'
import { type Conversation, partition } from '../item.ts'
import { branchAt } from '../path.ts'
import { sequenceKey } from './item.ts'

/**
 * Stores a note for each result in the transcript that changed a record. Each note is a separate item. So an edit finds
 * the record changes after its message without reading the transcript.
 */
export const codec = item('change', 1, { runId: text('run_id'), branch: number('branch', 0) })

const sortKey = (sequence: number, branch: number) =>
  `written#${sequenceKey(sequence)}${branch === 0 ? '' : `#${branch}`}`

type Branch = Pick<Conversation, 'id' | 'path'>

/** Returns the write that notes a change by the result at a sequence. */
export function note({ id, path }: Branch, sequence: number, runId: string): Table.Write {
  const branch = branchAt(path, sequence)
  const key = { pk: partition(id), sk: sortKey(sequence, branch) }
  return Table.putWrite({ ...key, ...codec.encode({ runId, branch }) })
}

/** Returns the ids of the runs with noted changes after a sequence of the conversation's path. */
export async function behind({ id, path }: Branch, sequence: number): Promise<string[]> {
  const rows = await Table.between({ pk: partition(id), sk: sortKey(sequence + 1, 0) }, 'written#~')
  const noted = rows
    .map((row) => ({ ...codec.decode(row), sequence: Number(String(row.sk).split('#')[1]) }))
    .filter(({ branch, sequence }) => branch === branchAt(path, sequence))
  return [...new Set(noted.map(({ runId }) => runId).filter((runId) => runId !== ''))]
}

/** Encodes and decodes the id of a dropped run. */
export const droppedCodec = item('dropped run', 1, { runId: text('run_id') })

/**
 * Returns the write that keeps the id of a run which no message names any more. With it, cleanup of the conversation
 * finds the run's record. The item sorts after everything that a turn reads.
 */
export function noteDropped(id: string, runId: string): Table.Write {
  return Table.putWrite({ pk: partition(id), sk: `turn#${runId}`, ...droppedCodec.encode({ runId }) })
}
