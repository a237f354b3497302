import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb'
import type { Actor } from '../../core/base/actor.ts'
import * as Table from '../../core/base/aws/table.ts'
import { config } from '../../core/base/config.ts'
import * as Conversations from '../../core/chat/conversation.ts'
import { empty, encode as encodeConversation } from '../../core/conversation/item.ts'
import { encode as encodeMessage } from '../../core/conversation/transcript/item.ts'
import type { Message } from '../../core/conversation/transcript/schema.ts'
import { transcript } from './long-transcript.ts'

/**
 * Stores a conversation with `length` messages for the actor, without running a turn. Returns the conversation's id.
 */
export async function grow(actor: Actor, length: number, now: number): Promise<string> {
  const id = Conversations.newId(actor, now)
  const conversation = { ...empty(id, now), title: 'Bench', messageCount: length }
  const rows = transcript(length).map((message, sequence) =>
    encodeMessage(id, { ...message, sequence, createdAt: new Date(now).toISOString() } as Message, 0),
  )
  await putAll([...rows, encodeConversation(conversation)])
  return id
}

/** Puts items, 25 per request, with eight requests at the same time. */
export async function putAll(items: Table.Row[], table = config().table): Promise<void> {
  let next = 0
  const lane = async () => {
    while (next < items.length) {
      const puts = items.slice(next, next + 25)
      next += 25
      const requests = puts.map((item) => ({ PutRequest: { Item: item } }))
      await Table.documents().send(new BatchWriteCommand({ RequestItems: { [table]: requests } }))
    }
  }
  await Promise.all(Array.from({ length: 8 }, lane))
}
