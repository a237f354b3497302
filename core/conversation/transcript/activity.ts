import { field, item, list, number, omitted, text } from '../../base/aws/item.ts'
import * as Table from '../../base/aws/table.ts'
import { type Conversation, partition } from '../item.ts'
import { Activity, Progress } from '../schema.ts'

/**
 * The maximum number of steps in the list of the current turn. The list is a separate item, written together with
 * results, a pause, or the end of the turn. Its version grows over all turns. A list with another key than the
 * conversation's belongs to an earlier turn, and reads as empty.
 */
export const limit = 100

/** Encodes and decodes the list of steps. */
export const codec = item('activity', 1, {
  key: text('key'),
  version: number('version'),
  entries: list('entries', Activity),
  progress: omitted(field('progress', Progress, { call: '', n: 0, total: 0 })),
})

/**
 * The sort key of the list. It comes after messages, pending calls and instructions. A turn reads all of them from the
 * end in one request.
 */
export const sortKey = 'steps'

/** Returns the key of a conversation's list of steps. */
export const key = (id: string): Table.Key => ({ pk: partition(id), sk: sortKey })

/** The steps, and the progress of the running call if that call reports it. */
export type List = { entries: Activity[]; version: number; progress?: Progress | undefined }

/** Returns the steps of the conversation's current turn from an item that the caller has read. */
export function decode(row: Table.Row | undefined, conversation: Conversation): List {
  if (!row) return { entries: [], version: 0 }
  const { key: turn, version, entries, progress } = codec.decode(row)
  return turn === conversation.activityKey ? { entries, version, progress } : { entries: [], version }
}

type Turn = Pick<Conversation, 'id' | 'activityKey' | 'claim'>

/**
 * Stores the steps of a turn, with the progress of the running call. Returns the new version of the list; undefined if
 * a later consumer has written.
 */
export async function write(
  it: Turn,
  entries: Activity[],
  version: number,
  progress?: Progress,
): Promise<number | undefined> {
  const next = version + 1
  return (await Table.assign(key(it.id), assignment(it, entries, next, progress))) ? next : undefined
}

/** Returns the write that stores the steps as `version`. Another write of its transaction must check the claim. */
export function change(it: Turn, entries: Activity[], version: number): Table.Write {
  return Table.assignWrite(key(it.id), assignment(it, entries, version))
}

function assignment(it: Turn, entries: Activity[], version: number, progress?: Progress): Table.Assignment {
  return {
    set: {
      ...codec.encode({ key: it.activityKey, version, entries: entries.slice(-limit), progress }),
      claim: it.claim,
    },
    condition: 'attribute_not_exists(pk) OR #claim <= :mine',
    values: { ':mine': it.claim },
  }
}
