import type { Question } from '../../core/conversation/schema.ts'
import type { Pending } from '../../core/conversation/transcript/pending.ts'
import type { Decision, Task } from './task.ts'

/** The answer of a user to a question of the tool for it: the choice that has the words, or the words themselves. */
export function choiceOf(
  { choices, freeText }: Question,
  words: string | undefined,
): { choices: number[]; text: string } {
  // A question that no one expected is skipped.
  if (words === undefined) return { choices: [], text: '' }
  const low = words.toLowerCase()
  const at = choices.findIndex(
    (choice) => choice.toLowerCase().includes(low) || low.includes(choice.toLowerCase()),
  )
  if (at !== -1) return { choices: [at], text: '' }
  return { choices: [], text: freeText ? words : '' }
}

/** The decision of a task's user on a proposal, counted from 0; the last one holds for all further ones. */
export const decisionOn = ({ decides }: Pick<Task, 'decides'>, nth: number): Decision | undefined =>
  decides[Math.min(nth, decides.length - 1)]

/** The verdict of a user on a proposal, with the calls that a decision leaves out. */
export function verdictOn({ calls }: Pending, decision: Decision) {
  if (typeof decision === 'string') return { approve: decision === 'approve', reason: '', denied: [] }
  const denied = calls.filter(
    ({ preview }) => preview && decision.denies.includes(`${preview.table}:${preview.uid}`),
  )
  const approve = denied.length < calls.length
  return { approve, reason: decision.reason, denied: approve ? denied.map(({ id }) => id) : [] }
}
