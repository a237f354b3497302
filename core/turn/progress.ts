import type { Journal } from '../agent/journal.ts'
import * as Log from '../base/log.ts'
import * as Activity from '../conversation/transcript/activity.ts'
import type { Work } from './work.ts'

/** The least time before a call stores its progress, and between two such writes, in milliseconds. */
const everyMs = 1_000

/** Stores the progress of a call with the steps of the turn. The next save removes it. */
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
      // The call goes on: its result does not depend on the progress shown meanwhile.
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
