import { allOf, type Condition, transact, type Write } from '../../base/aws/table.ts'
import { VisibleError } from '../../base/error.ts'
import { dayOf, isSpent, tokensOf } from './budget.ts'
import {
  change,
  changeWrite,
  type Day,
  days,
  daysOf,
  doneName,
  openName,
  type Reservation,
  usersOf,
} from './item.ts'
import { added, type Used } from './sum.ts'

/**
 * Tokens per user and UTC day, and the sums of the day by model. A call reserves its tokens before it starts. The
 * transaction that stores its reply counts its usage; if that is not possible, `settleCall` counts it. Parallel turns
 * never commit more than the limit of the day. The round must grow over the whole run, across pauses, retries and
 * hand-overs: a settled round is never reserved or settled again.
 */

/**
 * Reserves `tokens` for a call, or the rest of the day if that is less: the last call of a day may exceed the limit,
 * but no second call starts. If no tokens are left, writes nothing and returns `spent`. Returns `held` while open
 * reservations of other calls may leave some. A repeat for the same call does not reserve again. Replaces an open
 * reservation of another round of the run. Writes nothing if `daily` is null, which means no limit.
 */
export async function reserve(
  uid: number,
  { runId, round, tokens }: SettledCall & { tokens: number },
  daily: number | null,
  now: number,
): Promise<Reserved | 'spent' | 'held'> {
  const date = dayOf(now)
  if (daily === null) return { date, tokens: 0 }
  const setAside = (granted: number, held: Reservation | undefined) => {
    const added = granted - (held?.tokens ?? 0)
    const hasRoom = {
      condition: 'NOT attribute_type(#committed, :number) OR #committed <= :room',
      values: { ':room': daily - added, ':number': 'N' },
    }
    return change(uid, date, {
      set: { [openName(runId)]: { round, tokens: granted, at: now } },
      add: { committed: added },
      // A late consumer must not reserve again what its successor has settled.
      ...allOf(hasRoom, unchanged(runId, held), undone({ runId, round })),
    })
  }
  // Usually tokens are left and no reservation is open; then the first update succeeds without a read of the day.
  if (tokens <= daily && (await setAside(tokens, undefined))) return { date, tokens }
  const granted = await retryWithFreshData(async () => {
    const [day] = (await days(uid, [date])) as [Day]
    const held = day.open.get(openName(runId))
    if (held?.round === round) return held.tokens
    if (isDone(day, { runId, round })) return 0
    const room = daily - day.committed + (held?.tokens ?? 0)
    if (tokens > room && (await reclaim(uid, day, now))) return undefined
    if (room <= 0) return isSpent(daily, day.settled) ? 'spent' : 'held'
    const most = Math.min(tokens, room)
    return (await setAside(most, held)) ? most : undefined
  })
  return typeof granted === 'number' ? { date, tokens: granted } : granted
}

/** Counts the usage of a call whose reply was not stored, for today and not as a turn. A repeat counts again. */
export async function add(uid: number, used: Used, now: number): Promise<void> {
  // Uses a transaction, because DynamoDB does not execute it twice if its answer is lost.
  await transact([addition(uid, used, now)])
}

/**
 * Returns the write that counts a model call outside the rounds of a turn. The write belongs in the transaction that
 * stores the reply of the call.
 */
export function addition(uid: number, { model, ...usage }: Used, now: number): Write {
  const used = tokensOf(usage)
  const sums = added(model, { ...usage, calls: 1 })
  return changeWrite(uid, dayOf(now), { add: { settled: used, committed: used, ...sums } })
}

/**
 * Counts the usage of a call whose reply is not stored in the same transaction. Counts on the day of the reservation
 * and releases the rest of the reservation. A repeat for the same call does not count again. Without a reservation (no
 * limit), the usage counts for today.
 */
