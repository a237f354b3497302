import type { Conversation } from '../conversation/item.ts'
import * as Log from '../log.ts'

/**
 * Acts on one conversation after the other and counts those where something was done. One that cannot be served is
 * logged and left for the next run, so that it keeps nobody else waiting.
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
