import { expiryAttribute } from '../../base/aws/indexes.ts'
import { item, number, type Of, schemaAttribute } from '../../base/aws/item.ts'
import * as Table from '../../base/aws/table.ts'

/**
 * The share of a group in a provider that is booked ahead. While the last booked call of a group is still far ahead,
 * the group books no other: its turns come back one after the other. So groups take turns, and no call waits for all
 * calls of another group. A group of weight 2 waits half as long for its next booking, and its turns come back twice
 * as often.
 */

/** Encodes and decodes the row of a group; times in milliseconds since the epoch. */
export const codec = item('share', 1, {
  /** Time until which the last call that the group booked ahead occupies the provider. */
  booked: number('booked_until', 0),
  /** Ends of the two lines: of turns that come for the first try of a call, and of those that come again. */
  first: number('first_until', 0),
  again: number('again_until', 0),
})

/** Key of the row of a group (`tenant`) at a provider, by its uid. */
export const key = (provider: number, tenant: string): Table.Key => ({
  pk: 'stage',
  sk: `${prefix(provider)}${tenant}`,
})

const prefix = (provider: number) => `share#${provider}#`

/** A call further ahead than this is booked only if the group has no other such call, in milliseconds. */
export const nearMs = 5_000

/** If a provider is booked less far ahead, in milliseconds, turns in line would have come already. */
export const lowMs = nearMs / 2

/** A row expires this long after its change; by then its lines have ended. */
const keptSeconds = 3_600

/** A call of a group: `ahead` is its wait for the provider, `cost` the time for which it occupies the provider. */
type PacedCall = { ahead: number; cost: number; weight: number }

/**
 * Takes the group's place for a call that is booked far ahead. The group then waits before it books the next such
 * call: for the time until this call is near, divided by the group's weight. False if the group's last such call is
 * still ahead.
 */
export async function take(of: Table.Key, { ahead, cost, weight }: PacedCall, now: number): Promise<boolean> {
  const { booked } = codec.attributes
  const nearAt = now + nearMs
  return Table.assign(of, {
    set: { ...expiry(now), [booked]: nearAt + Math.ceil((ahead + cost - nearMs) / weight) },
    // `NOT` also holds if the time is missing or damaged.
    condition: `NOT #${booked} > :near`,
    values: { ':near': nearAt },
  })
}

/** The line of a turn: for the first try of its call, or for another. */
const lineOf = (hasWaited: boolean) => (hasWaited ? 'again' : 'first')

/** The wait in the line that a turn would join, in milliseconds; negative if the line is empty. */
export const lineMs = (row: Table.Row | undefined, hasWaited: boolean, now: number): number =>
  decode(row)[lineOf(hasWaited)] - now

/**
 * Gives a turn the time of its next try: when its provider is nearly free, and after the turns of its group in the
 * same line. Undefined if the line became free or busy meanwhile.
 */
export async function line(
  of: Table.Key,
  row: Table.Row | undefined,
  { ahead, cost, weight, hasWaited }: PacedCall & { hasWaited: boolean },
  now: number,
): Promise<number | undefined> {
  const name = lineOf(hasWaited)
  const attribute = codec.attributes[name]
  const from = now + Math.max(0, ahead - nearMs)
  const step = Math.ceil(cost / weight)
  const isBusy = decode(row)[name] > from
  const change: Table.Assignment = isBusy
    ? { set: expiry(now), add: { [attribute]: step } }
    : { set: { ...expiry(now), [attribute]: Math.ceil(from + cost / weight) } }
  const after = await Table.assigned(of, {
    ...change,
    // A free line has no time or a past time; both are replaced.
    condition: `${isBusy ? '' : 'NOT '}#${attribute} > :from`,
    values: { ':from': from },
  })
  return after && codec.decode(after)[name] - step
}

/** The row of a group: the time when its place is free, and the ends of its lines. */
export type Lines = Of<typeof codec.fields>

/** The row of a group, decoded; empty without a row. */
export const decode = (row: Table.Row | undefined): Lines => (row ? codec.decode(row) : codec.empty)

/** The waits of turns for their share of a provider, in milliseconds by group; only groups with a wait. */
export async function waits(provider: number, now: number): Promise<Map<string, number>> {
  const rows = await Table.below(key(provider, ''))
  const all = rows.map((row): [string, number] => {
    const { first, again } = codec.decode(row)
    return [String(row.sk).slice(prefix(provider).length), Math.max(first, again) - now]
  })
  return new Map(all.filter(([, wait]) => wait > 0))
}

const expiry = (now: number) => ({
  [schemaAttribute]: codec.schema,
  [expiryAttribute]: Math.ceil(now / 1_000) + keptSeconds,
})
