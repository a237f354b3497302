import { VisibleError } from '../base/error.ts'
import * as Claim from '../conversation/claim.ts'
import type { Conversation } from '../conversation/item.ts'
import type { Summary } from '../conversation/schema.ts'
import { tenantOf } from '../conversation/tenant.ts'
import { own } from './own.ts'
import { type ReadAlong, refuseBusy, replayed, restart, type Starter } from './start.ts'

/** Starts a failed turn again: the same run goes on behind the last stored row. */
export async function retry(
  starter: Starter,
  conversationId: string,
  rows: ReadAlong,
): Promise<{ conversation: Summary }> {
  const known = replayed<{ conversation: Summary }>(starter, rows.known)
  if (known) return known
  const it = own(starter.actor, conversationId, rows.conversation)
  return restart(starter, it, async (current: Conversation) => {
    refuseBusy(current)
    if (current.status !== 'failed') throw new VisibleError('conversation.notFailed')
    const at = new Date(starter.now).toISOString()
    return {
      changes: {
        ...Claim.begin(starter.now),
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
