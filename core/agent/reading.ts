import type { ToolCall } from '../conversation/transcript/schema.ts'
import type { ToolContext } from '../tool/tool.ts'
import type { Journal } from './journal.ts'

/** Milliseconds until a call that reads much ends: every step has at least five minutes of the consumer's time. */
const longestMs = 240_000

/** The context of a call that reads: it may report its progress, and it sees when its time is over. */
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
