import { assign } from '../aws/expression.ts'
import * as Table from '../aws/table.ts'
import { VisibleError } from '../error.ts'
import { config } from '../stage/config.ts'
import { aheadMs, booking, burstMs, correction, costOf, costsOf, type Limits, startOf } from './booking.ts'
import { decode, key } from './item.ts'
import * as Share from './share.ts'

/**
 * The pace of a provider, shared by all consumers of a stage. A call of a model books its share of a minute behind the
 * calls before it (generic cell rate algorithm, ITU-T I.371) and learns when its time has come. A booking is a
 * conditional update whose conditions hold for many consumers at once, so they seldom repeat it.
 */

/** No call is booked further ahead, in milliseconds; a message in the queue can be held back for 15 minutes. */
export const farthestMs = 10 * 60_000
/** A booking is tried again when the provider or the group became free or busy between read and write. */
const tries = 20

/** Whether the calls of a provider are counted. */
export const isPaced = ({ requestsPerMinute, tokensPerMinute }: Limits): boolean =>
  requestsPerMinute !== null || tokensPerMinute !== null

/** Whose call it is: a group with its weight, and whether its turn has waited for the share of the group and comes again. */
export type Caller = { tenant: string; weight: number; hasWaited: boolean }

/** When a call may be made, in milliseconds since the epoch; or, where it is not booked, when to ask again. */
export type Time = { at: number; isBooked: boolean }

/**
 * Books a call that takes about so many tokens, for `now` at the earliest. Not booked where its group has its share of what
 * is booked ahead, or has turns that wait for theirs. Undefined when the provider or the group is booked for ten
 * minutes, and then nothing is booked.
 */
export async function book(
  limits: Limits,
  { tenant, weight, hasWaited }: Caller,
  tokens: number,
  now: number,
): Promise<Time | undefined> {
  const { table } = config()
  const costs = costsOf(limits, tokens)
  const cost = costOf(costs)
  const [provider, group] = [key(limits.uid), Share.key(limits.uid, tenant)]
  let hasPlace = false
  for (let attempt = 0; attempt < tries; attempt++) {
    const [row, own] = await Table.batch([provider, group].map((one) => ({ table, key: one })))
    const booked = decode(row)
    const ahead = aheadMs(costs, booked, now)
    if (ahead > farthestMs) return undefined

    const turn = { ahead, hasWaited }
    const way = hasPlace ? 'withPlace' : wayOf(turn, Share.decode(own), now)
    if (way === 'withPlace') hasPlace ||= await Share.take(group, { ahead, cost, weight }, now)
    if (way === 'inLine' || (way === 'withPlace' && !hasPlace)) {
      if (Share.lineMs(own, hasWaited, now) > farthestMs) return undefined
      const at = await Share.line(group, own, { ...turn, cost, weight }, now)
      if (at !== undefined) return { at, isBooked: false }
      continue
    }

    const most = hasPlace ? undefined : now + Share.nearMs + burstMs
    const after = await Table.updated(provider, assign(table, provider, booking(costs, booked, now, most)))
    if (after) return { at: startOf(costs, decode(after), now), isBooked: true }
  }
  throw new VisibleError('service.unavailable', { retryAfterMs: 1_000 })
}

/**
 * How a call comes to its time: at once while little is booked, with the place of its group beyond that, and behind the
 * turns of its group that wait already. A turn that has waited has all of these behind it.
 */
function wayOf(
  { ahead, hasWaited }: { ahead: number; hasWaited: boolean },
  { first }: Share.Lines,
  now: number,
): 'atOnce' | 'withPlace' | 'inLine' {
  // Where less is booked, the turns in line do not come: they were stopped. No call waits behind those.
  const areOthersComing = first > now && ahead > Share.lowMs
  if (areOthersComing && !hasWaited) return 'inLine'
  return ahead <= Share.nearMs ? 'atOnce' : 'withPlace'
}

/** Corrects what a call has booked by the tokens that it took in truth. */
export async function correct(limits: Limits, difference: number): Promise<void> {
  const change = correction(limits, difference)
  if (change) await Table.update(key(limits.uid), assign(config().table, key(limits.uid), change))
}

/** How long a call that is booked now would wait for its time, and how long turns of each group wait for their share. */
export type Waits = { all: number; byTenant: Map<string, number> }

/** The waits of each provider that has limits, in milliseconds. */
export async function waits(providers: Limits[], now: number): Promise<Waits[]> {
  const paced = providers.filter(isPaced)
  const { table } = config()
  const rows = await Table.batch(paced.map(({ uid }) => ({ table, key: key(uid) })))
  return Promise.all(
    paced.map(async (limits, at) => {
      const all = aheadMs(costsOf(limits, 0), decode(rows[at]), now)
      return { all, byTenant: all > Share.lowMs ? await Share.waits(limits.uid, now) : new Map() }
    }),
  )
}
