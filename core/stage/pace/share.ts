import { item, number, type Of, schemaAttribute } from '../../base/aws/item.ts'
import * as Table from '../../base/aws/table.ts'

/**
 * Shares a busy provider among groups. A group has one place for a call that is booked far ahead. Until this call is
 * about to start, further turns of the group wait in a line and try in turn. So groups alternate, and no call waits for
 * all calls of another group. A group of weight 2 waits half as long for its next place. Its waiting turns try again
 * twice as often.
 */

/** Encodes and decodes the row of a group; times in milliseconds since the epoch. */
export const codec = item('share', 1, {
  /** End of the group's last call that was booked far ahead; earlier for a weight above 1. */
  booked: number('booked_until', 0),
  /**
   * Ends of the group's two lines: `first` for turns that wait for the first time, `again` for turns that wait once
   * more.
   */
  first: number('first_until', 0),
  again: number('again_until', 0),
})

/** Returns the key of the row of a group (`tenant`) at a provider, by its uid. */
export const key = (provider: number, tenant: string): Table.Key => ({
  pk: 'stage',
  sk: `${prefix(provider)}${tenant}`,
})

const prefix = (provider: number) => `share#${provider}#`

/** The wait in milliseconds beyond which a call counts as booked far ahead and needs its group's one place. */
export const nearMs = 5_000

/** If a provider is booked for less than this many milliseconds, the turns in a line have already tried again. */
export const lowMs = nearMs / 2

/** A row expires this long after its change; by then its lines have ended. */
const keptMs = 3_600_000

/** A call of a group: `ahead` is its wait for the provider, `cost` the time for which it occupies the provider. */
type PacedCall = { ahead: number; cost: number; weight: number }

/**
 * Takes the group's place for a call that is booked far ahead. The group may take its place again when this call is
 * near; a group of weight 2 waits half as long. Returns false if the place is still taken.
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

/** Returns the line of a turn: `first` for its first wait, `again` for a further wait. */
const lineOf = (hasWaited: boolean) => (hasWaited ? 'again' : 'first')

/** Returns the time until the end of a turn's line, in milliseconds; negative if the line is empty. */
export const lineMs = (row: Table.Row | undefined, hasWaited: boolean, now: number): number =>
  decode(row)[lineOf(hasWaited)] - now

/**
 * Adds a turn to its line and returns the time of its next try. The turn tries after all earlier turns of the line, and
 * not before the provider is nearly free. Returns undefined if the line became free or busy meanwhile.
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
    // A line is free if it has no end later than `from`; the update then sets a new end.
    condition: `${isBusy ? '' : 'NOT '}#${attribute} > :from`,
    values: { ':from': from },
  })
  return after && codec.decode(after)[name] - step
}

/** The row of a group: the end time of its place and of its two lines. */
export type Lines = Of<typeof codec.fields>

/** Returns the row of a group, decoded; empty without a row. */
export const decode = (row: Table.Row | undefined): Lines => (row ? codec.decode(row) : codec.empty)

/**
 * Returns the waits of turns for their share of a provider, in milliseconds by group; leaves out groups without a wait.
 */
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
  ...Table.expiresAt(now + keptMs),
})
