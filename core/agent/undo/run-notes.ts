import * as Table from '../../base/aws/table.ts'
import type { RunRef, Run as Stored } from '../run-record.ts'
import * as Run from '../run-record.ts'
import { type Notes, tool } from './undo.ts'

/** The intents of a run as the table has them; `now` is milliseconds since the epoch. */
export function notesOf(run: RunRef & Pick<Stored, 'expiresAt'>, now: number): Notes {
  return {
    all: () => Run.intents(run),
    begin: async (key, id) => {
      // An intent that another call has stored serves as well.
      await Table.transact([Run.intention(run, { id, tool, order: 0 }, key, now)])
    },
    conclude: (key, outcome) => Run.conclude(run, key, outcome),
    forget: (key) => Run.forget(run, key),
  }
}
