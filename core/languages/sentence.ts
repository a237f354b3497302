/** A sentence; where `{count}` decides its form, the sentence for one and the sentence for any other number. */
export type Sentence = string | { one: string; other: string }

/** The sentences of core in one language, by the English sentence in the code; `{name}` is replaced. */
export type Catalogue = Readonly<Record<string, string>>
