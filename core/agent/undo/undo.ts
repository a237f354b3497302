import type { Actor } from '../../base/actor.ts'
import * as Table from '../../base/aws/table.ts'
import type { Cms, Place, UndoResult } from '../../cms/cms.ts'
import type { RunRef, Run as Stored } from '../run-item.ts'
import * as Run from '../run-record.ts'
import * as Writes from './writes.ts'

/**
 * Takes back the changes of a run of the actor; with `only`, those of that record alone. Leaves a record that was
 * changed again since, or that the CMS refuses, and lists it with a reason. A repeated call, also after a crash,
 * takes back nothing twice.
 */
export async function takeBack(
  actor: Actor,
  cms: Cms,
  run: Stored,
  now: number,
  only?: Place,
): Promise<UndoResult> {
  return Writes.takeBack({ actor, cms, runId: run.runId, notes: notesOf(run, now), now }, only)
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
