import type { PendingApproval } from '../../../core/conversation/schema.ts'
import { later } from '../later.ts'
import type { Outcome } from '../store/outcome.ts'
import type { TurnRow } from '../store/turns.ts'
import type { View } from '../view.ts'

/** The parts that many conversations never show: fetched when one does, or when the browser has time. */

/** The card of a proposal, loaded when one waits. */
export const approval = later<View, [PendingApproval]>(async () => (await import('./approval.ts')).approval)

/** What became of a proposal, loaded when there is one. */
export const outcome = later<View, [TurnRow, Outcome]>(async () => (await import('./outcome.ts')).outcome)

/** The end of a failed turn, loaded when there is one. */
export const failed = later<View, [TurnRow | null]>(async () => (await import('./failed.ts')).failed)

/** The dialogs, loaded when one opens. */
export const dialog = later<View, []>(async () => (await import('./dialog.ts')).dialog)

/** Fetches them all, so that a lost connection finds them here. */
export async function fetchAhead(): Promise<void> {
  await Promise.all([approval.load(), outcome.load(), failed.load(), dialog.load()])
}
