import type { Actor } from '../../core/actor.ts'
import * as Table from '../../core/aws/table.ts'
import * as Conversations from '../../core/chat/conversation.ts'
import * as Item from '../../core/conversation/item.ts'
import * as Quota from '../../core/conversation/quota.ts'
import { config } from '../../core/stage/config.ts'

const marker: Table.Key = { pk: 'seed', sk: 'legacy' }
const dayMs = 24 * 60 * 60_000

/**
 * Puts one conversation of the user as an earlier release left it, its transcript in the old column and without message
 * rows, so that reading, moving and upgrading such conversations can be tried. Once per data folder: a user who
 * deletes it does not get it back.
 */
export async function seedLegacy(actor: Actor, now: number): Promise<void> {
  const createdAt = new Date(now - dayMs).toISOString()
  const conversation: Item.Conversation = {
    ...Item.empty(Conversations.newId(actor, now - dayMs), now - dayMs),
    title: 'Legacy conversation',
    titleFixed: true,
    legacy: transcript,
    createdAt,
    updatedAt: new Date(now - dayMs / 24).toISOString(),
  }
  const isAbsent = 'attribute_not_exists(pk)'
  const table = config().table
  await Table.transact([
    { Put: { TableName: table, Item: { ...marker, created_at: createdAt }, ConditionExpression: isAbsent } },
    { Put: { TableName: table, Item: Item.encode(conversation), ConditionExpression: isAbsent } },
    Quota.count(actor.uid, { active: null, conversations: null }),
  ])
}

const transcript: Item.Conversation['legacy'] = [
  { role: 'user', content: 'Which lamps do we sell?' },
  {
    role: 'assistant',
    content: 'The products section lists the **Aurora lamp**. Its page names the price: 149 EUR.',
  },
  { role: 'user', content: 'And where does the page tree show it?' },
  { role: 'assistant', content: 'Below Home > Products, as “Aurora lamp”.' },
]
