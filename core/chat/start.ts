import { ulid } from 'ulid'
import type * as z from 'zod'
import * as Table from '../base/aws/table.ts'
import { VisibleError } from '../base/error.ts'
import * as Log from '../base/log.ts'
import * as Claim from '../conversation/claim.ts'
import * as Item from '../conversation/item.ts'
import { type Conversation, summary } from '../conversation/item.ts'
import * as Legacy from '../conversation/legacy/into-rows.ts'
import { send as sendJob, tenant, tenantOf } from '../conversation/queue.ts'
import * as Quota from '../conversation/quota.ts'
import * as Row from '../conversation/row.ts'
import { ConversationAnswer, isBusy, type Summary } from '../conversation/schema.ts'
import type * as Waiting from '../conversation/waiting.ts'
import { budgetSpent, isSpent, stageSpent } from '../stage/usage/budget.ts'
import { tooMany, type Visitor } from './conversation.ts'
import * as Idempotency from './idempotency.ts'

/**
 * The part that all ways into a turn share: the row, the place among the user's active conversations and the memory of the
 * request change in one transaction; the queue message follows. If the queue does not take it, cleanup sends it again.
 */

/** The user who starts a turn, with the settings and the repeatable request. */
export type Starter = Visitor & {
  /** Present when the request carries an idempotency key. */
  request: Idempotency.Repeatable | undefined
  /** The state of the stage as cleanup saw it last. */
  seen: Waiting.Seen
}

/** The items that were read along with the session: the memory of the request, and its conversation. */
export type ReadAlong = { known: Table.Row | undefined; conversation: Table.Row | undefined }

/** The writes of a start beside the row. */
export type Plan<A> = {
  changes: Row.Changes & { requestId: string }
  writes: Table.Write[]
  answer(summary: Summary): A
  /** Maps a failed condition of one of `writes` to the error to throw. */
  refused?(position: number): VisibleError | undefined
}

/** The write of the row: a change of the one that was read, or the put of a new one. */
type RowWrite = { next: Conversation; write: Table.Write; isNew: boolean }

/**
 * Starts a turn as planned; `schema` reads a remembered answer. Answers undefined when another writer changed the conversation after it was read, and the
 * answer of the first call when the same request ran in parallel.
 */
export async function start<A>(
  starter: Starter,
  row: RowWrite,
  schema: z.ZodType<A>,
  plan: Plan<A>,
): Promise<A | undefined> {
  const { actor, settings, request, now } = starter
  refuseClosed(starter)
  await refuseSpent(starter)
  const answer = plan.answer(summary(row.next))
  const caps = {
    active: settings.maxActiveConversations,
    conversations: settings.maxConversationsPerUser,
  }
  const fixed = [
    row.write,
    Quota.take(actor.uid, row.next.id, caps, row.isNew),
    ...(request ? [Idempotency.remember(request, answer, now)] : []),
  ]
  const outcome = await Table.transact([...fixed, ...plan.writes])
  if (outcome.done) {
    await queue(row.next, plan.changes.requestId)
    return answer
  }
  if (request && outcome.failed.includes(2)) return replay(starter, schema)
  if (outcome.failed.includes(0)) return undefined
  if (outcome.failed.includes(1)) {
    if (await tidy(actor.uid)) return start(starter, row, schema, plan)
    throw await capped(starter, row.isNew)
  }
  for (const position of outcome.failed) {
    const refusal = plan.refused?.(position - fixed.length)
    if (refusal) throw refusal
  }
  return undefined
}

/** The answer of the first call with this key, from the row that was read along; undefined for a first call. */
export function replayed<A>(
  { request, now }: Starter,
  schema: z.ZodType<A>,
  row: Table.Row | undefined,
): A | undefined {
  return request && Idempotency.remembered(row, request, schema, now)
}

/** Reads the answer of the same request, which was made in parallel; undefined where there was none. */
export async function replay<A>(starter: Starter, schema: z.ZodType<A>): Promise<A | undefined> {
  const { request } = starter
  return request && replayed(starter, schema, await Table.get(Idempotency.key(request.uid, request.key)))
}

async function queue(conversation: Conversation, requestId: string): Promise<void> {
  try {
    await sendJob({ conversationId: conversation.id, requestId }, tenant(conversation))
  } catch (cause) {
    // The turn is stored; cleanup finds it waiting and queues it again within a minute.
    Log.error('The queue did not take a turn', cause, { conversationId: conversation.id })
  }
}

/** Which of the two caps refused a start. */
async function capped({ actor, settings }: Starter, isNew: boolean): Promise<VisibleError> {
  const held = Quota.decode(await Table.get(Quota.key(actor.uid)))
  const { maxActiveConversations: active, maxConversationsPerUser: all } = settings
  if (isNew && all !== null && held.conversations >= all) return tooMany(settings)
  return new VisibleError('user.tooManyActive', { params: { max: active ?? 0 }, retryAfterMs: 5_000 })
}

/** A client that tries again sooner gets the same refusal. */
const againMs = 60_000

