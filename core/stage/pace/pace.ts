import { item, number, type Of, schemaAttribute } from '../../base/aws/item.ts'
import * as Table from '../../base/aws/table.ts'
import { VisibleError } from '../../base/error.ts'
import type { Provider } from '../settings/schema.ts'
import * as Share from './share.ts'

/**
 * Limits the rate of model calls at a provider, for all consumers of a stage. A call books its part of the provider's
 * minute after all earlier bookings, and gets its start time. This is the generic cell rate algorithm (ITU-T I.371). A
 * booking is a conditional update. Its condition holds for many consumers at once, so they seldom repeat it.
 */

/**
 * The maximum time from a booking to the start of its call, in milliseconds; the queue can delay a message by 15
 * minutes.
 */
export const farthestMs = 10 * 60_000
/**
 * The maximum number of attempts to book a call. An attempt fails if the provider or the group becomes free or busy
 * between the read and the write.
 */
const tries = 20

/** True if the calls of a provider are limited. */
export const isPaced = ({ requestsPerMinute, tokensPerMinute }: Limits): boolean =>
  requestsPerMinute !== null || tokensPerMinute !== null

/**
 * The caller of a model: a group with its weight. `hasWaited`: the turn has already waited for the share of its group.
 */
type Caller = { tenant: string; weight: number; hasWaited: boolean }

/** The start time of a booked call, or the time to ask again if it is not booked; in milliseconds since the epoch. */
export type Time = { at: number; isBooked: boolean }

/**
 * Books a call with about this many tokens, to start at `now` or later. Returns only a time to ask again in two cases:
 * the group already has its share of the booked calls, or other turns of the group wait for their share. Returns
 * undefined and books nothing if the provider or the group is booked for ten minutes.
 */
export async function book(
  limits: Limits,
  { tenant, weight, hasWaited }: Caller,
  tokens: number,
  now: number,
): Promise<Time | undefined> {
  const costs = costsOf(limits, tokens)
  const cost = costOf(costs)
  const [provider, group] = [key(limits.uid), Share.key(limits.uid, tenant)]
  let hasPlace = false
  for (let attempt = 0; attempt < tries; attempt++) {
    const [row, own] = await Table.rowsOf([provider, group])
    const booked = decode(row)
    const ahead = aheadMs(costs, booked, now)
    if (ahead > farthestMs) return undefined

    const turn = { ahead, hasWaited }
    const way = hasPlace ? 'withPlace' : wayOf(turn, Share.decode(own), now)
    if (way === 'withPlace') hasPlace ||= await Share.take(group, { ahead, cost, weight }, now)
    if (way !== 'atOnce' && !hasPlace) {
      if (Share.lineMs(own, hasWaited, now) > farthestMs) return undefined
      const at = await Share.line(group, own, { ...turn, cost, weight }, now)
      if (at !== undefined) return { at, isBooked: false }
      continue
    }

    const most = hasPlace ? undefined : now + Share.nearMs + burstMs
    const after = await Table.assigned(provider, booking(costs, booked, now, most))
    if (after) return { at: startOf(costs, decode(after), now), isBooked: true }
  }
  throw new VisibleError('service.unavailable', { retryAfterMs: 1_000 })
}

/**
 * Decides how a call gets its start time. `atOnce`: the provider has few bookings. `withPlace`: it has many, so the
 * call needs the one place of its group (share.ts). `inLine`: turns of the group already wait, so the call joins their
 * line. A turn that has waited precedes them.
 */
function wayOf(
  { ahead, hasWaited }: { ahead: number; hasWaited: boolean },
  { first }: Share.Lines,
  now: number,
): 'atOnce' | 'withPlace' | 'inLine' {
  // If the provider has fewer bookings, waiting turns have already tried again, or their users stopped them. No call
  // waits for a stopped turn.
  const areOthersComing = first > now && ahead > Share.lowMs
  if (areOthersComing && !hasWaited) return 'inLine'
  return ahead <= Share.nearMs ? 'atOnce' : 'withPlace'
}

/** Corrects the booking of a call by the tokens that it really used. */
export async function correct(limits: Limits, difference: number): Promise<void> {
  const change = correction(limits, difference)
  if (change) await Table.assign(key(limits.uid), change)
}

