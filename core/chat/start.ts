import { ulid } from 'ulid'
import * as Table from '../base/aws/table.ts'
import { VisibleError } from '../base/error.ts'
import * as Log from '../base/log.ts'
import * as Claim from '../conversation/claim.ts'
import * as Item from '../conversation/item.ts'
import * as Legacy from '../conversation/legacy/into-rows.ts'
import { sendTurn, tenantOf } from '../conversation/queue.ts'
import * as Quota from '../conversation/quota.ts'
import * as Row from '../conversation/row.ts'
import { type ConversationAnswer, isBusy, type Summary } from '../conversation/schema.ts'
import type * as Waiting from '../conversation/waiting.ts'
import { budgetSpent, isSpent, stageSpent } from '../stage/usage/budget.ts'
import { type Acting, type Creator, tooMany } from './conversation.ts'
import * as Idempotency from './idempotency.ts'

/**
 * Starts turns; every kind of start uses this code. One transaction changes the row, the user's list of active
 * conversations and the idempotency record; the queue message follows. If the queue does not take the message, cleanup
 * sends it again.
 */

/** The user who starts a turn, the time, the settings and the repeatable request. */
export type Starter = Creator & {
  /** The waits and the used tokens of the stage, as the last cleanup stored them. */
  seen: Waiting.Seen
}

/** The changes and writes of a start, and its answer. */
export type Plan<A> = {
  changes: Row.Changes & { requestId: string }
  writes: Table.Write[]
  answer(summary: Summary): A
  /** Returns the error to throw for a failed condition of one of `writes`. */
  refused?(position: number): VisibleError | undefined
}

/** The write of the conversation's row: a change of the row that was read, or the put of a new row. */
type RowWrite = { next: Item.Conversation; write: Table.Write; isNew: boolean }

/**
 * Starts a turn as planned. Returns undefined if another writer changed the conversation after it was read. Rejects with
 * `request.keyReused` if a request with the same idempotency key ran in parallel.
 */
export async function start<A>(starter: Starter, row: RowWrite, plan: Plan<A>): Promise<A | undefined> {
  const { actor, settings, request, now } = starter
  refuseClosed(starter)
  await refuseSpent(starter)
  const answer = plan.answer(Item.summary(row.next))
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
    await queue(row.next)
    return answer
  }
  if (request && outcome.failed.includes(2)) throw new VisibleError('request.keyReused')
  if (outcome.failed.includes(0)) return undefined
  if (outcome.failed.includes(1)) {
    if (await tidy(actor.uid)) return start(starter, row, plan)
    throw await capped(starter, row.isNew)
  }
  for (const position of outcome.failed) {
    const refusal = plan.refused?.(position - fixed.length)
    if (refusal) throw refusal
  }
  return undefined
}

async function queue(conversation: Item.Conversation): Promise<void> {
  try {
    await sendTurn(conversation, conversation.requestId)
  } catch (cause) {
    // The turn is stored, so cleanup finds it and queues it again within a minute.
    Log.error('A turn was not queued', cause, { conversationId: conversation.id })
  }
}

/** Queues the turn of a conversation if no consumer has it: the first request may have failed to queue it. */
export async function queueTurn(id: string): Promise<void> {
  const stored = await Row.read(id)
  if (stored?.status === 'processing' && !stored.deferredUntil) await queue(stored)
}

/** Returns the error of the limit that refused a start: the limit of all conversations, or of active conversations. */
async function capped({ actor, settings }: Starter, isNew: boolean): Promise<VisibleError> {
  const held = Quota.decode(await Table.get(Quota.key(actor.uid)))
  const { maxActiveConversations: active, maxConversationsPerUser: all } = settings
  if (isNew && all !== null && held.conversations >= all) return tooMany(settings)
  return new VisibleError('user.tooManyActive', { params: { max: active ?? 0 }, retryAfterMs: 5_000 })
}

/** The time after which the client may try again, in milliseconds; a retry before that time gets the same refusal. */
const againMs = 60_000