export async function settleCall(uid: number, call: SettledCall, usage: Used, now: number): Promise<void> {
  await retryWithFreshData(async () => {
    const recent = await days(uid, recently(now))
    const reserved = recent.find((day) => day.open.get(openName(call.runId))?.round === call.round)
    if (!reserved && recent.some((day) => isDone(day, call))) return true
    const day = reserved ?? (recent[0] as Day)
    // A missing mark is not enough, because the marks of old runs are removed. Without the check of the round, a turn
    // that waited for days would count as new in a later round.
    const isFirst = call.round === 1 && !recent.some(({ done }) => done.has(doneName(call.runId)))
    const written = await change(uid, day.date, settlement(call, usage, day, isFirst, now))
    return written || undefined
  })
}

/**
 * Releases the reservation that a run will not use: its call failed, or the run has ended. A repeat changes nothing.
 * `isCounted` is true if the run is already counted as a turn.
 */
export async function release(uid: number, runId: string, now: number): Promise<{ isCounted: boolean }> {
  const recent = await days(uid, recently(now))
  for (const day of recent) {
    const held = day.open.get(openName(runId))
    // Removes old marks, because a turn that was broken off leaves its mark and the item must stay small.
    const old = withoutOld(day, now)
    if (held)
      await change(uid, day.date, {
        set: { ...old, [openName(runId)]: undefined },
        add: { committed: -held.tokens },
        ...unchanged(runId, held),
      })
    else if (Object.keys(old).length > 0) await change(uid, day.date, { set: old })
  }
  return { isCounted: recent.some(({ done }) => done.has(doneName(runId))) }
}

/** A failed turn: its run, the start of the run in milliseconds since the epoch, and if `release` found it counted. */
type Failed = { runId: string; begunAt: number; model: string; isCounted: boolean }

/**
 * Returns the write that counts a failed turn, for the transaction that stores the turn's end, which happens once.
 * `model` is empty if no model was chosen yet. If the run is not counted yet, the write counts it as a turn.
 */
export function failure(uid: number, failed: Failed, now: number): Write {
  // An old run was counted before it waited for a decision or was tried again; its mark may be gone.
  const isCounted = failed.isCounted || failed.begunAt < now - markMs
  const mark = isCounted ? {} : { [doneName(failed.runId)]: { round: 0, at: now } }
  const add = added(failed.model, { failed: 1, turns: isCounted ? 0 : 1 })
  return changeWrite(uid, dayOf(now), { set: mark, add })
}

/** Returns the user's usage of today, without reservations. */
export async function today(uid: number, now: number): Promise<{ settled: number }> {
  const [day] = (await days(uid, [dayOf(now)])) as [Day]
  return { settled: day.settled }
}

/**
 * Returns the usage of all users today, added up from each user's day. There is no counter for the stage, because every
 * turn would write it. A call once a minute is enough, and costs one request per hundred users of the day.
 */
export async function ofStage(now: number): Promise<number> {
  const date = dayOf(now)
  const found = await daysOf((await usersOf(date)).map((uid) => ({ uid, date })))
  return found.reduce((sum, { settled }) => sum + settled, 0)
}

const hourMs = 60 * 60_000
/**
 * The age from which a reservation counts as stale, in milliseconds. A turn works for half an hour at most, so the
 * consumer of a stale reservation has died.
 */
const staleMs = hourMs

/** Releases a stale reservation, which no call will use any more; false if there is none. */
async function reclaim(uid: number, day: Day, now: number): Promise<boolean> {
  const stale = [...day.open].filter(([, { at }]) => at < now - staleMs)
  for (const [name, held] of stale) {
    const assignment = { set: { [name]: undefined }, add: { committed: -held.tokens } }
    await change(uid, day.date, { ...assignment, ...stillHeld(name, held) })
  }
  return stale.length > 0
}

function isDone(day: Day, { runId, round }: SettledCall): boolean {
  return (day.done.get(doneName(runId))?.round ?? Number.NEGATIVE_INFINITY) >= round
}

/** Returns today and yesterday: a call that began before midnight is settled on the day of its reservation. */
const recently = (now: number): string[] => [dayOf(now), dayOf(now - 24 * hourMs)]

const attempts = 50

/** Repeats an action with fresh data if the data changes between read and write. */
async function retryWithFreshData<T>(act: () => Promise<T | undefined>): Promise<T> {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const result = await act()
    if (result !== undefined) return result
  }
  throw new VisibleError('service.unavailable', { retryAfterMs: 1_000 })
}