/** Refuses a start while the stage is maintained, has used its tokens, or lets its equals wait too long for a consumer. */
function refuseClosed({ actor, settings, seen, now }: Starter): void {
  const { maintenance, refuseAfterWaitMs, dailyTokens } = settings
  if (maintenance) throw new VisibleError('service.maintenance', { retryAfterMs: againMs })
  const waitMs = Math.max(seen.waitMs, seen.waits[tenantOf(actor)] ?? 0)
  if (refuseAfterWaitMs !== null && waitMs > refuseAfterWaitMs)
    throw new VisibleError('service.busy', { retryAfterMs: againMs })
  if (isSpent(dailyTokens, seen.tokens)) throw stageSpent(now)
}

/** Refuses a start where today's tokens are used up; the check before each call decides if they suffice for it. */
async function refuseSpent({ actor, settings: { dailyTokensPerUser: daily }, now }: Starter): Promise<void> {
  if (daily === null) return
  const Usage = await import('../stage/usage/usage.ts')
  const { settled } = await Usage.today(actor.uid, now)
  if (isSpent(daily, settled)) throw budgetSpent(now)
}

/** Refuses a start while a consumer has the conversation, or is about to. */
export function refuseBusy(conversation: Conversation): void {
  if (isBusy(conversation.status)) throw new VisibleError('conversation.busy', { retryAfterMs: 2_000 })
}

/** Starts a turn of a stored conversation. Reads the row again and retries as long as another writer is quicker. */
export async function restart<A>(
  starter: Starter,
  conversation: Conversation,
  schema: z.ZodType<A>,
  plan: (current: Conversation) => Promise<Plan<A>>,
): Promise<A> {
  const attempt = async (read: Conversation): Promise<A | undefined> => {
    if (read.deletedAt) throw new VisibleError('conversation.notFound')
    const current = await Legacy.move(read)
    if (!current) return undefined
    const planned = await plan(current)
    return start(starter, { ...Row.change(current, planned.changes), isNew: false }, schema, planned)
  }
  try {
    return await Row.contend(conversation, attempt)
  } catch (error) {
    // The same request may have run in parallel and have finished between our reads.
    const known = await replay(starter, schema)
    if (known === undefined) throw error
    return known
  }
}

/**
 * Starts a turn of the actor's conversation that was read along; a repeated request gets its first answer. Throws
 * `conversation.notFound`.
 */
export async function restartOwn<A>(
  starter: Starter,
  conversationId: string,
  rows: ReadAlong,
  schema: z.ZodType<A>,
  plan: (current: Conversation) => Promise<Plan<A>>,
): Promise<A> {
  const known = replayed(starter, schema, rows.known)
  return known ?? restart(starter, Item.own(starter.actor, conversationId, rows.conversation), schema, plan)
}

/** Starts the first turn of a new conversation, which has not been stored before. */
export async function startNew<A>(
  starter: Starter,
  fresh: Conversation,
  schema: z.ZodType<A>,
  plan: Plan<A>,
): Promise<A> {
  const next = { ...fresh, ...plan.changes }
  const row = { next, write: Table.putWrite(Item.encode(next)), isNew: true }
  const begun = await start(starter, row, schema, plan)
  if (!begun) throw new VisibleError('service.unavailable', { retryAfterMs: 1_000 })
  return begun
}

/** The changes with which a new turn of the actor begins: with a run of its own, and out of the archive. */
export const newTurn = ({ actor, now }: Pick<Starter, 'actor' | 'now'>) => ({
  ...Claim.begin(now),
  tenant: tenantOf(actor),
  runId: ulid(now).toLowerCase(),
  updatedAt: new Date(now).toISOString(),
  archived: false,
  archivedAt: undefined,
})

/** Starts a failed turn again: the same run goes on behind the last stored row. */
export function retry(
  starter: Starter,
  conversationId: string,
  rows: ReadAlong,
): Promise<ConversationAnswer> {
  return restartOwn(starter, conversationId, rows, ConversationAnswer, async (current) => {
    refuseBusy(current)
    if (current.status !== 'failed') throw new VisibleError('conversation.notFailed')
    return {
      changes: { ...newTurn(starter), runId: current.runId, undoing: current.undoing },
      writes: [],
      answer: (conversation) => ({ conversation }),
    }
  })
}

/**
 * Takes away places that no busy conversation holds, whatever left them behind; true when there was one. Each is
 * given back only while its conversation is as it was read.
 */
async function tidy(uid: number): Promise<boolean> {
  const { active } = Quota.decode(await Table.get(Quota.key(uid)))
  const rows = await Table.rowsOf(active.map(Item.key))
  const outcomes = await Promise.all(
    active.map(async (id, at) => {
      const conversation = Item.decode(rows[at])
      if (conversation && isBusy(conversation.status)) return false
      const { done } = await Table.transact([
        conversation
          ? Row.unchanged(conversation)
          : Table.checkWrite(Item.key(id), { condition: 'attribute_not_exists(pk)' }),
        Quota.release(uid, id),
      ])
      return done
    }),
  )
  return outcomes.includes(true)
}
