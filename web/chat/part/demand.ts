import type { PendingApproval } from '../../../core/conversation/schema.ts'
import { later } from '../later.ts'
import { fetchReader, whenIdle } from '../prose.ts'
import type { Outcome } from '../store/outcome.ts'
import type { Step } from '../store/steps.ts'
import type { TurnRow } from '../store/turns.ts'
import type { View } from '../view.ts'

/** The parts that many conversations never show: fetched when one does, or when the browser has time. */

/** The steps of a turn, loaded when one runs, failed or is looked into. */
export const timeline = later<View, [TurnRow, readonly Step[], boolean]>(
  async () => (await import('./timeline.ts')).timeline,
)

/** What became of a proposal, loaded when there is one. */
export const outcome = later<View, [TurnRow, Outcome]>(async () => (await import('./outcome.ts')).outcome)

/** The card of a proposal, loaded when one waits, and with it the row that takes its place and the focus. */
export const approval = later<View, [PendingApproval]>(async () => {
  const [card] = await Promise.all([import('./approval.ts'), outcome.load()])
  return card.approval
})

/** The end of a failed turn, loaded when there is one. */
export const failed = later<View, [TurnRow | null]>(async () => (await import('./failed.ts')).failed)

/** The files of the message being written, loaded with the first of them. */
export const attachments = later<View, []>(async () => (await import('./attachments.ts')).attachments)

/** The dialogs, loaded when one opens. */
export const dialog = later<View, []>(async () => (await import('./dialog.ts')).dialog)

/** So long the page around has for its own start. */
const aheadMs = 2_000

/** Fetches soon what has not been needed yet, so that a lost connection finds it here. */
export function fetchAhead(): void {
  const parts = [timeline, approval, outcome, failed, attachments, dialog]
  const load = () => Promise.all([fetchReader(), ...parts.map((part) => part.load())])
  setTimeout(() => whenIdle(() => void load()), aheadMs)
}
