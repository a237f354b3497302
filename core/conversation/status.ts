import type { Status } from './schema.ts'

/** Which state may follow which; a move that is not here is a bug, wherever it is tried. */
const moves: Record<Status, readonly Status[]> = {
  idle: ['processing'],
  processing: ['locked', 'idle', 'failed', 'processing'],
  locked: ['idle', 'failed', 'awaiting_approval', 'processing'],
  tool_loop: ['failed', 'idle'],
  failed: ['processing'],
  awaiting_approval: ['processing', 'idle'],
}

/** Whether a conversation may move from one state to the other. */
export function mayFollow(from: Status, to: Status): boolean {
  return moves[from].includes(to)
}

/** A consumer has the conversation, or is about to: nothing else may start. `tool_loop` is a state of old releases. */
export function isBusy(status: Status): boolean {
  return status === 'processing' || status === 'locked' || status === 'tool_loop'
}
