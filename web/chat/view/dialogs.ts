import { lazy, loadAhead } from '../lazy.ts'

/** The dialog of what the assistant may do, loaded ahead as the others here: each opens without a connection. */
export const abilities = loadAhead(lazy(async () => (await import('./dialog.ts')).abilities))

/** The dialog of instructions. */
export const instructions = loadAhead(lazy(async () => (await import('./instructions.ts')).instructions))

/** The dialog of the keyboard. */
export const keys = loadAhead(lazy(async () => (await import('./dialog.ts')).keys))

/** The dialog of one picture. */
export const picture = loadAhead(lazy(async () => (await import('./dialog.ts')).picture))
