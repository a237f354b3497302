import { expect, test } from 'vitest'
import { checkMove, isBusy, Status } from '../../../core/conversation/schema.ts'

/** Contract section 4: which state may follow which; and a failed turn is left for another version. */
const allowed: Record<Status, Status[]> = {
  idle: ['processing'],
  processing: ['locked', 'idle', 'failed'],
  locked: ['idle', 'failed', 'awaiting_approval', 'processing'],
  tool_loop: ['failed', 'idle'],
  failed: ['processing', 'idle'],
  awaiting_approval: ['processing', 'idle'],
}

test.each(Status.options.flatMap((from) => Status.options.map((to) => [from, to] as const)))(
  'from %s to %s',
  (from, to) => {
    const move = () => checkMove(from, to)

    if (from === to || allowed[from].includes(to)) expect(move).not.toThrow()
    else expect(move).toThrow(`from ${from} to ${to}`)
  },
)

test('a consumer has it, or is about to: processing, locked, and what old releases left', () => {
  expect(Status.options.filter(isBusy)).toEqual(['processing', 'locked', 'tool_loop'])
})
