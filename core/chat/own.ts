import type { Actor } from '../base/actor.ts'
import type * as Table from '../base/aws/table.ts'
import { VisibleError } from '../base/error.ts'
import { type Conversation, decode, owner } from '../conversation/item.ts'

/** The actor's conversation from the row that was read along; `conversation.notFound` for whatever is not theirs. */
export function own(actor: Actor, id: string, row: Table.Row | undefined): Conversation {
  const it = owner(id) === actor.uid ? decode(row) : undefined
  if (!it || it.deletedAt) throw new VisibleError('conversation.notFound')
  return it
}
