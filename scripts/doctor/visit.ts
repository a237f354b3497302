import type { Actor } from '../../core/base/actor.ts'
import type { Clock } from '../../core/base/clock.ts'
import { cancel } from '../../core/chat/cancel.ts'
import * as Conversations from '../../core/chat/conversation.ts'
import { send } from '../../core/chat/send.ts'
import type { UserId } from '../../core/cms/user-number/schema.ts'
import type { Conversation } from '../../core/conversation/item.ts'
import * as Row from '../../core/conversation/row.ts'
import { isBusy } from '../../core/conversation/schema.ts'
import * as Waiting from '../../core/conversation/waiting.ts'
import type { Ports } from '../../core/ports.ts'
import { mayChat } from '../../core/stage/settings/group.ts'
import { load } from '../../core/stage/settings/settings.ts'

/** The longest time of the turn, and of a cancelled turn, in milliseconds. */
const turnMs = 120_000
const cancelMs = 10_000
const visitLookMs = 500

/**
 * Runs one turn like a user's: it is stored, queued, taken by a consumer, and answered within 2 minutes. Then the
 * conversation is deleted, whatever the result of the turn, and cleanup removes it a day later. Throws with the result
 * of the turn if the turn failed.
 */
export async function canary({ cms, clock }: Ports, id: UserId): Promise<string> {
  const actor = await cms.userNamed(String(id))
  if (!actor) throw new Error(`There is no user ${id} to ask as; name another one with --user`)
  const now = clock.now()
  const settings = await load(now)
  if (!mayChat(actor, settings))
    throw new Error(
      `user ${actor.username} is in none of the groups ${settings.allowedGroups.join(', ')}; name another one with --user, or allow a group of the user`,
    )
  const { conversation } = await send(
    { actor, settings, request: undefined, seen: Waiting.nothing, now },
    cms,
    undefined,
    { content: 'Doctor: what is here?' },
  )
  try {
    const ended = await awaitEnd(clock, conversation.id, turnMs)
    if (isBusy(ended.status))
      throw new Error(`${ended.status} for ${turnMs / 1000} s: no consumer has ended it`)
    if (ended.status === 'failed') throw new Error(`failed with ${ended.errorCode}`)
    return `asked and answered as ${actor.username}, ${ended.messageCount} messages`
  } finally {
    await dispose(actor, clock, conversation.id)
  }
}

/** Returns the conversation after its turn has ended, or its state after `timeoutMs` milliseconds. */
async function awaitEnd(clock: Clock, id: string, timeoutMs: number): Promise<Conversation> {
  const until = clock.now() + timeoutMs
  for (;;) {
    const conversation = await Row.read(id)
    if (!conversation) throw new Error('The conversation is gone')
    if (!isBusy(conversation.status) || clock.now() >= until) return conversation
    await clock.sleep(visitLookMs)
  }
}

/**
 * Deletes the conversation. A turn that still runs is cancelled first, so that it does not count as an active
 * conversation.
 */
async function dispose(actor: Actor, clock: Clock, id: string): Promise<void> {
  let conversation = await Row.read(id)
  if (conversation && isBusy(conversation.status)) {
    await cancel(actor, conversation, clock.now())
    conversation = await awaitEnd(clock, id, cancelMs)
  }
  if (conversation && !isBusy(conversation.status))
    await Conversations.remove({ actor, now: clock.now() }, conversation)
}
