import type { Conversation } from '../conversation/item.ts'

/** Acts on one conversation after the other and counts those where something was done. */
export async function count(
  all: Conversation[],
  act: (it: Conversation) => Promise<boolean>,
): Promise<number> {
  let done = 0
  for (const it of all) if (await act(it)) done++
  return done
}
