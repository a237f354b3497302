import { randomUUID } from 'node:crypto'
import * as Table from '../base/aws/table.ts'
import * as Log from '../base/log.ts'
import { attributes, type Conversation, decode, indexed, key, still } from './item.ts'
import type { Job } from './queue.ts'
import * as Row from './row.ts'
import { checkMove } from './schema.ts'

/**
 * Manages claims: the right of one consumer to work on a conversation. A queue message carries a request id. The claim
 * is a conditional write: it requires this id in the row, and replaces it with a fresh one. Every later write of the
 * consumer requires the fresh id. Another writer takes the turn away by storing a new id. Then late writes of the old
 * consumer change nothing.
 */

/** The time between two heartbeats of a consumer, in milliseconds. */
export const heartbeatMs = 20_000
/** After this many milliseconds without a stored sign of life, a consumer proves its claim before it starts a tool. */
export const faintMs = 60_000
/** The lease of a claim, in milliseconds: after this time without a sign of life, another consumer may get the turn. */
export const leaseMs = 90_000
/** The time for which a consumer retries requests to the table after its last heartbeat, in milliseconds. */
export const tableRetryMs = leaseMs - 15_000
/** The maximum time of work on one turn over all its claims, in milliseconds. */
export const workMs = 30 * 60_000
/** The maximum number of hand-overs of a turn to the next invocation. */
export const maxHandovers = 5
/** The maximum number of expired leases of a turn; after one more, no other consumer gets the turn. */
export const maxLapses = 2

/** Returns a fresh request id. */
export const newRequestId = (): string => randomUUID()

/**
 * Returns the changes that make a conversation wait for a consumer. They hold the id of the current HTTP request, if
 * there is one.
 */
export function enqueue(now: number): Row.Changes & { requestId: string } {
  const at = new Date(now).toISOString()
  const httpRequestId = Log.requestId()
  return {
    status: 'processing',
    requestId: newRequestId(),
    ...(httpRequestId !== undefined && { httpRequestId }),
    progressAt: at,
    queuedAt: at,
    deferredUntil: undefined,
    isUnbooked: undefined,
  }
}

/**
 * Returns the changes that make a conversation wait until its model may be called. This time counts neither as a wait
 * for a consumer nor as silence. `isBooked` is false if the next consumer must book the model call.
 */
export function defer(until: number, isBooked: boolean): Row.Changes & { requestId: string } {
  const deferredUntil = new Date(until).toISOString()
  return { ...enqueue(until), deferredUntil, isUnbooked: isBooked ? undefined : true }
}

/** Returns the milliseconds that a claimed turn waited for its consumer; undefined for rows of old releases. */
export function waitedMs({ queuedAt, claimedAt }: Conversation): number | undefined {
  return queuedAt ? Math.max(0, Date.parse(claimedAt) - Date.parse(queuedAt)) : undefined
}

/** Returns the time of a turn's last sign of life, ISO 8601; for rows of old releases the time of the last change. */
export const lastSign = (conversation: Conversation): string =>
  conversation.progressAt || conversation.updatedAt

/**
 * Returns the milliseconds of work on the turn, over all its claims up to `at`. A claim without a start time counts as
 * 0.
 */
export function workedMs(conversation: Conversation, at: number): number {
  const ms = at - Date.parse(conversation.claimedAt)
  return conversation.workedMs + (ms > 0 ? ms : 0)
}

/**
 * Returns the changes that begin a turn. They reset the counters and errors of the last turn, and empty the list of
 * steps.
 */
export function begin(now: number): Row.Changes & { requestId: string } {
  return {
    ...enqueue(now),
    cancelRequested: false,
    undoing: undefined,
    activityKey: randomUUID(),
    errorMessage: undefined,
    errorCode: undefined,
    workedMs: 0,
    lapses: 0,
    handovers: 0,
  }
}

