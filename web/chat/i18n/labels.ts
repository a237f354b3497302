import type { en } from './en.ts'

/** A sentence, or one per plural form of `{count}`. */
export type Entry = string | { one: string; other: string }
/** Every sentence has a name; English has them all. */
export type Key = keyof typeof en
/** The sentences of one language. */
export type Labels = Record<Key, Entry>
