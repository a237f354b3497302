import { item, number, type Of, schemaAttribute } from '../../base/aws/item.ts'
import type * as Table from '../../base/aws/table.ts'
import type { Provider } from '../settings/schema.ts'

/** Computes the cost of a call at its provider, and the change of the provider's row; makes no requests. */

/**
 * The booked time of a provider: the times until which its requests and its tokens are booked, in milliseconds since
 * the epoch. Each provider has one item, which allows about 1,000 model calls a second.
 */
export const codec = item('pace', 1, {
  requests: number('requests_until', 0),
  tokens: number('tokens_until', 0),
})

type Booked = Of<typeof codec.fields>

/** Key of a provider's booked time, by its uid. */
export const key = (provider: number): Table.Key => ({ pk: 'stage', sk: `pace#${provider}` })

/** The booked time from its row; empty without a row. */
export const decode = (row: Table.Row | undefined): Booked => (row ? codec.decode(row) : codec.empty)

/** The schema number; every change stores it. */
const schema = { [schemaAttribute]: codec.schema }

/** The rate limits of a provider; `null`: no limit. */
export type Limits = Pick<Provider, 'uid' | 'requestsPerMinute' | 'tokensPerMinute'>

/** The quantities that a provider limits: requests or tokens. */
type Limited = keyof Booked

/** The part of each limit that a call uses, as the milliseconds for which it uses the whole limit. */
export type Costs = Partial<Record<Limited, number>>

const minuteMs = 60_000

/**
 * Calls may start this much before their time, in milliseconds: the burst after a pause. Shorter than the burst that
 * providers allow, because turns come back at whole seconds.
 */
export const burstMs = 2_000

/** The costs of a call with this many tokens; no entry for a limit that the provider does not have. */
export function costsOf({ requestsPerMinute, tokensPerMinute }: Limits, tokens: number): Costs {
  return {
    ...(requestsPerMinute !== null && { requests: minuteMs / requestsPerMinute }),
    ...(tokensPerMinute !== null && { tokens: (tokens * minuteMs) / tokensPerMinute }),
  }
}

/** The time for which a call occupies the provider as a whole, in milliseconds. */
export const costOf = (costs: Costs): number => Math.max(...Object.values(costs))

const each = (costs: Costs) => Object.entries(costs) as [Limited, number][]

/** The wait of a call that is booked now, in milliseconds. */
export function aheadMs(costs: Costs, booked: Booked, now: number): number {
  const waits = each(costs).map(([limited]) => booked[limited] - burstMs - now)
  return Math.max(0, ...waits.map(Math.ceil))
}

/** The start of a call whose booking left the provider's row like this, in milliseconds since the epoch. */
export function startOf(costs: Costs, after: Booked, now: number): number {
  const starts = each(costs).map(([limited, cost]) => after[limited] - cost - burstMs)
  return Math.max(now, ...starts.map(Math.ceil))
}

/**
 * Appends the call to a busy limit; starts a free limit at now. The condition fails if a busy limit became free
 * meanwhile or the other way round, or if a limit is booked beyond `most`.
 */
export function booking(
  costs: Costs,
  booked: Booked,
  now: number,
  most: number | undefined,
): Table.Assignment {
  const changes = each(costs).map(([limited, cost]) => {
    const attribute = codec.attributes[limited]
    const isBusy = booked[limited] > now
    // A free limit has no time, a past time or a damaged one; all of these are replaced.
    const condition = `${isBusy ? '' : 'NOT '}#${attribute} > :now`
    const near = isBusy && most !== undefined ? ` AND #${attribute} <= :most` : ''
    return { attribute, cost, isBusy, condition: condition + near }
  })
  const of = (isBusy: boolean, from: number) =>
    Object.fromEntries(
      changes.filter((it) => it.isBusy === isBusy).map(({ attribute, cost }) => [attribute, from + cost]),
    )
  return {
    set: { ...schema, ...of(false, now) },
    add: of(true, 0),
    condition: changes.map(({ condition }) => condition).join(' AND '),
    values: {
      ':now': now,
      ...(changes.some(({ condition }) => condition.includes(':most')) && { ':most': most }),
    },
  }
}

/** Adds the tokens by which a call exceeded its booking; subtracts if the number is negative. */
export function correction(limits: Limits, tokens: number): Table.Assignment | undefined {
  const { tokens: cost } = costsOf(limits, tokens)
  if (!cost) return undefined
  return {
    set: schema,
    add: { [codec.attributes.tokens]: Math.round(cost) },
    condition: 'attribute_exists(pk)',
  }
}
