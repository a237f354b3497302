import type { Status } from './schema.ts'

/** Which state may follow which; a move that is not here is a bug, wherever it is tried. */
const moves: Record<Status, readonly Status[]> = {
  idle: ['processing'],
  processing: ['locked', 'idle', 'failed'],
  locked: ['idle', 'failed', 'awaiting_approval', 'processing'],
  tool_loop: ['failed', 'idle'],
  failed: ['processing', 'idle'],
  awaiting_approval: ['processing', 'idle'],
}

/** Throws where a conversation may not move from one state to the other. */
export function checkMove(from: Status, to: Status): void {
  if (from !== to && !moves[from].includes(to))
    throw new Error(`No conversation moves from ${from} to ${to}.`)
}

/** A consumer has the conversation, or is about to: nothing else may start. `tool_loop` is a state of old releases. */
export function isBusy(status: Status): boolean {
  return status === 'processing' || status === 'locked' || status === 'tool_loop'
}