/** The wait of a call that is booked now, and the wait of each group's turns for their share; in milliseconds. */
export type Waits = { all: number; byTenant: Map<string, number> }

/** Returns the waits at each provider that has limits. */
export async function waits(providers: Limits[], now: number): Promise<Waits[]> {
  const paced = providers.filter(isPaced)
  const rows = await Table.rowsOf(paced.map(({ uid }) => key(uid)))
  return Promise.all(
    paced.map(async (limits, at) => {
      const all = aheadMs(costsOf(limits, 0), decode(rows[at]), now)
      return { all, byTenant: all > Share.lowMs ? await Share.waits(limits.uid, now) : new Map() }
    }),
  )
}

/**
 * The row of a provider: the times until which its requests and its tokens are booked, in milliseconds since the epoch.
 * Each provider has one row, which allows about 1,000 model calls a second.
 */
export const codec = item('pace', 1, {
  requests: number('requests_until', 0),
  tokens: number('tokens_until', 0),
})

type Booked = Of<typeof codec.fields>

/** Returns the key of a provider's booked time, by its uid. */
export const key = (provider: number): Table.Key => ({ pk: 'stage', sk: `pace#${provider}` })

/** Returns the booked times of a row; empty without a row. */
export const decode = (row: Table.Row | undefined): Booked => (row ? codec.decode(row) : codec.empty)

/** The schema number; every change stores it. */
const schema = { [schemaAttribute]: codec.schema }

/** The rate limits of a provider; `null`: no limit. */
export type Limits = Pick<Provider, 'uid' | 'requestsPerMinute' | 'tokensPerMinute'>

/** The quantities that a provider limits: requests or tokens. */
type Limited = keyof Booked

/** The cost of a call for each limit, as a time: the milliseconds in which the whole limit allows that much. */
export type Costs = Partial<Record<Limited, number>>

const minuteMs = 60_000

/**
 * A call may start this much before its booked time, in milliseconds. So a few calls may start together after a pause.
 * Providers allow larger bursts. But waiting turns try again at whole seconds, so with a larger value too many calls
 * would start at once.
 */
export const burstMs = 2_000

/** Returns the costs of a call with this many tokens; no entry for a limit that the provider does not have. */
function costsOf({ requestsPerMinute, tokensPerMinute }: Limits, tokens: number): Costs {
  return {
    ...(requestsPerMinute !== null && { requests: minuteMs / requestsPerMinute }),
    ...(tokensPerMinute !== null && { tokens: (tokens * minuteMs) / tokensPerMinute }),
  }
}

/** Returns the time for which a call occupies the provider as a whole, in milliseconds. */
const costOf = (costs: Costs): number => Math.max(...Object.values(costs))

const each = (costs: Costs) => Object.entries(costs) as [Limited, number][]

/** Returns the wait of a call that is booked now, in milliseconds. */
function aheadMs(costs: Costs, booked: Booked, now: number): number {
  const waits = each(costs).map(([limited]) => booked[limited] - burstMs - now)
  return Math.max(0, ...waits.map(Math.ceil))
}

/** Returns the start of a call from the provider's row after its booking, in milliseconds since the epoch. */
function startOf(costs: Costs, after: Booked, now: number): number {
  const starts = each(costs).map(([limited, cost]) => after[limited] - cost - burstMs)
  return Math.max(now, ...starts.map(Math.ceil))
}

/**
 * Returns the update that books a call: it adds the cost to a busy limit, and starts a free limit at `now`. Its
 * condition fails if a limit became free or busy meanwhile, or is booked beyond `most`.
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
    // A free limit has a missing, past or damaged time, which the booking replaces.
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

/**
 * Returns the update that adds the tokens by which a call exceeded its booking; a negative number reduces the booking.
 * Returns undefined if the provider has no limit of tokens.
 */
function correction(limits: Limits, tokens: number): Table.Assignment | undefined {
  const { tokens: cost } = costsOf(limits, tokens)
  if (!cost) return undefined
  return {
    set: schema,
    add: { [codec.attributes.tokens]: Math.round(cost) },
    condition: 'attribute_exists(pk)',
  }
}
