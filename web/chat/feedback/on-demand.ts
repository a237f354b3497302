import { lazy } from '../lazy.ts'
import type { View } from '../view/view.ts'

/** The dialog in which a user says what they think of an answer, loaded when it opens. */
export const feedback = lazy<View, [string]>(async () => (await import('./feedback.ts')).feedback)
