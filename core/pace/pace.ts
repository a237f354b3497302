import { type Assignment, assign } from '../aws/expression.ts'
import * as Table from '../aws/table.ts'
import { VisibleError } from '../error.ts'
import type { Provider } from '../settings/schema.ts'
import { config } from '../stage/config.ts'
import { type Booked, codec, decode, key, schema } from './item.ts'

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

/**
 * Books a call that takes about so many tokens. When it may be made, in milliseconds since the epoch, `now` at the
 * earliest; undefined when the provider is booked for ten minutes, and then nothing is booked.
 */
export async function book(limits: Limits, tokens: number, now: number): Promise<number | undefined> {
  const costs = costsOf(limits, tokens)
  for (let attempt = 0; attempt < tries; attempt++) {
    const booked = decode(await Table.get(key(limits.uid)))
    if (aheadMs(limits, booked, now) > farthestMs) return undefined
    const after = await Table.updated(
      key(limits.uid),
      assign(config().table, key(limits.uid), booking(costs, booked, now)),
    )
    if (after) return startOf(costs, decode(after), now)
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

/** How long a call that is booked now would wait for its time, in milliseconds; of each provider that has limits. */
export async function waits(providers: Limits[], now: number): Promise<number[]> {
  const paced = providers.filter(isPaced)
  const { table } = config()
  const rows = await Table.batch(paced.map(({ uid }) => ({ table, key: key(uid) })))
  return paced.map((limits, at) => aheadMs(limits, decode(rows[at]), now))
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

/** Adds to a line that is busy, and begins one that is free; under the condition that each is still what it was. */
function booking(costs: Costs, booked: Booked, now: number): Assignment {
  const lines = linesOf(costs).map(([line, cost]) => {
    const attribute = codec.attributes[line]
    const isBusy = booked[line] > now
    // A free line has no time, one that is over, or a damaged one: all of these are replaced.
    const condition = `${isBusy ? '' : 'NOT '}#${attribute} > :now`
    return { attribute, cost, isBusy, condition }
  })
  const of = (isBusy: boolean, from: number) =>
    Object.fromEntries(
      lines.filter((line) => line.isBusy === isBusy).map(({ attribute, cost }) => [attribute, from + cost]),
    )
  return {
    set: { ...schema, ...of(false, now) },
    add: of(true, 0),
    condition: lines.map(({ condition }) => condition).join(' AND '),
    values: { ':now': now },
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
