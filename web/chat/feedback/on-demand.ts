import { lazy } from '../lazy.ts'
import type { View } from '../view/view.ts'

/** The dialog for a user's feedback on an answer, loaded when it opens. */
export const feedback = lazy<View, [string]>(async () => (await import('./feedback.ts')).feedback)