/** Throws during maintenance, after the stage's daily tokens are used, and while turns wait too long for a consumer. */
function refuseClosed({ actor, settings, seen, now }: Starter): void {
  const { maintenance, refuseAfterWaitMs, dailyTokens } = settings
  if (maintenance) throw new VisibleError('service.maintenance', { retryAfterMs: againMs })
  const waitMs = Math.max(seen.waitMs, seen.waits[tenantOf(actor)] ?? 0)
  if (refuseAfterWaitMs !== null && waitMs > refuseAfterWaitMs)
    throw new VisibleError('service.busy', { retryAfterMs: againMs })
  if (isSpent(dailyTokens, seen.tokens)) throw stageSpent(now)
}

/**
 * Refuses a start after today's tokens are used up. The check before each model call decides if the remaining tokens
 * are enough for that call.
 */
async function refuseSpent({ actor, settings: { dailyTokensPerUser: daily }, now }: Starter): Promise<void> {
  if (daily === null) return
  const Usage = await import('../stage/usage/usage.ts')
  const { settled } = await Usage.today(actor.uid, now)
  if (isSpent(daily, settled)) throw budgetSpent(now)
}

/** Starts a turn of a stored conversation. Reads the row again and retries if another writer changed it first. */
export function restart<A>(
  starter: Starter,
  conversation: Item.Conversation,
  plan: (current: Item.Conversation) => Promise<Plan<A>>,
): Promise<A> {
  return Row.contend(conversation, async (read) => {
    Row.refuseDeleted(read)
    const current = await Legacy.move(read)
    if (!current) return undefined
    const planned = await plan(current)
    return start(starter, { ...Row.change(current, planned.changes), isNew: false }, planned)
  })
}

/** Starts the first turn of a new conversation that is not stored yet. */
export async function startNew<A>(starter: Starter, fresh: Item.Conversation, plan: Plan<A>): Promise<A> {
  const next = { ...fresh, ...plan.changes }
  const row = { next, write: Table.putWrite(Item.encode(next)), isNew: true }
  const begun = await start(starter, row, plan)
  if (!begun) throw new VisibleError('service.unavailable', { retryAfterMs: 1_000 })
  return begun
}

/**
 * Returns the row changes that begin a new turn of the actor. The turn gets a new run id, and the conversation leaves
 * the archive.
 */
export const newTurn = ({ actor, now }: Acting) => ({
  ...Claim.begin(now),
  tenant: tenantOf(actor),
  runId: ulid(now).toLowerCase(),
  updatedAt: new Date(now).toISOString(),
  archived: false,
  archivedAt: undefined,
})

/** Returns the starter of an undo: it uses no tokens, so no budget refuses it. */
export const unbudgeted = (starter: Starter): Starter => ({
  ...starter,
  settings: { ...starter.settings, dailyTokens: null, dailyTokensPerUser: null },
})

/** Starts a failed turn or undo again: the same run continues after the last stored row. */
export function retry(starter: Starter, conversation: Item.Conversation): Promise<ConversationAnswer> {
  const by = conversation.undoing ? unbudgeted(starter) : starter
  return restart(by, conversation, async (current) => {
    Row.refuseBusy(current)
    if (current.status !== 'failed') throw new VisibleError('conversation.notFailed')
    return {
      changes: { ...newTurn(starter), runId: current.runId, undoing: current.undoing },
      writes: [],
      answer: (conversation) => ({ conversation }),
    }
  })
}

/**
 * Removes conversations that are not busy from the user's list of active conversations; true if it removed any. Each
 * removal succeeds only if the conversation has not changed since it was read.
 */
async function tidy(uid: number): Promise<boolean> {
  const { active } = Quota.decode(await Table.get(Quota.key(uid)))
  const reads = Table.chunks(active.map(Item.key), 100).map(Table.rowsOf)
  const rows = (await Promise.all(reads)).flat()
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
