import { randomUUID } from 'node:crypto'
import { assign } from '../aws/expression.ts'
import * as Table from '../aws/table.ts'
import { config } from '../stage/config.ts'
import { attributes, type Conversation, decode, key, places, still } from './item.ts'
import type { Job } from './queue.ts'
import * as Row from './row.ts'
import { checkMove } from './state.ts'

/**
 * Who may work on a conversation. A queue message carries the request id to claim with; the claim swaps it for a fresh
 * one in the same conditional write, and that one fences every write of the consumer. Whatever takes a turn from its
 * consumer sets a new id, so that a late write finds another and does nothing.
 */

/** A consumer writes a sign of life this often while it waits for something, in milliseconds. */
export const heartbeatMs = 20_000
/** A consumer that was silent this long starts no tool any more. */
export const faintMs = 60_000
/** A consumer that was silent this long has lost its lease. */
export const leaseMs = 90_000
/** A consumer retries requests to the table until this many milliseconds after its last heartbeat. */
export const tableRetryMs = leaseMs - 15_000
/** A conversation without progress for longer than this is stuck (specification, Limits). */
export const stuckMs = 5 * 60_000
/** Work that one turn may take over all its claims. */
export const workMs = 30 * 60_000
/** How often a turn may be handed to the next invocation. */
export const maxHandovers = 5
/** How often a lease may run out before the turn is no longer given to another consumer. */
export const maxLapses = 2

/** A fresh request id. */
export const newRequestId = (): string => randomUUID()

/** What makes a conversation wait for a consumer. */
export function enqueue(now: number): Row.Changes & { requestId: string } {
  const at = new Date(now).toISOString()
  return {
    status: 'processing',
    requestId: newRequestId(),
    progressAt: at,
    queuedAt: at,
    deferredUntil: undefined,
    isUnbooked: undefined,
  }
}

/**
 * What makes a conversation wait until its model may be asked. That time counts neither as a wait for a consumer nor as
 * silence, and the next consumer need not book it again, unless it is not booked.
 */
export function defer(until: number, isBooked: boolean): Row.Changes & { requestId: string } {
  const deferredUntil = new Date(until).toISOString()
  return { ...enqueue(until), deferredUntil, isUnbooked: isBooked ? undefined : true }
}

/** How long a claimed turn had waited for its consumer, in milliseconds; undefined for rows of old releases. */
export function waitedMs({ queuedAt, claimedAt }: Conversation): number | undefined {
  return queuedAt ? Math.max(0, Date.parse(claimedAt) - Date.parse(queuedAt)) : undefined
}

/** When a turn last gave a sign of life, ISO 8601; rows of old releases know only when they were changed. */
export const lastSign = (it: Conversation): string => it.progressAt || it.updatedAt

/**
 * Work on the turn over all its claims up to `at`, in milliseconds. The current claim counts as nothing where its
 * beginning is not known.
 */
export function workedMs(it: Conversation, at: number): number {
  const ms = at - Date.parse(it.claimedAt)
  return it.workedMs + (ms > 0 ? ms : 0)
}

/** The changes that begin a turn: counters and errors of the last turn are reset, the list of steps is empty. */
export function begin(now: number): Row.Changes & { requestId: string } {
  return {
    ...enqueue(now),
    cancelRequested: false,
    activityKey: randomUUID(),
    errorMessage: undefined,
    errorCode: undefined,
    workedMs: 0,
    lapses: 0,
    handovers: 0,
  }
}

/** A conversation in a consumer's hands. `it` is what the consumer knows to be stored. */
export type Hold = {
  it: Conversation
  /** Version of the list of steps as last written by this consumer. */
  activityVersion: number
  /** When the last sign of life was stored, in milliseconds since the epoch. */
  beatAt: number
  /**
   * What the conversation has used up to now; stored with whatever is stored next. A whole and no difference, because no
   * other writer changes it while the claim holds: a write that is repeated counts nothing twice.
   */
  used: Pick<Conversation, 'usedTokens' | 'usedMicroDollars'>
  /** Id of the model of the turn; empty until it is chosen. */
  model: string
}

/** Claims the conversation of a job; undefined when it is not waiting for this very request. */
export async function claim({ conversationId, requestId }: Job, now: number): Promise<Hold | undefined> {
  const at = new Date(now).toISOString()
  const mine = newRequestId()
  const place = key(conversationId)
  const change = assign(config().table, place, {
    set: {
      ...attributes({ status: 'locked', requestId: mine, progressAt: at, claimedAt: at }),
      busy_sk: `${at}#${conversationId}`,
    },
    add: { claim: 1, version: 1 },
    condition: '#status = :processing AND #current_request_id = :job',
    values: { ':processing': 'processing', ':job': requestId },
  })
  const it = decode(await Table.updated(place, change)) ?? (await claimedAs(mine, conversationId))
  if (!it) return undefined
  const { activityVersion, usedTokens, usedMicroDollars } = it
  return { it, activityVersion, beatAt: now, used: { usedTokens, usedMicroDollars }, model: '' }
}

