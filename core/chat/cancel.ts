import type { Actor } from '../actor.ts'
import * as Claim from '../conversation/claim.ts'
import { type Conversation, summary } from '../conversation/item.ts'
import * as Quota from '../conversation/quota.ts'
import * as Row from '../conversation/row.ts'
import type { Summary } from '../conversation/schema.ts'
import { VisibleError } from '../error.ts'
import { notice } from '../transcript/notice.ts'
import * as Message from '../transcript/transcript.ts'
import * as Usage from '../usage/usage.ts'
import { ending } from './conversation.ts'

/**
 * Stops a turn. One that no consumer has is idle at once; one that a consumer has is marked, and the consumer stops at
 * its next step. A write whose end is not known must be settled first, so such a turn is left to a consumer as well.
 * Without a turn nothing happens.
 */
export async function cancel(actor: Actor, it: Conversation, now: number): Promise<Summary> {
  const gone = () => new VisibleError('conversation.notFound')
  return summary(await Row.contend(it, (current) => attempt(actor, current, now), gone))
}

async function attempt(actor: Actor, it: Conversation, now: number): Promise<Conversation | undefined> {
  if (it.deletedAt) throw new VisibleError('conversation.notFound')
  if (it.status === 'idle' || it.status === 'failed') return it
  if (it.status === 'locked' || it.writing !== undefined) {
    return it.cancelRequested ? it : Row.store(it, { cancelRequested: true })
  }
  const at = new Date(now).toISOString()
  if (it.status === 'awaiting_approval') {
    const ended = await ending(actor, it, 'cancelled', now)
    return Row.store(it, { ...ended.changes, updatedAt: at }, ended.writes)
  }
  // A decision that no consumer has taken up yet: its calls are still open and get their results here.
  const { pending } = await Message.beside(it)
  const waiting = { ...it, status: 'awaiting_approval' as const }
  const ended = pending
    ? await ending(actor, waiting, 'cancelled', now)
    : {
        changes: { messageCount: it.messageCount + 1 },
        writes: Message.append(it, [notice('cancelled', actor.lang, at, it.runId)]),
      }
  const changes = {
    ...ended.changes,
    status: 'idle' as const,
    requestId: Claim.newRequestId(),
    updatedAt: at,
    awaitingUntil: undefined,
  }
  // A consumer that died may have left tokens set aside; nobody comes by for them once the row is idle.
  await Usage.release(it.owner, it.runId, now)
  return Row.store(it, changes, [...ended.writes, Quota.release(it.owner, it.id)])
}
