import { type English, filled, inLanguage } from '../base/language.ts'
import type { Done, Put } from './cms.ts'

const sentence: English = { en: '{cms} also removes: {elements}.' }

/**
 * A sentence about HTML elements in the texts of a put that the CMS would not store because the user may not use
 * them. Somebody with more rights put them in, and a small edit of the text loses them. Empty if nothing is lost.
 */
export function removedBy(cms: string, { fields = {} }: Put, { after }: Done, lang: string): string[] {
  const lost = Object.entries(fields).flatMap(([name, wanted]) => {
    const stored = elementsIn(after.record?.fields[name])
    return [...elementsIn(wanted)].filter(([element, count]) => count > (stored.get(element) ?? 0))
  })
  const elements = [...new Set(lost.map(([element]) => `<${element}>`))].join(', ')
  return after.record && elements ? [filled(inLanguage(sentence, lang), lang, { cms, elements })] : []
}

/** How often each HTML element begins in a text. */
function elementsIn(text: unknown): ReadonlyMap<string, number> {
  const found = new Map<string, number>()
  if (typeof text !== 'string') return found
  for (const [, name = ''] of text.matchAll(/<([a-z][a-z0-9-]*)(?=[\s>/])/gi))
    found.set(name.toLowerCase(), (found.get(name.toLowerCase()) ?? 0) + 1)
  return found
}