/** A claim whose answer was lost fails when it is repeated, although it is made. */
async function claimedAs(mine: string, id: string): Promise<Conversation | undefined> {
  const stored = await Row.read(id)
  return stored?.requestId === mine ? stored : undefined
}

/**
 * Stores changes of the row and other writes with it, under the claim; false when the claim is lost. The version
 * grows by one and by the steps written since, so that the row alone tells it once the turn is over.
 */
export async function save(hold: Hold, changes: Row.Changes, writes: Table.Write[], now: number) {
  return (await saveWith(hold, changes, writes, undefined, now)) !== 'lost'
}

/** As `save`, with one write more that is left out where its own condition does not hold: the answer is `without` then. */
export async function saveWith(
  hold: Hold,
  changes: Row.Changes,
  writes: Table.Write[],
  along: Table.Write | undefined,
  now: number,
): Promise<'saved' | 'without' | 'lost'> {
  let extra = along ? [along] : []
  for (let count = 0; count < 5; count++) {
    const { next, write } = fenced(hold, { ...unsaved(hold), ...changes }, now)
    const all = [write, ...writes, ...extra]
    const outcome = await Table.transact(all)
    if (outcome.done) {
      hold.it = next
      hold.beatAt = now
      return along && extra.length === 0 ? 'without' : 'saved'
    }
    if (extra.length > 0 && outcome.failed.includes(all.length - 1)) {
      extra = []
      if (outcome.failed.length === 1) continue
    }
    if (!(await refresh(hold))) return 'lost'
  }
  throw new Error('The conversation changed faster than its consumer could write.')
}

/** What was used and is not stored yet; and a turn that goes on is deferred no more. */
function unsaved({ it, used }: Hold): Row.Changes {
  const isStored = used.usedTokens === it.usedTokens && used.usedMicroDollars === it.usedMicroDollars
  return { ...(it.deferredUntil !== undefined && { deferredUntil: undefined }), ...(!isStored && used) }
}

function fenced(hold: Hold, changes: Row.Changes, now: number): { next: Conversation; write: Table.Write } {
  const { it } = hold
  const steps = hold.activityVersion - it.activityVersion
  const growth = 1 + steps
  const progressAt = new Date(now).toISOString()
  const next = {
    ...it,
    progressAt,
    ...changes,
    version: it.version + growth,
    activityVersion: hold.activityVersion,
  }
  checkMove('locked', next.status)
  const ends = next.status !== 'locked'
  // The owner may change `pinned`, `next` and `undoRows` while a turn runs. The places depend on the first two, and the
  // consumer appends the third after the end.
  const waiting = ends ? all(still(it, 'next', it.next), still(it, 'undo_rows', it.undoRows)) : undefined
  const update = assign(config().table, key(it.id), {
    set: {
      ...attributes({ progressAt, ...changes, activityVersion: hold.activityVersion }),
      // Between the ends of a turn no index moves: heartbeats keep the place among the busy.
      ...(ends && places(next)),
    },
    add: { version: growth },
    condition: `#current_request_id = :mine AND #status = :locked${waiting ? ` AND #pinned = :pinned AND ${waiting.condition}` : ''}`,
    names: {
      '#current_request_id': 'current_request_id',
      '#status': 'status',
      ...(waiting && { '#pinned': 'pinned', ...waiting.names }),
    },
    values: {
      ':mine': it.requestId,
      ':locked': 'locked',
      ...(waiting && { ':pinned': it.pinned, ...waiting.values }),
    },
  })
  return { next, write: { Update: update } }
}

/** Holds where both conditions hold. */
function all(one: Required<Table.Condition>, other: Required<Table.Condition>): Required<Table.Condition> {
  return {
    condition: `${one.condition} AND ${other.condition}`,
    names: { ...one.names, ...other.names },
    values: { ...one.values, ...other.values },
  }
}

/** Stores a sign of life; false when the claim is lost. */
export async function heartbeat(hold: Hold, now: number): Promise<boolean> {
  const { it } = hold
  const progressAt = new Date(now).toISOString()
  const place = key(it.id)
  const change = assign(config().table, place, {
    set: { progress_at: progressAt, busy_sk: `${progressAt}#${it.id}` },
    condition: '#current_request_id = :mine AND #status = :locked',
    names: { '#current_request_id': 'current_request_id', '#status': 'status' },
    values: { ':mine': it.requestId, ':locked': 'locked' },
  })
  const isMine = await Table.update(place, change)
  if (isMine) hold.beatAt = now
  return isMine
}

/** Reads the row again: what its owner changed meanwhile is taken over. False when the claim is lost. */
export async function refresh(hold: Hold): Promise<boolean> {
  const stored = await Row.read(hold.it.id)
  if (!stored || stored.requestId !== hold.it.requestId || stored.status !== 'locked') return false
  hold.it = stored
  return true
}

/** Whether the turn is still this consumer's to continue, as stored now. */
export async function look(hold: Hold): Promise<'mine' | 'cancelled' | 'lost'> {
  const stored = await Row.read(hold.it.id)
  if (stored?.requestId !== hold.it.requestId || stored.status !== 'locked') return 'lost'
  return stored.cancelRequested ? 'cancelled' : 'mine'
}
