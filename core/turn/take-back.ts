import { Stopped } from '../agent/journal.ts'
import * as Run from '../agent/run-record.ts'
import * as Table from '../base/aws/table.ts'
import { takeBackRun } from '../chat/undo.ts'
import * as Claim from '../conversation/claim.ts'
import * as Quota from '../conversation/quota.ts'
import * as Activity from '../conversation/transcript/activity.ts'
import type { Live } from '../live.ts'
import { load } from '../stage/settings/settings.ts'
import { allowedUser } from './acting.ts'
import { type Invocation, progressEveryMs, proveClaim } from './work.ts'

/**
 * Takes back the changes of a run, in the name of the conversation's owner. Afterwards the conversation has the state
 * from before the undo: a waiting proposal waits again. An undo that is stopped reports what it took back until then.
 */
export async function takeBackMany(live: Live, hold: Claim.Hold, invocation: Invocation): Promise<void> {
  const { owner, undoing = '' } = hold.conversation
  const now = live.clock.now()
  const [user, settings, run, row] = await Promise.all([
    live.cms.user(owner),
    load(now),
    Run.find(owner, undoing, now),
    Table.get(Activity.key(hold.conversation.id)),
  ])
  const actor = allowedUser(user, settings)
  const activity = Activity.decode(row, hold.conversation)
  hold.activityVersion = Math.max(hold.activityVersion, activity.version)
  const goOn = goingOn(live, hold, invocation, activity.entries)
  if (run) await takeBackRun({ actor, cms: live.cms, conversation: hold.conversation, run, now, goOn })
  await end(live, hold, activity.entries)
}

/**
 * Returns the check that runs before each record. The check stores the progress and proves the claim. It returns false
 * to stop the undo, and rejects with Stopped if this consumer must not go on.
 */
function goingOn(
  { clock }: Live,
  hold: Claim.Hold,
  { remainingMs, signal }: Invocation,
  entries: Activity.List['entries'],
) {
  let shownAt = Number.NEGATIVE_INFINITY
  return async (n: number, total: number): Promise<boolean> => {
    const why: unknown = signal.aborted ? signal.reason : undefined
    if (hold.conversation.cancelRequested || (why instanceof Stopped && why.reason === 'cancelled'))
      return false
    signal.throwIfAborted()
    await proveClaim({ hold, clock, remainingMs })
    const now = clock.now()
    if (now - shownAt < progressEveryMs) return true
    shownAt = now
    const progress = { call: hold.conversation.undoing ?? '', n, total }
    const version = await Activity.write(hold.conversation, entries, hold.activityVersion, progress)
    if (version === undefined) throw new Stopped('lost')
    hold.activityVersion = version
    return true
  }
}

function statusBefore(conversation: Claim.Hold['conversation']): 'awaiting_approval' | 'failed' | 'idle' {
  if (conversation.awaitingUntil) return 'awaiting_approval'
  return conversation.errorCode ? 'failed' : 'idle'
}

/** Stores the state from before the undo, and removes the progress from the steps. */
async function end({ clock }: Live, hold: Claim.Hold, entries: Activity.List['entries']): Promise<void> {
  const now = clock.now()
  if (!(await Claim.refresh(hold))) throw new Stopped('lost')
  const { conversation } = hold
  const changes = { status: statusBefore(conversation), undoing: undefined, cancelRequested: false } as const
  const updatedAt = new Date(now).toISOString()
  hold.activityVersion += 1
  const writes = [
    Activity.change(conversation, entries, hold.activityVersion),
    Quota.release(conversation.owner, conversation.id),
  ]
  if (!(await Claim.save(hold, { ...changes, updatedAt }, writes, now))) throw new Stopped('lost')
}
