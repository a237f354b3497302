import { later } from '../lazy.ts'
import type { View } from '../view/view.ts'

/** The files of the message being written, loaded with the first of them. */
export const attachments = later<View, []>(async () => (await import('./attachments.ts')).attachments)
