import type { Actor } from '../actor.ts'
import * as Run from '../agent/run.ts'
import type { RunRef, Run as Stored } from '../agent/run-item.ts'
import * as Table from '../aws/table.ts'
import type { Cms, Place, UndoResult } from '../cms/cms.ts'
import * as Writes from './writes.ts'

/** Taking back what a run changed: by the CMS where it has the capability, otherwise by writes like any other. */

/**
 * Takes back what a run of the actor changed, with `only` that record alone. What was changed again since, or the CMS
 * refuses, is left as it is and listed with a reason. A repeated call, also after a crash, takes back nothing twice.
 */
export async function takeBack(
  actor: Actor,
  cms: Cms,
  run: Stored,
  now: number,
  only?: Place,
): Promise<UndoResult> {
  const { runId } = run
  if ((await cms.capabilities()).undo) return cms.undo(actor, runId, now, only)
  return Writes.takeBack({ actor, cms, runId, notes: notesOf(run, now), now }, only)
}

/** How many records a run of the actor changed whose changes can still be taken back; `now` is the time in milliseconds. */
export async function changesOf(actor: Actor, cms: Cms, runId: string, now: number): Promise<number> {
  if ((await cms.capabilities()).undo) return cms.changesOf(actor, runId)
  const run = { owner: actor.uid, runId, expiresAt: undefined }
  return Writes.changesOf({ actor, cms, runId, notes: notesOf(run, now) })
}

/** The intents of the run as the table has them. */
function notesOf(run: RunRef & Pick<Stored, 'expiresAt'>, now: number): Writes.Notes {
  return {
    all: () => Run.intents(run),
    begin: async (key, id) => {
      // Where the intent of another call is there already, it is as good.
      await Table.transact([Run.intention(run, { id, tool: Writes.tool, order: 0 }, key, now)])
    },
    conclude: (key, outcome) => Run.conclude(run, key, outcome),
    forget: (key) => Run.forget(run, key),
  }
}
