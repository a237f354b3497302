import type { Status } from './schema.ts'

/** The allowed moves between states; any other move is a bug. */
const moves: Record<Status, readonly Status[]> = {
  idle: ['processing'],
  processing: ['locked', 'idle', 'failed'],
  locked: ['idle', 'failed', 'awaiting_approval', 'processing'],
  tool_loop: ['failed', 'idle'],
  failed: ['processing', 'idle'],
  awaiting_approval: ['processing', 'idle'],
}

/** Throws if a conversation may not move from one state to the other. */
export function checkMove(from: Status, to: Status): void {
  if (from !== to && !moves[from].includes(to))
    throw new Error(`No conversation moves from ${from} to ${to}.`)
}

/**
 * True if a consumer has the conversation or is about to claim it: then nothing else may start. Only old releases
 * stored `tool_loop`.
 */
export function isBusy(status: Status): boolean {
  return status === 'processing' || status === 'locked' || status === 'tool_loop'
}
