import { transact, type Write } from '../aws/table.ts'
import { VisibleError } from '../error.ts'
import { dayOf, tokensOf } from './budget.ts'
import {
  allDaysOf,
  change,
  type Day,
  days,
  doneName,
  openName,
  type Reservation,
  update,
  usersOf,
} from './item.ts'
import {
  type Call,
  type Reserved,
  settlement,
  stillHeld,
  unchanged,
  undone,
  withoutOld,
} from './settlement.ts'
import { added, type Used } from './sum.ts'

/**
 * Tokens per user and UTC day, and the sums of the day by model. A call is reserved before it is made and counted with
 * its reply, or settled where that cannot be; parallel turns never commit more than the day has. Rounds must grow over
 * the whole run, pauses, retries and hand-overs included: a round that is settled is never reserved or settled again.
 */

/**
 * Sets `tokens` aside for a call, or what is left of the day where that is less: the last call of a day may use more
 * than it has, but no second one begins. Undefined when nothing is left, and then nothing is written. Again for the same
 * call: nothing is reserved twice. What the run left open at another round is replaced. `daily` null means no limit:
 * nothing is written.
 */
export async function reserve(
  uid: number,
  { runId, round, tokens }: Call & { tokens: number },
  daily: number | null,
  now: number,
): Promise<Reserved | undefined> {
  const date = dayOf(now)
  if (daily === null) return { date, tokens: 0 }
  const setAside = (granted: number, held: Reservation | undefined) => {
    const added = granted - (held?.tokens ?? 0)
    const same = unchanged(runId, held)
    // A consumer that comes late must not reserve again what its successor has settled.
    const fresh = undone({ runId, round })
    return change(uid, date, {
      set: { [openName(runId)]: { round, tokens: granted, at: now } },
      add: { committed: added },
      condition: `(NOT attribute_type(#committed, :number) OR #committed <= :room) AND ${same.condition} AND ${fresh.condition}`,
      names: { ...same.names, ...fresh.names },
      values: { ...same.values, ...fresh.values, ':room': daily - added, ':number': 'N' },
    })
  }
  // Nearly always there is room and nothing open: no look at the day is needed.
  if (tokens <= daily && (await setAside(tokens, undefined))) return { date, tokens }
  const granted = await settled(async () => {
    const [day] = (await days(uid, [date])) as [Day]
    const held = day.open.get(openName(runId))
    if (held?.round === round) return held.tokens
    if (isDone(day, { runId, round })) return 0
    const room = daily - day.committed + (held?.tokens ?? 0)
    if (tokens > room && (await reclaim(uid, day, now))) return undefined
    if (room <= 0) return null
    const most = Math.min(tokens, room)
    return (await setAside(most, held)) ? most : undefined
  })
  return granted === null ? undefined : { date, tokens: granted }
}

/** Counts today what a call used whose reply was not stored: each time that it is called, and as no turn. */
export async function add(uid: number, { model, ...usage }: Used, now: number): Promise<void> {
  const used = tokensOf(usage)
  const sums = added(model, { ...usage, calls: 1 })
  // A transaction is not done twice where its answer is lost.
  await transact([
    { Update: update(uid, dayOf(now), { set: {}, add: { settled: used, committed: used, ...sums } }) },
  ])
}

/**
 * Counts what a call used by itself, on the day of its reservation, and gives the rest of the reservation back. Again for the
 * same call: nothing is counted twice. Without a reservation (no limit) it counts today.
 */
export async function settle(uid: number, call: Call, usage: Used, now: number): Promise<void> {
  await settled(async () => {
    const recent = await days(uid, recently(now))
    const reserved = recent.find((day) => day.open.get(openName(call.runId))?.round === call.round)
    if (!reserved && recent.some((day) => isDone(day, call))) return true
    const day = reserved ?? (recent[0] as Day)
    // Marks of old runs go: a later round of a turn that waited for days is no turn of its own.
    const isFirst = call.round === 1 && !recent.some(({ done }) => done.has(doneName(call.runId)))
    const written = await change(uid, day.date, settlement(call, usage, day, isFirst, now))
    return written || undefined
  })
}

/**
 * Gives back what a run has reserved and will not use: its call failed, or the run has ended. Again: nothing. Answers
 * whether the run is counted as a turn already.
 */
export async function release(uid: number, runId: string, now: number): Promise<{ isCounted: boolean }> {
  const recent = await days(uid, recently(now))
  for (const day of recent) {
    const held = day.open.get(openName(runId))
    // Turns that end otherwise leave their marks, and the item is to stay small.
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

/**
 * The write that counts a turn that failed, to go into the transaction that stores its end, which happens once. `model`
 * is empty where none was chosen yet; a run that is not counted becomes a turn by it.
 */
export function failure(
  uid: number,
  { runId, model, isCounted }: { runId: string; model: string; isCounted: boolean },
  now: number,
): Write {
  const mark = isCounted ? {} : { [doneName(runId)]: { round: 0, at: now } }
  const add = added(model, { failed: 1, turns: isCounted ? 0 : 1 })
  return { Update: update(uid, dayOf(now), { set: mark, add }) }
}

/** What the user has used today; reservations do not count. */
export async function today(uid: number, now: number): Promise<{ settled: number }> {
  const [day] = (await days(uid, [dayOf(now)])) as [Day]
  return { settled: day.settled }
}

/**
 * What all users have used today, summed up from the day of each. There is no counter of the stage, which all turns would
 * write: once a minute is often enough, and costs a request for each hundred users of the day.
 */
export async function ofStage(now: number): Promise<number> {
  const date = dayOf(now)
  const found = await allDaysOf((await usersOf(date)).map((uid) => ({ uid, date })))
  return found.reduce((sum, { settled }) => sum + settled, 0)
}

const hourMs = 60 * 60_000
/** A turn works for half an hour; what was set aside longer ago belongs to a consumer that died. */
const staleMs = hourMs

/** Releases a reservation that no call will use any more; false when there is none. */
async function reclaim(uid: number, day: Day, now: number): Promise<boolean> {
  const stale = [...day.open].filter(([, { at }]) => at < now - staleMs)
  for (const [name, held] of stale) {
    const assignment = { set: { [name]: undefined }, add: { committed: -held.tokens } }
    await change(uid, day.date, { ...assignment, ...stillHeld(name, held) })
  }
  return stale.length > 0
}

function isDone(day: Day, { runId, round }: Call): boolean {
  return (day.done.get(doneName(runId))?.round ?? Number.NEGATIVE_INFINITY) >= round
}

/** Today and yesterday: a call that began before midnight is settled on the day of its reservation. */
function recently(now: number): string[] {
  return [dayOf(now), dayOf(now - 24 * hourMs)]
}

const attempts = 50

/** Acts again on what is stored then, as long as it was changed between read and write. */
async function settled<T>(act: () => Promise<T | undefined>): Promise<T> {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const result = await act()
    if (result !== undefined) return result
  }
  throw new VisibleError('service.unavailable', { retryAfterMs: 1_000 })
}
