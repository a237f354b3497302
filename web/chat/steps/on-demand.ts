import { later } from '../lazy.ts'
import type { Step } from '../store/steps.ts'
import type { TurnRow } from '../store/turns.ts'
import type { View } from '../view/view.ts'

/** The steps of a turn, loaded when one runs, failed or is looked into. */
export const timeline = later<View, [TurnRow, readonly Step[], boolean]>(
  async () => (await import('./timeline.ts')).timeline,
)
