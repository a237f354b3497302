/** Reads the numbers of a text, as digits and as words of three languages. */

/** The separators within a number: comma, point, apostrophe, and spaces. */
const separator = /[.,'’ \u00a0\u202f]/
/** Matches a number with separators between its digits: 1490, 1,490, 1.490, 1 490, 6.90, 6,90. */
export const number = /\d{1,3}(?: \d{3})+(?!\d)|\d+(?:[.,'’\u00a0\u202f]\d+)*/g

/** Returns the numbers of a text that are written in digits. */
export const writtenIn = (text: string): string[] => text.match(number) ?? []

/**
 * Returns every number that a text may name. A separator can mean thousands, decimals or the items of a list, so each
 * of these readings counts.
 */
export const figuresOf = (text: string): Set<number> => digitsOf(inDigits(text))

/** Returns every number that a text may name in digits. Takes far less time than `figuresOf`. */
export const digitsOf = (text: string): Set<number> => new Set(writtenIn(text).flatMap(readings))

/** Returns all numbers that a written number may mean. */
export function readings(written: string): number[] {
  const { values, parts } = partsOf(written)
  return [...values, ...parts]
}

/** Returns the possible values of a whole written number, and the numbers between its separators. */
export function partsOf(written: string): { values: number[]; parts: number[] } {
  const parts = written.split(separator)
  const whole = Number(parts.join(''))
  if (parts.length === 1) return { values: [whole], parts: [whole] }
  const decimal = Number(`${parts.slice(0, -1).join('')}.${parts.at(-1)}`)
  return { values: [whole, decimal], parts: parts.map(Number) }
}

/** References to records, as answers write them: `[31]`, `[pages:31]`, `uid 31`, `#31`. They are not figures. */
const idInText = /\[[a-z_]*[ :]?\d+\](?:\([^)]*\))?|\b(?:uid|id)[ :]*\d+|#\d+/gi

/** Returns the text without references to records. */
export const withoutReferences = (text: string): string => text.replace(idInText, ' ')

/** The number words of a language: 0 to 19, the tens from 20 on, and the form of a ten with a unit. */
type Counting = { small: string; tens: string; join: (ten: string, unit: string) => string }

const english: Counting = {
  small:
    'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen',
  tens: 'twenty thirty forty fifty sixty seventy eighty ninety',
  join: (ten, unit) => `${ten}-${unit}`,
}
const german: Counting = {
  small:
    'null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn',
  tens: 'zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig',
  join: (ten, unit) => `${unit === 'eins' ? 'ein' : unit}und${ten}`,
}
/** The list does not contain `un`, because this word is also an article. */
const french: Counting = {
  small:
    'zéro - deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dix-sept dix-huit dix-neuf',
  tens: 'vingt trente quarante cinquante soixante',
  join: (ten, unit) => (unit === '-' ? `${ten} et un` : `${ten}-${unit}`),
}
const larger: [string, number][] = [
  ['soixante-dix', 70],
  ['quatre-vingts', 80],
  ['quatre-vingt-dix', 90],
]

/** Returns the words of the numbers up to 99, without words that are also articles. */
function wordsOfNumbers(): Map<string, number> {
  const all = [english, german, french].flatMap(({ small, tens, join }) => {
    const words = small.split(' ')
    const large = tens.split(' ').flatMap((ten, at): [string, number][] => {
      const base = (at + 2) * 10
      const joined = words
        .slice(1, 10)
        .map((unit, one): [string, number] => [join(ten, unit), base + one + 1])
      return [[ten, base], ...joined]
    })
    return [...words.map((word, value): [string, number] => [word, value]), ...large]
  })
  return new Map([...all, ...larger].filter(([word]) => word !== '-'))
}

let knownFigures: { words: Map<string, number>; pattern: RegExp } | undefined

/** Returns the text with number words replaced by digits: `two to three weeks` becomes `2 to 3 weeks`. */
export function inDigits(text: string): string {
  if (!knownFigures) {
    const words = wordsOfNumbers()
    const longest = [...words.keys()].sort((one, other) => other.length - one.length)
    const pattern = new RegExp(`(?<![\\p{L}-])(?:${longest.join('|')})(?![\\p{L}-])`, 'giu')
    knownFigures = { words, pattern }
  }
  const { words, pattern } = knownFigures
  return text.replace(pattern, (word) => String(words.get(word.toLowerCase()) ?? word))
}

/** A date; `year` is absent if the text names none. */
export type Day = { written: string; year?: number; month: number; day: number }

const months = [
  'january januar janvier jan janv',
  'february februar février feb febr févr',
  'march märz mars mar mär',
  'april avril apr avr',
  'may mai',
  'june juni juin jun',
  'july juli juillet jul juil',
  'august août aug',
  'september septembre sep sept',
  'october oktober octobre oct okt',
  'november novembre nov',
  'december dezember décembre dec dez déc',
]
const numbers = new Map(
  months.flatMap((names, at) => names.split(' ').map((name): [string, number] => [name, at + 1])),
)
const names = [...numbers.keys()].sort((one, other) => other.length - one.length).join('|')
const year = String.raw`(?:,?\s{1,3}(\d{4})(?!\d))?`

const forms: [RegExp, (found: string[]) => Omit<Day, 'written'>[]][] = [
  [/(?<!\d)(\d{4})-(\d\d)-(\d\d)(?!\d)/g, ([y, m, d]) => [dayOf(y, m, d)]],
  [
    /(?<![\d.])(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4}|\d\d)(?!\d)/g,
    ([d, m, y = '']) => [dayOf(y.length === 2 ? `20${y}` : y, m, d)],
  ],
  [/(?<![\d/])(\d{1,2})\/(\d{1,2})\/(\d{4})(?!\d)/g, ([a, b, y]) => [dayOf(y, a, b), dayOf(y, b, a)]],
  [
    new RegExp(
      String.raw`(?<![\d.,])(\d{1,2})(?:st|nd|rd|th|er|\.)?\s{1,3}(?:of\s|de\s)?(${names})(?![\p{L}])\.?${year}`,
      'giu',
    ),
    ([d, m, y]) => [dayOf(y, m, d)],
  ],
  [
    new RegExp(
      String.raw`(?<![\p{L}])(${names})\.?\s{1,3}(\d{1,2})(?:(?:st|nd|rd|th)(?![\p{L}])|(?=,\s{1,3}\d{4})|(?=[).;:]|\s*$))${year}`,
      'gimu',
    ),
    ([m, d, y]) => [dayOf(y, m, d)],
  ],
]

function dayOf(year: string | undefined, month = '', day = ''): Omit<Day, 'written'> {
  return {
    ...(year && { year: Number(year) }),
    month: numbers.get(month.toLowerCase()) ?? Number(month),
    day: Number(day),
  }
}

/** Returns the dates of a text, each with all its possible readings, and the text with blanks in their place. */
export function daysOf(text: string): { days: Day[][]; rest: string } {
  const days: Day[][] = []
  let rest = text
  for (const [pattern, read] of forms)
    rest = rest.replace(pattern, (...found) => {
      const end = found.findIndex((one) => typeof one === 'number')
      const [written = '', ...groups] = found.slice(0, end)
      const all = read(groups).filter(({ month, day }) => month >= 1 && month <= 12 && day >= 1 && day <= 31)
      if (all.length === 0) return written
      days.push(all.map((day) => ({ written, ...day })))
      return ' '.repeat(written.length)
    })
  return { days, rest }
}
