import type { Conversation } from '../conversation/item.ts'
import * as Log from '../log.ts'

/**
 * Acts on one conversation after the other and counts those that it changed. Logs a conversation that fails and goes
 * on; the next run tries it again.
 */
export async function count(
  all: Conversation[],
  act: (it: Conversation) => Promise<boolean>,
): Promise<number> {
  let done = 0
  for (const it of all) {
    try {
      if (await act(it)) done++
    } catch (error) {
      Log.error('Cleanup could not serve a conversation', error, { conversationId: it.id })
    }
  }
  return done
}
