import type { Actor } from '../../base/actor.ts'
import * as Table from '../../base/aws/table.ts'
import type { Cms, Place } from '../../cms/cms.ts'
import type { Intent, RunRef, Run as Stored } from '../run-item.ts'
import * as Run from '../run-record.ts'
import * as Writes from './writes.ts'

/**
 * Takes back the changes of a run of the actor; with `only`, those of that record alone. Leaves a record that was
 * changed again since, or that the CMS refuses, and lists it with a reason. A repeated call, also after a crash,
 * takes back nothing twice. For `goOn`, see `Writes.Scene`.
 */
export async function takeBack(
  actor: Actor,
  cms: Cms,
  run: Stored,
  now: number,
  { only, goOn }: { only?: Place | undefined; goOn?: Writes.Scene['goOn'] } = {},
): Promise<Writes.Taken> {
  const scene = { actor, cms, runId: run.runId, notes: notesOf(run, now), now }
  return Writes.takeBack({ ...scene, ...(goOn && { goOn }) }, only)
}

/** How many records an undo of the run would have to change. Asks the CMS for none of them. */
export async function openRecords(cms: Cms, { runId }: Stored, intents: Intent[]): Promise<number> {
  return Writes.openRecords({ cms, runId }, intents)
}

/** How many records a run of the actor changed whose changes can still be taken back; `now` is the time in milliseconds. */
export async function changesOf(actor: Actor, cms: Cms, runId: string, now: number): Promise<number> {
  const run = { owner: actor.uid, runId, expiresAt: undefined }
  return Writes.changesOf({ actor, cms, runId, notes: notesOf(run, now) })
}

/** The intents of the run as the table has them. */
function notesOf(run: RunRef & Pick<Stored, 'expiresAt'>, now: number): Writes.Notes {
  return {
    all: () => Run.intents(run),
    begin: async (key, id) => {
      // An intent that another call has stored serves as well.
      await Table.transact([Run.intention(run, { id, tool: Writes.tool, order: 0 }, key, now)])
    },
    conclude: (key, outcome) => Run.conclude(run, key, outcome),
    forget: (key) => Run.forget(run, key),
  }
}
