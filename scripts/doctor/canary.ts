import type { Actor } from '../../core/actor.ts'
import * as Conversation from '../../core/chat/conversation.ts'
import { send } from '../../core/chat/send.ts'
import type { Conversation as Item } from '../../core/conversation/item.ts'
import * as Row from '../../core/conversation/row.ts'
import { isBusy } from '../../core/conversation/state.ts'
import { live } from '../../core/live.ts'
import { load } from '../../core/settings/settings.ts'

const patienceMs = 120_000
const lookMs = 500

/**
 * One turn, as a user's: stored, queued, taken by a consumer, answered. The conversation is deleted afterwards, and
 * cleanup removes it a day later. Throws how the turn ended when it did not end well.
 */
export async function canary(uid: number): Promise<string> {
  const actor = await live().cms.user(uid)
  if (!actor) throw new Error(`There is no user ${uid} to ask as; name another one with --user`)
  const now = Date.now()
  const { conversation } = await send(
    { actor, settings: await load(now), request: undefined, now },
    {
      conversationId: undefined,
      content: 'Doctor: what is here?',
      fileUid: undefined,
      viewContext: undefined,
    },
    { known: undefined, conversation: undefined },
  )
  const it = await ended(conversation.id)
  if (isBusy(it.status)) throw new Error(`${it.status} for ${patienceMs / 1000} s: no consumer has ended it`)
  await dispose(actor, it.id)
  if (it.status === 'failed') throw new Error(`failed with ${it.errorCode}`)
  return `asked and answered as ${actor.username}, ${it.messageCount} messages`
}

async function ended(id: string): Promise<Item> {
  const until = Date.now() + patienceMs
  for (;;) {
    const it = await Row.read(id)
    if (!it) throw new Error('The conversation is gone')
    if (!isBusy(it.status) || Date.now() >= until) return it
    await live().clock.sleep(lookMs)
  }
}

async function dispose(actor: Actor, id: string): Promise<void> {
  const it = await Row.read(id)
  if (it) await Conversation.remove(actor, it, Date.now())
}
