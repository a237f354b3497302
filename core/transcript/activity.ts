import { assign } from '../aws/expression.ts'
import { field, item, list, number, omitted, text } from '../aws/item.ts'
import * as Table from '../aws/table.ts'
import { type Conversation, partition } from '../conversation/item.ts'
import { Activity, Progress } from '../conversation/schema.ts'
import { config } from '../stage/config.ts'

/**
 * The steps of the current turn, at most 100, the newest. The list is an item of its own, written with what is stored
 * after a step: the results of a call, a pause, the end of the turn. Its version counts on over all turns; a list whose key
 * is not the conversation's belongs to an earlier turn and reads as empty.
 */
export const limit = 100

/** How the list of steps is stored. */
export const codec = item('activity', 1, {
  key: text('key'),
  version: number('version'),
  entries: list('entries', Activity),
  progress: omitted(field('progress', Progress, { call: '', n: 0, total: 0 })),
})

/** Sorts behind messages, pending calls and prompt: a turn reads all of them from the end in one request. */
export const sortKey = 'steps'

/** Key of the list of steps of a conversation. */
export const key = (id: string): Table.Key => ({ pk: partition(id), sk: sortKey })

/** The steps, and how far the call is that runs, where it says so. */
export type List = { entries: Activity[]; version: number; progress?: Progress | undefined }

/** The steps of the turn that the conversation is in, from the item that was read along. */
export function decode(row: Table.Row | undefined, it: Conversation): List {
  if (!row) return { entries: [], version: 0 }
  const { key: turn, version, entries, progress } = codec.decode(row)
  return turn === it.activityKey ? { entries, version, progress } : { entries: [], version }
}

/** Whose steps they are. */
type Turn = Pick<Conversation, 'id' | 'activityKey' | 'claim'>

/**
 * Stores the steps of a turn, with how far the call after them is, and answers the version of the list; undefined when a
 * later consumer has written.
 */
export async function write(
  it: Turn,
  entries: Activity[],
  version: number,
  progress?: Progress,
): Promise<number | undefined> {
  const next = version + 1
  return (await Table.update(key(it.id), update(it, entries, next, progress))) ? next : undefined
}

/** The write that stores them as `version`, for the transaction of what is stored with them: that needs the claim itself. */
export function change(it: Turn, entries: Activity[], version: number): Table.Write {
  return { Update: update(it, entries, version) }
}

function update(
  it: Turn,
  entries: Activity[],
  version: number,
  progress?: Progress,
): ReturnType<typeof assign> {
  return assign(config().table, key(it.id), {
    set: {
      ...codec.encode({ key: it.activityKey, version, entries: entries.slice(-limit), progress }),
      claim: it.claim,
    },
    condition: 'attribute_not_exists(pk) OR #claim <= :mine',
    names: { '#claim': 'claim' },
    values: { ':mine': it.claim },
  })
}
