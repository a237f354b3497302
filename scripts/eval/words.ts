/** Checks of a text that need no understanding: the numbers in it, and its language. */

/** The separators of digits: comma, point, apostrophe, and the non-breaking spaces. */
const separator = /[.,'’\u00a0\u202f]/
/** A number with separators between its digits: 1490, 1,490, 1.490, 6.90, 6,90. */
const number = new RegExp(`\\d+(?:${separator.source}\\d+)*`, 'g')

/**
 * Every number that a text names. What separates its digits may stand for thousands, decimals or the items of a list, so
 * that each of these readings counts.
 */
export function figuresOf(text: string): Set<number> {
  return new Set([...text.matchAll(number)].flatMap(([written]) => readings(written)))
}

function readings(written: string): number[] {
  const parts = written.split(separator)
  const last = parts.at(-1) ?? ''
  const whole = Number(parts.join(''))
  if (parts.length === 1) return [whole]
  const decimal = Number(`${parts.slice(0, -1).join('')}.${last}`)
  return [whole, decimal, ...parts.map(Number)]
}

const marks = {
  en: /\b(the|and|is|are|was|of|to|you|it|with|for|not|this|that|on|in|has|have|which|costs)\b/gi,
  de: /\b(der|die|das|und|ist|sind|nicht|ein|eine|einen|mit|für|auf|von|zu|im|ich|sie|den|dem|es|kostet|wurde|hat)\b/gi,
}

/** Guesses the language of a text by its function words; undefined if it has too few of them. */
export function languageOf(text: string): 'en' | 'de' | undefined {
  // Quotations and code may be in the other language.
  const own = text.replace(/```[\s\S]*?```|`[^`]*`|„[^“]*“|“[^”]*”|"[^"]*"|^>.*$/gm, ' ')
  const en = own.match(marks.en)?.length ?? 0
  const de = own.match(marks.de)?.length ?? 0
  if (Math.max(en, de) < 2 || en === de) return undefined
  return en > de ? 'en' : 'de'
}
