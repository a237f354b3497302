import { lazy } from '../lazy.ts'
import type { View } from '../view/view.ts'

/** The dialog of connections, loaded when it opens. */
export const connections = lazy<View, []>(async () => (await import('./connections.ts')).connections)
