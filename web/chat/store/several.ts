import type { ConversationAnswer } from '../../../core/conversation/schema.ts'
import { ApiError } from '../api.ts'
import type { ChatStore } from './chat-store.ts'
import { publish } from './outbox.ts'

/** The most concurrent requests. */
const mostAtOnce = 4

/** The acts on several conversations. Every stage has these routes; each takes one conversation and may refuse it. */
const deeds = {
  archive: ['archive', { archived: true }],
  unarchive: ['archive', { archived: false }],
  delete: ['delete', { deleted: true }],
  restore: ['delete', { deleted: false }],
} as const
type Deed = keyof typeof deeds
/** The actions in the list. A deletion offers its way back beside it. */
export type Choice = Exclude<Deed, 'restore'>

/** The conversations that succeeded, those that failed, and the stage's words for the first failure. */
export type Ending = { done: string[]; left: string[]; reason: string }

/**
 * Does the same to several conversations, with a request for each. One that is refused does not keep the others; without
 * connection or session no further one is asked for.
 */
export async function several(store: ChatStore, ids: readonly string[], deed: Deed): Promise<Ending> {
  const [verb, body] = deeds[deed]
  const waiting = [...ids]
  const done = new Set<string>()
  let reason = ''
  const one = async (id: string) => {
    try {
      const path = `/conversations/${verb}`
      const answer = await store.api.post<ConversationAnswer>(path, { conversationId: id, ...body })
      done.add(id)
      publish(store, answer.conversation)
      if (deed !== 'delete') return
      store.active.drop(id)
      store.listing.drop(id)
    } catch (error) {
      store.caught(error)
      if (!(error instanceof ApiError)) return
      reason ||= error.message
      if (error.concernsAll) waiting.length = 0
    }
  }
  const work = async () => {
    for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) await one(id)
  }
  await Promise.all(Array.from({ length: mostAtOnce }, work))
  await store.refreshLists()
  return { done: ids.filter((id) => done.has(id)), left: ids.filter((id) => !done.has(id)), reason }
}
