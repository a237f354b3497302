import * as Table from '../../base/aws/table.ts'
import type { Settled } from '../../chat/doubt.ts'
import * as Claim from '../../conversation/claim.ts'
import { type Conversation, still } from '../../conversation/item.ts'
import * as Queue from '../../conversation/queue.ts'
import { tenant } from '../../conversation/queue.ts'
import * as Row from '../../conversation/row.ts'
import type { FailureCode } from '../../conversation/schema.ts'
import { ending } from '../../conversation/transcript/ending.ts'
import * as Transcript from '../../conversation/transcript/transcript.ts'
import * as UndoRow from '../../conversation/transcript/undo-row.ts'
import { stuckMs } from '../../conversation/turn-failure.ts'
import type { Seen } from '../../conversation/waiting.ts'
import * as Pace from '../../stage/pace/pace.ts'
import type { Settings } from '../../stage/settings/schema.ts'
import { providersOf } from '../../stage/settings/settings.ts'
import * as Usage from '../../stage/usage/usage.ts'
import { ago, busyUntil, count } from './queries.ts'

/**
 * Cleanup of turns that no consumer works on. Each step decides by the row as it was read and writes under its version,
 * so that it disturbs neither a turn that is still alive nor a second cleanup.
 */

/** A turn that waits this long for a consumer has probably lost its queue message, in milliseconds. */
const lostMessageMs = 60_000

const silence = (conversation: Conversation, now: number) => now - Date.parse(Claim.lastSign(conversation))

/** One turn may wait because its message was lost; when this many wait as long, the consumers are too few. */
const crowd = 3

/** The most waiting turns that a cleanup looks at, the oldest first: other tenants have not waited for long. */
const looked = 300

/**
 * How long turns wait, in milliseconds: for the provider that is booked least, so that no user is refused whose provider is
 * free; and for a consumer or their share of a provider by tenant, so that no user is refused because of the many turns of
 * others.
 */
export async function waits(settings: Settings, now: number): Promise<Pick<Seen, 'waitMs' | 'waits'>> {
  const providers = providersOf(settings)
  const [waits, calls] = await Promise.all([consumerWaits(now), Pace.waits(providers, now)])
  const isPaced = calls.length === providers.length && calls.length > 0
  if (!isPaced) return { waitMs: 0, waits }
  for (const name of calls[0]?.byTenant.keys() ?? []) {
    const shareWait = Math.min(...calls.map(({ byTenant }) => byTenant.get(name) ?? 0))
    waits[name] = Math.max(waits[name] ?? 0, shareWait)
  }
  return { waitMs: Math.min(...calls.map(({ all }) => all)), waits }
}

/** How long at least three turns of a tenant have waited for a consumer; no tenant of which fewer wait. */
async function consumerWaits(now: number): Promise<Record<string, number>> {
  const isWaiting = (conversation: Conversation) =>
    conversation.status === 'processing' && conversation.queuedAt !== ''
  const waiting = await busyUntil(new Date(now).toISOString(), looked, isWaiting)
  const byTenant = new Map<string, number[]>()
  for (const conversation of waiting)
    byTenant.set(tenant(conversation), [
      ...(byTenant.get(tenant(conversation)) ?? []),
      Math.max(0, now - Date.parse(conversation.queuedAt)),
    ])
  return Object.fromEntries(
    [...byTenant].flatMap(([name, all]) => {
      const wait = all.toSorted((one, other) => other - one)[crowd - 1]
      return wait === undefined ? [] : [[name, wait]]
    }),
  )
}

/** Sends queue messages again for turns that nothing has claimed for a minute. */
export async function requeue(now: number, limit: number, isDryRun: boolean): Promise<number> {
  const isLost = (conversation: Conversation) =>
    conversation.status === 'processing' && silence(conversation, now) <= stuckMs
  const lost = await busyUntil(ago(now, lostMessageMs), limit, isLost)
  if (isDryRun) return lost.length
  return count(lost, async (conversation) => {
    await Queue.send(
      { conversationId: conversation.id, requestId: conversation.requestId },
      tenant(conversation),
    )
    return true
  })
}

