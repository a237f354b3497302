import { lazy } from '../lazy.ts'
import type { View } from './view.ts'

/** The dialogs, loaded when one opens. */
export const dialog = lazy<View, []>(async () => (await import('./dialog.ts')).dialog)
