import { lazy } from '../lazy.ts'
import type { Step } from '../store/steps.ts'
import type { TurnRow } from '../store/turns.ts'
import type { View } from '../view/view.ts'

/** The steps of a turn, loaded when one runs, failed or is looked into. */
export const timeline = lazy<View, [TurnRow, readonly Step[], boolean]>(
  async () => (await import('./timeline.ts')).timeline,
)
