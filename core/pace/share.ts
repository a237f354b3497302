import { type Assignment, assign } from '../aws/expression.ts'
import { expiryAttribute } from '../aws/indexes.ts'
import { item, number, schemaAttribute } from '../aws/item.ts'
import * as Table from '../aws/table.ts'
import { config } from '../stage/config.ts'

/**
 * The share of a group in a provider that is booked ahead. A group whose last call is still far ahead books no other: its
 * turns come back one after the other, so that groups take turns and no call waits behind all those of another group.
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

/**
 * Where a provider is booked less far ahead, in milliseconds, the turns that wait for a share do not come: they were stopped.
 * None waits behind those.
 */
export const lowMs = nearMs / 2

/** A share says nothing of later than the end of its lines. */
const keptSeconds = 3_600

/**
 * Takes the place of a call that takes the provider until `at`, for which the group has to wait before it books the next
 * one: a call of many tokens is waited for longer. False where its last call is still ahead.
 */
export async function take(of: Table.Key, at: number, now: number): Promise<boolean> {
  const { booked } = codec.attributes
  return Table.update(
    of,
    assign(config().table, of, {
      set: { ...kept(now), [booked]: at },
      // Also where the time is missing or damaged.
      condition: `NOT #${booked} > :near`,
      values: { ':near': now + nearMs },
    }),
  )
}

/**
 * Gives a turn the time when it may try again, `from` at the earliest and behind those of its group that wait for the same
 * try; `cost` is how long its call takes of the provider, in milliseconds. Undefined when a line became free or busy meanwhile.
 */
export async function line(
  of: Table.Key,
  row: Table.Row | undefined,
  { isFirst, from, cost }: { isFirst: boolean; from: number; cost: number },
  now: number,
): Promise<number | undefined> {
  const name = isFirst ? 'first' : 'again'
  const attribute = codec.attributes[name]
  const isBusy = decode(row)[name] > from
  const change: Assignment = isBusy
    ? { set: kept(now), add: { [attribute]: Math.ceil(cost) } }
    : { set: { ...kept(now), [attribute]: Math.ceil(from + cost) } }
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
  return after && codec.decode(after)[name] - Math.ceil(cost)
}

/** What is stored of a group, from its row; nothing where there is none. */
export const decode = (row: Table.Row | undefined) => (row ? codec.decode(row) : codec.empty)

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
