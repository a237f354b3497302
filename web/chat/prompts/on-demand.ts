import { lazy } from '../lazy.ts'
import type { View } from '../view/view.ts'

/** The dialog that asks for the variables of a prompt, loaded when it opens. */
export const variables = lazy<View, []>(async () => (await import('./fill-in.ts')).variables)

/** The dialog of the prompts that the user keeps, loaded when it opens. */
export const ownPrompts = lazy<View, []>(async () => (await import('./own.ts')).ownPrompts)
