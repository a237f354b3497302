import { type Assignment, assign } from '../aws/expression.ts'
import * as Table from '../aws/table.ts'
import { VisibleError } from '../error.ts'
import type { Provider } from '../settings/schema.ts'
import { config } from '../stage/config.ts'
import { type Booked, codec, decode, key, schema } from './item.ts'
import * as Share from './share.ts'

/**
 * The pace of a provider, shared by all consumers of a stage. A call of a model books its share of a minute behind the
 * calls before it (generic cell rate algorithm, ITU-T I.371) and learns when its time has come. A booking is a
 * conditional update whose conditions hold for many consumers at once, so they seldom repeat it.
 */

type Limits = Pick<Provider, 'uid' | 'requestsPerMinute' | 'tokensPerMinute'>

const minuteMs = 60_000
/**
 * Calls may come so much before their time, in milliseconds: what is asked in one moment after a pause. Less than what
 * providers allow, because turns come back at whole seconds.
 */
export const burstMs = 2_000
/** No call is booked further ahead, in milliseconds; a message in the queue can be held back for 15 minutes. */
export const farthestMs = 10 * minuteMs
/** A booking is tried again when a line became free or busy between read and write. */
const tries = 20

/** Whether the calls of a provider are counted. */
export const isPaced = ({ requestsPerMinute, tokensPerMinute }: Limits): boolean =>
  requestsPerMinute !== null || tokensPerMinute !== null

/** Whose call it is, and whether its turn has waited for the share of its group and comes again. */
export type Caller = { tenant: string; hasWaited: boolean }

/** When a call may be made, in milliseconds since the epoch; or, where it is not booked, when to ask again. */
export type Time = { at: number; isBooked: boolean }

/**
 * Books a call that takes about so many tokens, for `now` at the earliest. Not booked where its group has its share of what
 * is booked ahead, or has turns that wait for theirs. Undefined when the provider or the group is booked for ten
 * minutes, and then nothing is booked.
 */
export async function book(
  limits: Limits,
  { tenant, hasWaited }: Caller,
  tokens: number,
  now: number,
): Promise<Time | undefined> {
  const costs = costsOf(limits, tokens)
  const cost = Math.max(...Object.values(costs))
  const { table } = config()
  const share = Share.key(limits.uid, tenant)
  let hasTaken = false
  for (let attempt = 0; attempt < tries; attempt++) {
    const [row, own] = await Table.batch([key(limits.uid), share].map((one) => ({ table, key: one })))
    const booked = decode(row)
    const lines = Share.decode(own)
    const ahead = aheadMs(limits, booked, now)
    if (ahead > farthestMs) return undefined
    const isNear = ahead <= Share.nearMs
    const isBehind = !hasWaited && ahead > Share.lowMs && lines.first > now
    if (!isNear && !isBehind) hasTaken ||= await Share.take(share, now + ahead + cost, now)
    if (!hasTaken && (isBehind || !isNear)) {
      const from = now + Math.max(0, ahead - Share.nearMs)
      if ((hasWaited ? lines.again : lines.first) - now > farthestMs) return undefined
      const at = await Share.line(share, own, { isFirst: !hasWaited, from, cost }, now)
      if (at === undefined) continue
      return { at, isBooked: false }
    }
    const most = hasTaken ? undefined : now + Share.nearMs + burstMs
    const after = await Table.updated(
      key(limits.uid),
      assign(table, key(limits.uid), booking(costs, booked, now, most)),
    )
    if (after) return { at: startOf(costs, decode(after), now), isBooked: true }
  }
  throw new VisibleError('service.unavailable', { retryAfterMs: 1_000 })
}

/** Corrects what a call has booked by the tokens that it took in truth. */
export async function correct({ uid, tokensPerMinute }: Limits, difference: number): Promise<void> {
  if (tokensPerMinute === null || difference === 0) return
  const add = { [codec.attributes.tokens]: Math.round((difference * minuteMs) / tokensPerMinute) }
  const assignment = { set: schema, add, condition: 'attribute_exists(pk)' }
  await Table.update(key(uid), assign(config().table, key(uid), assignment))
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
      const all = aheadMs(limits, decode(rows[at]), now)
      return { all, byTenant: all > Share.lowMs ? await Share.waits(limits.uid, now) : new Map() }
    }),
  )
}

type Line = keyof Booked
/** What a call takes of each line that is limited, in milliseconds of it. */
type Costs = Partial<Record<Line, number>>

function costsOf({ requestsPerMinute, tokensPerMinute }: Limits, tokens: number): Costs {
  return {
    ...(requestsPerMinute !== null && { requests: minuteMs / requestsPerMinute }),
    ...(tokensPerMinute !== null && { tokens: (tokens * minuteMs) / tokensPerMinute }),
  }
}

const linesOf = (costs: Costs) => Object.entries(costs) as [Line, number][]

/**
 * Adds to a line that is busy, and begins one that is free; under the condition that each is still what it was, and not
 * beyond `most`.
 */
function booking(costs: Costs, booked: Booked, now: number, most: number | undefined): Assignment {
  const lines = linesOf(costs).map(([line, cost]) => {
    const attribute = codec.attributes[line]
    const isBusy = booked[line] > now
    // A free line has no time, one that is over, or a damaged one: all of these are replaced.
    const condition = `${isBusy ? '' : 'NOT '}#${attribute} > :now`
    const near = isBusy && most !== undefined ? ` AND #${attribute} <= :most` : ''
    return { attribute, cost, isBusy, condition: condition + near }
  })
  const of = (isBusy: boolean, from: number) =>
    Object.fromEntries(
      lines.filter((line) => line.isBusy === isBusy).map(({ attribute, cost }) => [attribute, from + cost]),
    )
  return {
    set: { ...schema, ...of(false, now) },
    add: of(true, 0),
    condition: lines.map(({ condition }) => condition).join(' AND '),
    values: {
      ':now': now,
      ...(lines.some(({ condition }) => condition.includes(':most')) && { ':most': most }),
    },
  }
}

/** When a call may be made whose booking left the lines like this. */
function startOf(costs: Costs, after: Booked, now: number): number {
  const starts = linesOf(costs).map(([line, cost]) => after[line] - cost - burstMs)
  return Math.max(now, ...starts.map(Math.ceil))
}

function aheadMs(limits: Limits, booked: Booked, now: number): number {
  const lines = linesOf(costsOf(limits, 0)).map(([line]) => booked[line] - burstMs - now)
  return Math.max(0, ...lines.map(Math.ceil))
}
