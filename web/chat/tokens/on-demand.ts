import { lazy } from '../lazy.ts'
import type { View } from '../view/view.ts'

/** The dialog of access tokens, loaded when it opens. */
export const tokens = lazy<View, []>(async () => (await import('./tokens.ts')).tokens)
