import { type Assignment, assign } from '../aws/expression.ts'
import { expiryAttribute } from '../aws/indexes.ts'
import { item, number, type Of, schemaAttribute } from '../aws/item.ts'
import * as Table from '../aws/table.ts'
import { config } from '../stage/config.ts'

/**
 * The share of a group in a provider that is booked ahead. A group whose last call is still far ahead books no other: its
 * turns come back one after the other, so that groups take turns and no call waits behind all those of another group. A
 * group of weight 2 waits half as long for its next booking, and its turns come back twice as often.
 */

/** What is stored of a group, in milliseconds since the epoch. */
export const codec = item('share', 1, {
  /** Until when the last of its calls that was booked ahead takes the provider. */
  booked: number('booked_until', 0),
  /** Until when turns come for their first try of a call, and until when for another. */
  first: number('first_until', 0),
  again: number('again_until', 0),
})

/** Key of what is stored of a group (`tenant`) and a provider, by its uid. */
export const key = (provider: number, tenant: string): Table.Key => ({
  pk: 'stage',
  sk: `${prefix(provider)}${tenant}`,
})

const prefix = (provider: number) => `share#${provider}#`

/** A call further ahead than this is booked only where the group has none that is, in milliseconds. */
export const nearMs = 5_000

/** Where a provider is booked less far ahead, in milliseconds, turns that wait for their share would have come already. */
export const lowMs = nearMs / 2

/** A share says nothing of later than the end of its lines. */
const keptSeconds = 3_600

/** A call as the share of its group sees it: `ahead` is how far the provider is booked, `cost` how long the call takes it. */
type Call = { ahead: number; cost: number; weight: number }

/**
 * Takes the place of a call that is booked so far ahead, for which the group has to wait before it books the next one: until
 * it is near, and a part of that time by the weight of the group. False where its last call is still ahead.
 */
export async function take(of: Table.Key, { ahead, cost, weight }: Call, now: number): Promise<boolean> {
  const { booked } = codec.attributes
  const nearAt = now + nearMs
  return Table.update(
    of,
    assign(config().table, of, {
      set: { ...kept(now), [booked]: nearAt + Math.ceil((ahead + cost - nearMs) / weight) },
      // Also where the time is missing or damaged.
      condition: `NOT #${booked} > :near`,
      values: { ':near': nearAt },
    }),
  )
}

/** The line of a turn: for its first try of a call, or for another. */
const lineOf = (hasWaited: boolean) => (hasWaited ? 'again' : 'first')

/** How long the line of a group is that a turn would wait in, in milliseconds; negative where none waits. */
export const lineMs = (row: Table.Row | undefined, hasWaited: boolean, now: number): number =>
  decode(row)[lineOf(hasWaited)] - now

/**
 * Gives a turn the time when it may try again: when its provider is near, and behind those of its group that wait for the
 * same try. Undefined when the line became free or busy meanwhile.
 */
export async function line(
  of: Table.Key,
  row: Table.Row | undefined,
  { ahead, cost, weight, hasWaited }: Call & { hasWaited: boolean },
  now: number,
): Promise<number | undefined> {
  const name = lineOf(hasWaited)
  const attribute = codec.attributes[name]
  const from = now + Math.max(0, ahead - nearMs)
  const step = Math.ceil(cost / weight)
  const isBusy = decode(row)[name] > from
  const change: Assignment = isBusy
    ? { set: kept(now), add: { [attribute]: step } }
    : { set: { ...kept(now), [attribute]: Math.ceil(from + cost / weight) } }
  const after = await Table.updated(
    of,
    assign(config().table, of, {
      ...change,
      // A free line has no time, or one that is over: both are replaced.
      condition: `${isBusy ? '' : 'NOT '}#${attribute} > :from`,
      names: { [`#${attribute}`]: attribute },
      values: { ':from': from },
    }),
  )
  return after && codec.decode(after)[name] - step
}

/** What is stored of a group: when its place is free, and until when its lines are. */
export type Lines = Of<typeof codec.fields>

/** What is stored of a group, from its row; nothing where there is none. */
export const decode = (row: Table.Row | undefined): Lines => (row ? codec.decode(row) : codec.empty)

/** How long turns of each group wait for their share of a provider, in milliseconds; no group that does not. */
export async function waits(provider: number, now: number): Promise<Map<string, number>> {
  const rows = await Table.all({
    KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
    ExpressionAttributeValues: { ':pk': 'stage', ':prefix': prefix(provider) },
  })
  const all = rows.map((row): [string, number] => {
    const { first, again } = codec.decode(row)
    return [String(row.sk).slice(prefix(provider).length), Math.max(first, again) - now]
  })
  return new Map(all.filter(([, wait]) => wait > 0))
}

const kept = (now: number) => ({
  [schemaAttribute]: codec.schema,
  [expiryAttribute]: Math.ceil(now / 1_000) + keptSeconds,
})
