import { lazy } from '../lazy.ts'
import type { View } from '../view/view.ts'

/** The reasons why an answer did not help, loaded when they unfold. */
export const reasons = lazy<View, [string, string]>(async () => (await import('./feedback.ts')).reasons)