/** A claimed conversation, and the values that the next write of its consumer stores. */
export type Hold = {
  conversation: Conversation
  /** The version of the list of steps as this consumer last wrote it. */
  activityVersion: number
  /** The time when the last sign of life was stored, in milliseconds since the epoch. */
  beatAt: number
  /**
   * The total tokens and cost of the conversation; the next write stores them. Totals need no increment: no other
   * writer changes them during the claim, and a repeated write counts nothing twice.
   */
  used: Pick<Conversation, 'usedTokens' | 'usedMicroDollars' | 'windowPercent'>
  /** The id of the turn's model; empty until it is chosen. */
  model: string
  /** True if the user has handed messages to the turn, as of the consumer's last read. */
  isHanded: boolean
}

/** Claims the conversation of a job. Returns undefined if the conversation does not wait for this request id. */
export async function claim({ conversationId, requestId }: Job, now: number): Promise<Hold | undefined> {
  const at = new Date(now).toISOString()
  const mine = newRequestId()
  const row = await Table.assigned(key(conversationId), {
    set: {
      ...attributes({ status: 'locked', requestId: mine, progressAt: at, claimedAt: at }),
      busy_sk: `${at}#${conversationId}`,
    },
    add: { claim: 1, version: 1 },
    condition: '#status = :processing AND #current_request_id = :job',
    values: { ':processing': 'processing', ':job': requestId },
  })
  const conversation = decode(row) ?? (await claimedAs(mine, conversationId))
  if (!conversation) return undefined
  const { activityVersion, usedTokens, usedMicroDollars, windowPercent } = conversation
  return {
    conversation,
    activityVersion,
    beatAt: now,
    used: { usedTokens, usedMicroDollars, windowPercent },
    model: '',
    isHanded: isHanded(conversation),
  }
}

const isHanded = ({ nextNow, nextHeld, nextOpen }: Conversation) =>
  !nextHeld && nextNow.some((id) => id !== nextOpen)

/**
 * Returns the row if an earlier attempt of this claim was stored but its answer was lost. Then the repeated claim
 * fails, and the row has this consumer's request id.
 */
async function claimedAs(mine: string, id: string): Promise<Conversation | undefined> {
  const stored = await Row.read(id)
  return stored?.requestId === mine ? stored : undefined
}

/**
 * Stores changes of the row and other writes in one transaction, under the claim; false when the claim is lost. The
 * row's version grows by one and by the number of stored step lists since its last write. So after the turn, readers
 * can detect a change by the row's version alone.
 */
export async function save(hold: Hold, changes: Row.Changes, writes: Table.Write[], now: number) {
  return (await saveWith(hold, changes, writes, undefined, now)) !== 'lost'
}

/**
 * Works like `save`, with the further write `along`. If only the condition of `along` fails, stores the rest and
 * returns `without`. If the user has cancelled the turn, stores no intent of a write and no wait for the user, and
 * returns `cancelled`.
 */
export async function saveWith(
  hold: Hold,
  changes: Row.Changes,
  writes: Table.Write[],
  along: Table.Write | undefined,
  now: number,
): Promise<'saved' | 'without' | 'cancelled' | 'lost'> {
  let extra = along ? [along] : []
  for (let count = 0; count < tries; count++) {
    if ((changes.writing || changes.awaitingUntil) && hold.conversation.cancelRequested) return 'cancelled'
    const outcome = await saveOnce(hold, { changes, writes: [...writes, ...extra] }, now)
    if (outcome.done) return along && extra.length === 0 ? 'without' : 'saved'
    const isExtra = extra.length > 0 && outcome.failed.includes(1 + writes.length)
    if (isExtra) extra = []
    if (isExtra && outcome.failed.length === 1) continue
    if (!(await refresh(hold))) return 'lost'
  }
  throw tooFast()
}

/**
 * Works like `save`, for changes of the waiting messages, which the user may change at the same time. After a lost race
 * it reads the row and calls `plan` again.
 */
export async function contend(
  hold: Hold,
  plan: (conversation: Conversation) => Promise<Planned>,
  now: number,
): Promise<boolean> {
  for (let count = 0; count < tries; count++) {
    if (!(await refresh(hold))) return false
    if ((await saveOnce(hold, await plan(hold.conversation), now)).done) return true
  }
  throw tooFast()
}

