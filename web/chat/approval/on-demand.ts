import type { PendingApproval } from '../../../core/conversation/schema.ts'
import { lazy } from '../lazy.ts'
import type { Outcome } from '../store/outcome.ts'
import type { View } from '../view/view.ts'

/** What became of a proposal, loaded when there is one. */
export const outcome = lazy<View, [Outcome]>(async () => (await import('./outcome.ts')).outcome)

/** The card of a proposal, loaded when one waits, and with it the row that takes its place and the focus. */
export const approval = lazy<View, [PendingApproval]>(async () => {
  const [card] = await Promise.all([import('./approval.ts'), outcome.load()])
  return card.approval
})
