import * as Table from '../../core/base/aws/table.ts'
import * as Conversations from '../../core/chat/conversation.ts'
import * as Item from '../../core/conversation/item.ts'
import { branchAt } from '../../core/conversation/path.ts'
import { encode } from '../../core/conversation/transcript/item.ts'
import type { Message } from '../../core/conversation/transcript/schema.ts'
import { actor } from './actor.ts'
import { startedAt } from './live.ts'

/** A stored conversation of the editor as it was when the bench started, and differing as said. */
export async function stored(
  over: Partial<Item.Conversation> = {},
  uid = 2,
  now = startedAt,
): Promise<Item.Conversation> {
  const owner = actor({ uid })
  const conversation = { ...Item.empty(Conversations.newId(owner, now), now), ...over }
  await Table.put(Item.encode(conversation))
  return conversation
}

/** A stored conversation of the editor with these entries; texts are messages of user and assistant in turn. */
export async function storedWith(
  entries: (string | Partial<Message>)[],
  over: Partial<Item.Conversation> = {},
  owner?: number,
): Promise<Item.Conversation> {
  const conversation = await stored({ messageCount: entries.length, runId: 'run', ...over }, owner)
  const messages = entries.map((entry, sequence): Message => {
    const plain = typeof entry === 'string' ? { content: entry } : entry
    const role = sequence % 2 === 0 ? 'user' : 'assistant'
    return { sequence, role, content: '', createdAt: conversation.createdAt, ...plain }
  })
  await Promise.all(
    messages.map((message) =>
      Table.put(encode(conversation.id, message, branchAt(conversation.path, message.sequence))),
    ),
  )
  return conversation
}
