import { lazy, loadAhead } from '../lazy.ts'

/** The dialog of the assistant's abilities. The dialogs here are loaded ahead, so that they open without a connection. */
export const abilities = loadAhead(lazy(async () => (await import('./dialog.ts')).abilities))

/** The dialog of instructions. */
export const instructions = loadAhead(lazy(async () => (await import('./instructions.ts')).instructions))

/** The dialog of keyboard shortcuts. */
export const keys = loadAhead(lazy(async () => (await import('./dialog.ts')).keys))

/** The dialog that shows one picture. */
export const picture = loadAhead(lazy(async () => (await import('./dialog.ts')).picture))
