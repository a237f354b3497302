import type { PendingApproval } from '../../../core/conversation/schema.ts'
import { decisionKey } from '../store/conversation.ts'
import type { View } from '../view/view.ts'

/**
 * Moves the focus to the row of a decision as soon as the user has made it, and back to the card if the stage refuses
 * it. `isTaken` is the answer of the store, which shows the decision at once.
 */
export async function focusOutcome(
  view: View,
  { runId, calls }: PendingApproval,
  isTaken: Promise<boolean>,
): Promise<void> {
  await Promise.resolve()
  await view.updateComplete
  view.find(`[data-outcome="${decisionKey(runId, calls[0]?.id ?? '')}"]`)?.focus()
  if (!(await isTaken)) view.find('.approval')?.focus()
}
