import type { Condition, Write } from '../aws/table.ts'
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
import { added, type Used } from './sum.ts'

/**
 * Tokens per user and UTC day, and the sums of the day by model. A call is reserved before it is made and settled when its answer is there; both may be
 * repeated, and parallel turns never commit more than the day has. Rounds must grow over the whole run, pauses, retries
 * and hand-overs included: a round that is settled is never reserved or counted again.
 */

/** One model call: its run, and its number within the run. */
export type Call = { runId: string; round: number }

/**
 * Sets `tokens` aside for a call, or what is left of the day where that is less: the last call of a day may use more
 * than it has, but no second one begins. False when nothing is left, and then nothing is written. Again for the same
 * call: true, and nothing is reserved twice. What the run left open at another round is replaced. `daily` null means no
 * limit: nothing is written.
 */
export async function reserve(
  uid: number,
  { runId, round, tokens }: Call & { tokens: number },
  daily: number | null,
  now: number,
): Promise<boolean> {
  if (daily === null) return true
  return settled(async () => {
    const [day] = (await days(uid, [dayOf(now)])) as [Day]
    const held = day.open.get(openName(runId))
    if (held?.round === round || isDone(day, { runId, round })) return true
    const room = daily - day.committed + (held?.tokens ?? 0)
    if (tokens > room && (await reclaim(uid, day, now))) return undefined
    if (room <= 0) return false
    const granted = Math.min(tokens, room)
    const added = granted - (held?.tokens ?? 0)
    const same = unchanged(runId, held)
    // A consumer that comes late must not reserve again what its successor has settled.
    const fresh = undone({ runId, round })
    const written = await change(uid, day.date, {
      set: { [openName(runId)]: { round, tokens: granted, at: now } },
      add: { committed: added },
      condition: `(NOT attribute_type(#committed, :number) OR #committed <= :room) AND ${same.condition} AND ${fresh.condition}`,
      names: { ...same.names, ...fresh.names },
      values: { ...same.values, ...fresh.values, ':room': daily - added, ':number': 'N' },
    })
    return written || undefined
  })
}

/**
 * Counts what a call used, on the day of its reservation, and gives the rest of the reservation back. Again for the
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
 * Counts what a later call of a run used where no limit holds, as `settle` does, but without reading the day first; marks
 * of old runs stay. Where a reservation of the run is open, or the call is counted already, `settle` decides.
 */
export async function count(uid: number, call: Call, usage: Used, now: number): Promise<void> {
  const date = dayOf(now)
  const { set, add, condition, names, values } = settlement(call, usage, { ...empty, date }, false, now)
  const free = `${condition} AND attribute_not_exists(#${openName(call.runId)})`
  const open = { [`#${openName(call.runId)}`]: openName(call.runId) }
  const assignment = { set, add, condition: free, names: { ...names, ...open }, values }
  if (!(await change(uid, date, assignment))) await settle(uid, call, usage, now)
}

const empty: Omit<Day, 'date'> = {
  settled: 0,
  committed: 0,
  sums: new Map(),
  open: new Map(),
  done: new Map(),
}

/**
 * Gives back what a run has reserved and will not use: its call failed, or the run has ended. Again: nothing. Answers
 * whether the run is counted as a turn already.
 */
export async function release(uid: number, runId: string, now: number): Promise<{ isCounted: boolean }> {
  const recent = await days(uid, recently(now))
  for (const day of recent) {
    const held = day.open.get(openName(runId))
    if (!held) continue
    await change(uid, day.date, {
      set: { [openName(runId)]: undefined },
      add: { committed: -held.tokens },
      ...unchanged(runId, held),
    })
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

/** A turn works for half an hour at most, so that no consumer repeats a settlement that is older than this. */
const markMs = 2 * hourMs

/** `isFirst`: nothing of the run was counted before. */
function settlement(call: Call, { model, ...usage }: Used, day: Day, isFirst: boolean, now: number) {
  const held = day.open.get(openName(call.runId))
  const mine = held?.round === call.round ? held : undefined
  const used = tokensOf(usage)
  const old = [...day.done].flatMap(([name, { at }]) => (at < now - markMs ? [name] : []))
  return {
    set: {
      ...Object.fromEntries(old.map((name) => [name, undefined])),
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

/** Holds while the reservation of the run is what was read. */
function unchanged(runId: string, held: Reservation | undefined): Required<Condition> {
  if (!held) return { condition: `attribute_not_exists(#${openName(runId)})`, names: {}, values: {} }
  return stillHeld(openName(runId), held)
}

function stillHeld(name: string, held: Reservation): Required<Condition> {
  const path = `#${name}`
  return {
    condition: `${path}.#round = :heldRound AND ${path}.#tokens = :heldTokens`,
    names: { '#round': 'round', '#tokens': 'tokens' },
    values: { ':heldRound': held.round, ':heldTokens': held.tokens },
  }
}

/** Holds while no settlement of this or a later round of the run was stored. */
function undone({ runId, round }: Call): Required<Condition> {
  const path = `#${doneName(runId)}`
  return {
    condition: `(attribute_not_exists(${path}) OR ${path}.#round < :doneRound)`,
    names: { '#round': 'round', [path]: doneName(runId) },
    values: { ':doneRound': round },
  }
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
