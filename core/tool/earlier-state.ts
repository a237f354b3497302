import type { Actor } from '../actor.ts'
import type { Cms } from '../cms/cms.ts'
import type { HistoryEntry } from '../cms/schema.ts'
import type { RecordId } from '../conversation/schema.ts'
import { ToolError } from '../error.ts'
import { missing } from './format.ts'

/** What a record said before its latest changes, worked out from its history. */

/** A field whose value differs between two states; null: empty. */
export type Difference = { field: string; label: string; older: string | null; newer: string | null }

/** The most changes back that can be asked for. */
export const mostBack = 100

/**
 * The fields that differ between the state `older` changes ago and that `newer` changes ago (0: now), with the entries
 * of the history in between, newest first. Throws ToolError where the record or the state is not there for the actor.
 */
export async function between(
  cms: Cms,
  actor: Actor,
  { table, uid, older, newer }: { table: string; uid: RecordId; older: number; newer: number },
): Promise<{ differences: Difference[]; entries: HistoryEntry[] }> {
  if (older <= newer) throw new ToolError('The older state has to lie more changes back than the newer one.')
  const history = await cms.history(actor, table, uid, older + 1)
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
