import type { Actor } from '../base/actor.ts'
import { ToolError } from '../base/error.ts'
import type { Cms } from '../cms/cms.ts'
import type { HistoryEntry } from '../cms/schema.ts'
import type { RecordId } from '../conversation/schema.ts'
import { missing } from './format.ts'

/** Reconstructs earlier states of a record from its history. */

/** A field whose value differs between two states; null: empty. */
export type Difference = { field: string; label: string; older: string | null; newer: string | null }

/** The oldest state that a caller can ask for, in changes before now. */
export const mostBack = 100

/**
 * Compares the state `older` changes ago with the state `newer` changes ago (0: now). Answers the fields that differ,
 * and the history entries in between, newest first. Throws ToolError if the actor cannot see the record, or the state
 * does not exist.
 */
export async function between(
  cms: Cms,
  actor: Actor,
  { table, uid, older, newer }: { table: string; uid: RecordId; older: number; newer: number },
): Promise<{ differences: Difference[]; entries: HistoryEntry[] }> {
  if (older <= newer) throw new ToolError('The older state has to lie more changes back than the newer one.')
  const history = await cms.history(actor, { table, uid, limit: older + 1 })
  if (!history) throw missing(`Record ${table} [${uid}]`)
  const entries = history.slice(newer, older)
  if (entries.length < older - newer)
    throw new ToolError(`The history of ${table} [${uid}] has only ${history.length} changes.`)
  if (entries.some(({ action }) => action !== 'modify'))
    throw new ToolError(
      `Within the last ${older} changes ${table} [${uid}] was created, moved or deleted: there is no state before that.`,
    )
  const differences = new Map<string, Difference>()
  for (const { field, label, before, after } of entries.flatMap(({ changes }) => changes)) {
    const known = differences.get(field)
    differences.set(field, { field, label, older: before, newer: known ? known.newer : after })
  }
  return { differences: [...differences.values()].filter(({ older, newer }) => older !== newer), entries }
}
