import type { Message } from '../../../core/conversation/transcript/schema.ts'
import { lazy } from '../lazy.ts'
import type { TurnRow } from '../store/turns.ts'
import type { View } from '../view/view.ts'

/** Sources and copy under an answer, loaded with the reader of answers. */
export const after = lazy<View, [TurnRow, boolean]>(async () => (await import('./after.ts')).after)

/** The end of a failed turn, loaded when there is one. */
export const failed = lazy<View, [TurnRow | null]>(async () => (await import('./failed.ts')).failed)

/** The file of a message that was sent, loaded with the first of them. */
export const sentFile = lazy<View, [Message]>(async () => (await import('./file.ts')).sentFile)

/** Which version of an own message is shown, loaded with the first that has more than one. */
export const versions = lazy<View, [Message]>(async () => (await import('./versions.ts')).versions)