/** Gives turns whose consumer is silent for 90 seconds to another one, the first two times. */
export async function resume(now: number, limit: number, isDryRun: boolean): Promise<number> {
  const hasLapsed = (conversation: Conversation) =>
    conversation.status === 'locked' &&
    silence(conversation, now) <= stuckMs &&
    conversation.lapses < Claim.maxLapses
  const lapsed = await busyUntil(ago(now, Claim.leaseMs), limit, hasLapsed)
  if (isDryRun) return lapsed.length
  return count(lapsed, (conversation) => hand(conversation, now))
}

/** Takes over what an earlier start of the stage was working on: its consumers are gone, and so is the time between. */
export async function takeOver(now: number): Promise<number> {
  const found = await busyUntil(new Date(now).toISOString(), 1_000)
  return count(
    found.filter(
      ({ status, lapses }) => status === 'processing' || (status === 'locked' && lapses < Claim.maxLapses),
    ),
    (conversation) => hand(conversation, now),
  )
}

/** The words for the failure of a turn. */
export type Telling = {
  /** The sentence for the owner in their language. */
  sentence(code: FailureCode, owner: number): Promise<string>
  /** Settles the write that the last consumer had begun; undefined if that is not possible now. */
  settle(conversation: Conversation, key: string): Promise<Settled | undefined>
}

/**
 * Fails turns without progress for more than five minutes (specification, States and transitions). The failure tells how
 * the write ended that was under way. If the CMS does not answer, the next turn tells it.
 */
export async function fail(
  now: number,
  limit: number,
  isDryRun: boolean,
  { sentence, settle }: Telling,
): Promise<number> {
  const stuck = await busyUntil(
    ago(now, stuckMs),
    limit,
    (conversation) => silence(conversation, now) > stuckMs,
  )
  if (isDryRun) return stuck.length
  return count(stuck, async (conversation) => {
    const errorCode = conversation.status === 'processing' ? 'turn.notStarted' : 'turn.stuck'
    const { pending } = conversation.awaitingUntil
      ? await Transcript.beside(conversation)
      : { pending: undefined }
    // Before the row: a cleanup that dies between the two comes by again.
    const { isCounted } = await Usage.release(conversation.owner, conversation.runId, now)
    const counted = Usage.failure(
      conversation.owner,
      { runId: conversation.runId, model: '', isCounted },
      now,
    )
    const settled =
      conversation.writing === undefined ? undefined : await settle(conversation, conversation.writing)
    const { messages, writes: noted } = settled ?? { messages: [], writes: [] }
    const failed = {
      status: 'failed',
      errorCode,
      errorMessage: await sentence(errorCode, conversation.owner),
    } as const
    const { changes, writes } = ending(conversation, { ...failed, messages, pending }, now)
    const { write } = Row.change(conversation, {
      ...changes,
      ...(settled && { writing: undefined }),
      requestId: Claim.newRequestId(),
    })
    const { done } = await Table.transact([whileSilent(write, conversation), ...writes, ...noted, counted])
    const failedRow = done && conversation.undoRows.length > 0 ? await Row.read(conversation.id) : undefined
    if (failedRow) await UndoRow.appendKept(failedRow)
    return done
  })
}

/** Queues a turn for the next consumer. */
async function hand(conversation: Conversation, now: number): Promise<boolean> {
  const queued = Claim.enqueue(now)
  const isLapse = conversation.status !== 'processing'
  const { write } = Row.change(conversation, {
    ...queued,
    // A turn that nobody took keeps its place in the line.
    ...(!isLapse && { queuedAt: conversation.queuedAt }),
    lapses: conversation.lapses + (isLapse ? 1 : 0),
    workedMs: isLapse
      ? Claim.workedMs(conversation, Date.parse(conversation.progressAt))
      : conversation.workedMs,
  })
  const { done } = await Table.transact([whileSilent(write, conversation)])
  if (done)
    await Queue.send({ conversationId: conversation.id, requestId: queued.requestId }, tenant(conversation))
  return done
}

/** A heartbeat is no new version: the write also needs the sign of life to be the one that was read. */
function whileSilent({ Update }: Table.Write, conversation: Conversation): Table.Write {
  if (!Update) throw new Error('Not an update')
  const { condition, names, values } = still(conversation, 'progress_at', conversation.progressAt)
  return {
    Update: {
      ...Update,
      ConditionExpression: `${Update.ConditionExpression} AND ${condition}`,
      ExpressionAttributeNames: { ...Update.ExpressionAttributeNames, ...names },
      ExpressionAttributeValues: { ...Update.ExpressionAttributeValues, ...values },
    },
  }
}
