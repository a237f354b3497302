import type { Condition, Write } from '../../base/aws/table.ts'
import { tokensOf } from './budget.ts'
import { changeWrite, type Day, doneName, openName, type Reservation } from './item.ts'
import { added, type Used } from './sum.ts'

/** Computes how a call changes the user's day, and under which conditions. */

/** One model call: its run, and its number within the run. */
export type SettledCall = { runId: string; round: number }

/** The reservation of a call and its day; 0 tokens without a limit. */
export type Reserved = { date: string; tokens: number }

/** The usage of a call that is not counted yet, with its reservation. */
export type Uncounted = { call: SettledCall; used: Used; reserved: Reserved }

/**
 * The write that counts a call on the day of its reservation, for the transaction that stores its reply. The first
 * round of a run counts its turn. `isLast`: the run makes no further call and leaves no mark. The condition fails if
 * the run has a reservation or mark that `reserve` did not see; then use `settle`.
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
  const it = settlement(call, used, { ...empty, date, open }, isFirst, now)
  const isFree = tokens > 0 ? '' : ` AND attribute_not_exists(#${opened})`
  const isNew = isFirst ? ` AND attribute_not_exists(#${done})` : ''
  return changeWrite(uid, date, {
    ...it,
    set: { ...it.set, ...(isLast && { [done]: undefined }) },
    condition: `${it.condition}${isFree}${isNew}`,
    names: { ...it.names, ...(isFree && { [`#${opened}`]: opened }), ...(isNew && { [`#${done}`]: done }) },
  })
}

const empty: Omit<Day, 'date'> = {
  settled: 0,
  committed: 0,
  sums: new Map(),
  open: new Map(),
  done: new Map(),
}

/** A turn works for half an hour at most, so no consumer repeats a settlement that is older than this. */
const markMs = 2 * 60 * 60_000

/** The marks of a day that no consumer needs any more, as removals. */
export function withoutOld({ done }: Day, now: number): Record<string, undefined> {
  const old = [...done].filter(([, { at }]) => at < now - markMs)
  return Object.fromEntries(old.map(([name]) => [name, undefined]))
}

/** The change of a day by a call, and its condition. `isFirst`: no call of the run was counted before. */
export function settlement(
  call: SettledCall,
  { model, ...usage }: Used,
  day: Day,
  isFirst: boolean,
  now: number,
) {
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

/** A condition that the reservation of the run is the one that was read. */
export function unchanged(runId: string, held: Reservation | undefined): Required<Condition> {
  if (!held) return { condition: `attribute_not_exists(#${openName(runId)})`, names: {}, values: {} }
  return stillHeld(openName(runId), held)
}

/** A condition that the reservation under the name is this one. */
export function stillHeld(name: string, held: Reservation): Required<Condition> {
  const path = `#${name}`
  return {
    condition: `${path}.#round = :heldRound AND ${path}.#tokens = :heldTokens`,
    names: { '#round': 'round', '#tokens': 'tokens' },
    values: { ':heldRound': held.round, ':heldTokens': held.tokens },
  }
}

/** A condition that no settlement of this or a later round of the run is stored. */
export function undone({ runId, round }: SettledCall): Required<Condition> {
  const path = `#${doneName(runId)}`
  return {
    condition: `(attribute_not_exists(${path}) OR ${path}.#round < :doneRound)`,
    names: { '#round': 'round', [path]: doneName(runId) },
    values: { ':doneRound': round },
  }
}
