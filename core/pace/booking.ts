import type { Assignment } from '../aws/expression.ts'
import type { Provider } from '../settings/schema.ts'
import { type Booked, codec, schema } from './item.ts'

/** What a call takes of a provider, and how the row of the provider changes when it is booked: rules without requests. */

/** What a provider takes; `null`: no limit. */
export type Limits = Pick<Provider, 'uid' | 'requestsPerMinute' | 'tokensPerMinute'>

/** What a provider limits: its requests, or its tokens. */
type Limited = keyof Booked

/** How long a call takes all that a provider gives of what it limits, in milliseconds. */
export type Costs = Partial<Record<Limited, number>>

const minuteMs = 60_000

/**
 * Calls may come so much before their time, in milliseconds: what is asked in one moment after a pause. Less than what
 * providers allow, because turns come back at whole seconds.
 */
export const burstMs = 2_000

/** What a call of so many tokens takes of each limit; nothing of one that the provider does not have. */
export function costsOf({ requestsPerMinute, tokensPerMinute }: Limits, tokens: number): Costs {
  return {
    ...(requestsPerMinute !== null && { requests: minuteMs / requestsPerMinute }),
    ...(tokensPerMinute !== null && { tokens: (tokens * minuteMs) / tokensPerMinute }),
  }
}

/** How long a call takes the provider as a whole, in milliseconds. */
export const costOf = (costs: Costs): number => Math.max(...Object.values(costs))

const each = (costs: Costs) => Object.entries(costs) as [Limited, number][]

/** How long a call that is booked now would wait for its time, in milliseconds. */
export function aheadMs(costs: Costs, booked: Booked, now: number): number {
  const waits = each(costs).map(([limited]) => booked[limited] - burstMs - now)
  return Math.max(0, ...waits.map(Math.ceil))
}

/** When a call may be made whose booking left the provider like this. */
export function startOf(costs: Costs, after: Booked, now: number): number {
  const starts = each(costs).map(([limited, cost]) => after[limited] - cost - burstMs)
  return Math.max(now, ...starts.map(Math.ceil))
}

/**
 * Adds the call to what is booked of a busy limit, and begins with it at a free one. Fails where one that was busy became
 * free meanwhile or the other way round, or where more than until `most` is booked.
 */
export function booking(costs: Costs, booked: Booked, now: number, most: number | undefined): Assignment {
  const changes = each(costs).map(([limited, cost]) => {
    const attribute = codec.attributes[limited]
    const isBusy = booked[limited] > now
    // A free one has no time, one that is over, or a damaged one: all of these are replaced.
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

/** Adds to what is booked of the tokens what a call took more than it had booked; less where that is negative. */
export function correction(limits: Limits, tokens: number): Assignment | undefined {
  const { tokens: cost } = costsOf(limits, tokens)
  if (!cost) return undefined
  return {
    set: schema,
    add: { [codec.attributes.tokens]: Math.round(cost) },
    condition: 'attribute_exists(pk)',
  }
}