/** The maximum number of attempts to store a change while the owner changes the same row. */
const tries = 5
const tooFast = () => new Error('The conversation changed faster than its consumer could write.')

/** Changes of the row, and the other writes of their transaction. */
type Planned = { changes: Row.Changes; writes: Table.Write[] }

/** Tries once to store changes under the claim; keeps the stored row in the hold. */
async function saveOnce(hold: Hold, { changes, writes }: Planned, now: number) {
  const { next, write } = fenced(hold, { ...unsaved(hold), ...changes }, now)
  const outcome = await Table.transact([write, ...writes])
  if (outcome.done) {
    hold.conversation = next
    hold.beatAt = now
  }
  return outcome
}

/** Returns the usage that is not stored yet. Also ends the deferral, because the turn goes on. */
function unsaved({ conversation, used }: Hold): Row.Changes {
  const isStored =
    used.usedTokens === conversation.usedTokens && used.usedMicroDollars === conversation.usedMicroDollars
  return {
    ...(conversation.deferredUntil !== undefined && { deferredUntil: undefined }),
    ...(!isStored && used),
  }
}

function fenced(hold: Hold, changes: Row.Changes, now: number): { next: Conversation; write: Table.Write } {
  const { conversation } = hold
  const steps = hold.activityVersion - conversation.activityVersion
  const growth = 1 + steps
  const progressAt = new Date(now).toISOString()
  const next = {
    ...conversation,
    progressAt,
    ...changes,
    version: conversation.version + growth,
    activityVersion: hold.activityVersion,
  }
  checkMove('locked', next.status)
  const ends = next.status !== 'locked'
  // The owner may change the row while a turn runs. The owner's changes decide about the index keys, and about the rows
  // and messages that the turn appends. They also decide about the next write to the CMS.
  const unchanged =
    ends || changes.next || changes.writing ? [still(conversation, 'version', conversation.version)] : []
  const write = Table.assignWrite(key(conversation.id), {
    set: {
      ...attributes({ progressAt, ...changes, activityVersion: hold.activityVersion }),
      // Before the end of the turn, no index key changes, because only heartbeats move the turn among the busy turns.
      ...(ends && indexed(next)),
    },
    add: { version: growth },
    ...Table.allOf(held(conversation), ...unchanged),
  })
  return { next, write }
}

/** Returns the condition that this consumer still holds the claim. */
const held = ({ requestId }: Conversation): Required<Table.Condition> => ({
  condition: '#current_request_id = :mine AND #status = :locked',
  values: { ':mine': requestId, ':locked': 'locked' },
})

/** Stores a sign of life; false when the claim is lost. */
export async function heartbeat(hold: Hold, now: number): Promise<boolean> {
  const { conversation } = hold
  const progressAt = new Date(now).toISOString()
  const isMine = await Table.assign(key(conversation.id), {
    set: { progress_at: progressAt, busy_sk: `${progressAt}#${conversation.id}` },
    ...held(conversation),
  })
  if (isMine) hold.beatAt = now
  return isMine
}

/** Reads the row with the owner's changes into the hold again; false when the claim is lost. */
export async function refresh(hold: Hold): Promise<boolean> {
  const stored = await heldRow(hold)
  if (stored) hold.conversation = stored
  return stored !== undefined
}

/** Reads the row; undefined when the claim is lost. */
async function heldRow({ conversation }: Hold): Promise<Conversation | undefined> {
  const stored = await Row.read(conversation.id)
  return stored?.requestId === conversation.requestId && stored.status === 'locked' ? stored : undefined
}

/** Reads the state of the claim. Sets `isHanded` of the hold if the user has handed messages to the turn. */
export async function look(hold: Hold): Promise<'mine' | 'cancelled' | 'lost'> {
  const stored = await heldRow(hold)
  if (!stored) return 'lost'
  hold.isHanded = isHanded(stored)
  return stored.cancelRequested ? 'cancelled' : 'mine'
}
