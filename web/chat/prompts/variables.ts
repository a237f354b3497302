/** A prompt that can be put into a message. */
export type Prompt = { title: string; text: string }

const variable = /\{([\p{L}\p{N}][\p{L}\p{N} _-]{0,39})\}/gu

/** The variables of a text, each once, in their order: `{topic}` is the variable `topic`. */
export const variablesOf = (text: string): string[] => [
  ...new Set([...text.matchAll(variable)].map(([, name]) => name ?? '')),
]

/** The text with a value in the place of each variable; one without a value stays as it is. */
export const filled = (text: string, values: ReadonlyMap<string, string>): string =>
  text.replace(variable, (whole, name: string) => values.get(name) || whole)
