import type { PendingApproval } from '../../../core/conversation/schema.ts'
import type { Message, ToolCall } from '../../../core/conversation/transcript/schema.ts'
import { lazy } from '../lazy.ts'
import type { Outcome } from '../store/outcome.ts'
import type { TurnRow } from '../store/turns.ts'
import type { View } from '../view/view.ts'

/** The outcome of a proposal, loaded with the first one. */
export const outcome = lazy<View, [Outcome]>(async () => (await import('./outcome.ts')).outcome)

/** The card of a proposal, loaded when one waits, and with it the row that takes its place and the focus. */
export const approval = lazy<View, [PendingApproval]>(async () => {
  const [card] = await Promise.all([import('./approval.ts'), outcome.load()])
  return card.approval
})

/** A question with its answer, loaded with the first. */
export const asked = lazy<View, [TurnRow, Message, ToolCall]>(
  async () => (await import('./question.ts')).asked,
)

/** The card of a question, loaded when one waits, and with it the row that takes its place. */
export const question = lazy<View, [PendingApproval]>(async () => {
  const [card] = await Promise.all([import('./question.ts'), asked.load()])
  return card.question
})
