import { VisibleError } from '../base/error.ts'
import * as Claim from '../conversation/claim.ts'
import { type Conversation, own } from '../conversation/item.ts'
import { tenantOf } from '../conversation/tenant.ts'
import { type ReadAlong, refuseBusy, replayed, restart, type Starter } from './start.ts'
import { ConversationAnswer } from './start-request.ts'

/** Starts a failed turn again: the same run goes on behind the last stored row. */
export async function retry(
  starter: Starter,
  conversationId: string,
  rows: ReadAlong,
): Promise<ConversationAnswer> {
  const known = replayed(starter, ConversationAnswer, rows.known)
  if (known) return known
  const stored = own(starter.actor, conversationId, rows.conversation)
  return restart(starter, stored, ConversationAnswer, async (current: Conversation) => {
    refuseBusy(current)
    if (current.status !== 'failed') throw new VisibleError('conversation.notFailed')
    const at = new Date(starter.now).toISOString()
    return {
      changes: {
        ...Claim.begin(starter.now),
        undoing: current.undoing,
        tenant: tenantOf(starter.actor),
        updatedAt: at,
        archived: false,
        archivedAt: undefined,
      },
      writes: [],
      answer: (conversation) => ({ conversation }),
    }
  })
}
