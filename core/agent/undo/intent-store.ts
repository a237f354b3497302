import * as Table from '../../base/aws/table.ts'
import * as Run from '../run-record.ts'
import { type IntentStore, undoTool } from './undo.ts'

/** Returns the store of a run's intents; `now` is in milliseconds since the epoch. */
export function intentStoreOf(run: Run.RunRef & Pick<Run.Run, 'expiresAt'>, now: number): IntentStore {
  return {
    all: () => Run.intents(run),
    begin: async (key, id) => {
      // Fails without harm if another call has stored the intent.
      await Table.transact([Run.intention(run, { id, tool: undoTool, order: 0 }, key, now)])
    },
    conclude: (key, outcome) => Run.conclude(run, key, outcome),
    forget: (key) => Run.forget(run, key),
  }
}
