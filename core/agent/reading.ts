import type { ToolContext } from '../tool/tool.ts'
import type { ToolCall } from '../transcript/schema.ts'
import type { Journal } from './journal.ts'

/** A consumer leaves every step five minutes at the least; a call that reads much ends before, in milliseconds. */
const longestMs = 240_000

/** The context of a call that reads: it may tell how far it is, and it sees when its time is over. */
export function reading(
  context: ToolContext,
  call: ToolCall,
  journal: Pick<Journal, 'progress'>,
  now: () => number,
): ToolContext {
  return {
    ...context,
    progress: (n, total) => journal.progress(call, n, total),
    hasTime: () => now() - context.now < longestMs,
  }
}
