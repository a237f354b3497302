import type backend from './en/backend.json'
import type chat from './en/chat.json'

/** A sentence; if `{count}` decides its form, one sentence for 1 and one for any other number. */
export type Sentence = string | { one: string; other: string }

/** The sentences of core in one language, by the English sentence in the code; callers fill in each `{name}`. */
export type Catalogue = Readonly<Record<string, string>>

/** The name of a sentence of the chat. */
export type Key = keyof typeof chat
/** The sentences of the chat in one language. */
export type Labels = Record<Key, Sentence>

/** The name of a label of the backend. */
export type Label = keyof typeof backend
