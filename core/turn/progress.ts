import type { Journal } from '../agent/journal.ts'
import * as Log from '../base/log.ts'
import * as Activity from '../conversation/transcript/activity.ts'
import type { Work } from './work.ts'

/** How far a call is, is stored this often at most, and first after as long: a short call stores nothing. In milliseconds. */
const everyMs = 1_000

/** Stores with the steps of the turn how far a call is. What is stored next removes it. */
export function progress(work: Work): Journal['progress'] {
  let last = { call: '', at: 0 }
  return async ({ id: call }, n, total) => {
    const at = work.now()
    if (last.call !== call) last = { call, at }
    if (at - last.at < everyMs) return
    last = { call, at }
    try {
      await store(work, { call, n, total })
    } catch (cause) {
      // The call goes on: its result does not depend on what is shown meanwhile.
      Log.failure('The progress of a call could not be stored', cause)
    }
  }
}

async function store(work: Work, of: NonNullable<Activity.List['progress']>): Promise<void> {
  const { hold } = work
  // Steps that wait for the next save have their version already, and are stored here.
  const known = hold.activityVersion - (work.steps ? 1 : 0)
  const version = await Activity.write(hold.it, work.entries, known, of)
  if (version === undefined) return
  hold.activityVersion = version
  work.steps = undefined
}
