import type { Sentence } from '../sentence.ts'

/**
 * Words with the spaces of French typography: a narrow no-break space before `; : ! ?` and inside quotation marks, where
 * the words have a plain one. No line breaks there, and no translator types what cannot be seen.
 */
export function spaced<T extends Record<string, Sentence>>(words: T): T {
  return Object.fromEntries(Object.entries(words).map(([name, one]) => [name, inSentence(one)])) as T
}

function inSentence(one: Sentence): Sentence {
  if (typeof one === 'string') return one.replace(/ (?=[;:!?»])|(?<=«) /g, '\u202f')
  return { one: inSentence(one.one) as string, other: inSentence(one.other) as string }
}