/** One model call: its run, and its number within the run. */
export type SettledCall = { runId: string; round: number }

/** The reservation of a call and its day; 0 tokens without a limit. */
export type Reserved = { date: string; tokens: number }

/** The usage of a call that is not counted yet, with its reservation. */
export type Uncounted = { call: SettledCall; used: Used; reserved: Reserved }

/**
 * Returns the write that adds a call's usage to the day of its reservation. It belongs to the transaction with the
 * reply. For the first round of a run it also counts the turn. `isLast`: the run makes no further call and leaves no
 * mark. The condition fails if the run has a reservation or mark that `reserve` did not see; then use `settleCall`.
 */
export function counting(
  uid: number,
  { call, used, reserved: { date, tokens } }: Uncounted,
  isLast: boolean,
  now: number,
): Write {
  const { runId, round } = call
  const [opened, done] = [openName(runId), doneName(runId)]
  const open = new Map(tokens > 0 ? [[opened, { round, tokens, at: now }]] : [])
  const isFirst = round === 1
  const { set, add, ...condition } = settlement(call, used, { ...empty, date, open }, isFirst, now)
  const unset = [...(tokens > 0 ? [] : [opened]), ...(isFirst ? [done] : [])]
  return changeWrite(uid, date, {
    set: { ...set, ...(isLast && { [done]: undefined }) },
    add,
    ...allOf(condition, ...unset.map(isUnset)),
  })
}

const empty: Omit<Day, 'date'> = {
  settled: 0,
  committed: 0,
  sums: new Map(),
  open: new Map(),
  done: new Map(),
}

/**
 * The age from which no consumer needs a mark, in milliseconds. A turn works for half an hour at most, so no consumer
 * repeats an older settlement.
 */
const markMs = 2 * 60 * 60_000

/** Returns the removals of the old marks of a day. */
function withoutOld({ done }: Day, now: number): Record<string, undefined> {
  const old = [...done].filter(([, { at }]) => at < now - markMs)
  return Object.fromEntries(old.map(([name]) => [name, undefined]))
}

/**
 * Returns the change of a day for a settled call, and its condition. `isFirst`: no call of the run was counted before.
 */
function settlement(call: SettledCall, { model, ...usage }: Used, day: Day, isFirst: boolean, now: number) {
  const held = day.open.get(openName(call.runId))
  const mine = held?.round === call.round ? held : undefined
  const used = tokensOf(usage)
  return {
    set: {
      ...withoutOld(day, now),
      ...(mine && { [openName(call.runId)]: undefined }),
      [doneName(call.runId)]: { round: call.round, at: now },
    },
    add: {
      settled: used,
      committed: used - (mine?.tokens ?? 0),
      ...added(model, { ...usage, calls: 1, turns: isFirst ? 1 : 0 }),
    },
    ...(mine ? unchanged(call.runId, mine) : undone(call)),
  }
}

/** Returns the condition that the run still has the reservation that was read. */
function unchanged(runId: string, held: Reservation | undefined): Required<Condition> {
  return held ? stillHeld(openName(runId), held) : isUnset(openName(runId))
}

/** Returns a condition that the item does not have the attribute. */
const isUnset = (name: string) => ({ condition: `attribute_not_exists(#${name})`, values: {} })

/** Returns the condition that the reservation with this name is still the one in `held`. */
function stillHeld(name: string, held: Reservation): Required<Condition> {
  const path = `#${name}`
  return {
    condition: `${path}.#round = :heldRound AND ${path}.#tokens = :heldTokens`,
    values: { ':heldRound': held.round, ':heldTokens': held.tokens },
  }
}

/** Returns a condition that no settlement of this or a later round of the run is stored. */
function undone({ runId, round }: SettledCall): Required<Condition> {
  const path = `#${doneName(runId)}`
  return {
    condition: `attribute_not_exists(${path}) OR ${path}.#round < :doneRound`,
    values: { ':doneRound': round },
  }
}
