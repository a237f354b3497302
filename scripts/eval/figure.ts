/** Reads the numbers of a text, in digits and in words of three languages, and the owner of each. */

/** The separators of digits: comma, point, apostrophe, and spaces. */
const separator = /[.,'’ \u00a0\u202f]/
/** A number with separators between its digits: 1490, 1,490, 1.490, 1 490, 6.90, 6,90. */
const number = /\d{1,3}(?: \d{3})+(?!\d)|\d+(?:[.,'’\u00a0\u202f]\d+)*/g

/** The numbers of a text as they are written in digits. */
export const writtenIn = (text: string): string[] => text.match(number) ?? []

/**
 * Every number that a text names. What separates its digits may stand for thousands, decimals or the items of a list, so
 * that each of these readings counts.
 */
export function figuresOf(text: string): Set<number> {
  return new Set([...inDigits(text).matchAll(number)].flatMap(([written]) => readings(written)))
}

function readings(written: string): number[] {
  const { values, parts } = partsOf(written)
  return [...values, ...parts]
}

/** The values that a written number may have as a whole, and the numbers between its separators. */
export function partsOf(written: string): { values: number[]; parts: number[] } {
  const parts = written.split(separator)
  const whole = Number(parts.join(''))
  if (parts.length === 1) return { values: [whole], parts: [whole] }
  const decimal = Number(`${parts.slice(0, -1).join('')}.${parts.at(-1)}`)
  return { values: [whole, decimal], parts: parts.map(Number) }
}

/** References to records, as answers write them: `[31]`, `[pages:31]`, `uid 31`, `#31`. They are no figures. */
const reference = /\[[a-z_]*[ :]?\d+\](?:\([^)]*\))?|\b(?:uid|id)[ :]*\d+|#\d+/gi

/** The text without references to records. */
export const withoutReferences = (text: string): string => text.replace(reference, ' ')

const units = {
  en: 'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen',
  de: 'null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn',
  fr: 'zéro - deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dix-sept dix-huit dix-neuf',
}
const tens = {
  en: 'twenty thirty forty fifty sixty seventy eighty ninety',
  de: 'zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig',
  fr: 'vingt trente quarante cinquante soixante',
}

/** The words of the numbers up to 99; those that are articles as well are left out. */
function wordsOfNumbers(): Map<string, number> {
  const words = new Map<string, number>()
  for (const lang of ['en', 'de', 'fr'] as const) {
    const small = units[lang].split(' ')
    for (const [value, word] of small.entries()) words.set(word, value)
    for (const [at, ten] of tens[lang].split(' ').entries()) {
      const base = (at + 2) * 10
      words.set(ten, base)
      for (const [value, word] of small.slice(1, 10).entries()) {
        const one = value === 0 && lang === 'de' ? 'ein' : word
        if (lang === 'en') words.set(`${ten}-${one}`, base + value + 1)
        if (lang === 'de') words.set(`${one}und${ten}`, base + value + 1)
        if (lang === 'fr') words.set(value === 0 ? `${ten} et un` : `${ten}-${one}`, base + value + 1)
      }
    }
  }
  const others: [string, number][] = [
    ['soixante-dix', 70],
    ['quatre-vingts', 80],
    ['quatre-vingt-dix', 90],
  ]
  for (const [word, value] of others) words.set(word, value)
  words.delete('-')
  return words
}

let knownFigures: { words: Map<string, number>; pattern: RegExp } | undefined

/** The text with the numbers that it has as words in digits: `two to three weeks` as `2 to 3 weeks`. */
function inDigits(text: string): string {
  if (!knownFigures) {
    const words = wordsOfNumbers()
    const longest = [...words.keys()].sort((one, other) => other.length - one.length)
    knownFigures = {
      words,
      pattern: new RegExp(`(?<![\\p{L}-])(?:${longest.join('|')})(?![\\p{L}-])`, 'giu'),
    }
  }
  const { words, pattern } = knownFigures
  return text.replace(pattern, (word) => String(words.get(word.toLowerCase()) ?? word))
}

/** A figure and the names of what it is a figure of; each name may have alternatives between `|`. */
export type Owned = { is: number; of: string }

type Token = { owners: string[]; figure?: number }

/**
 * The figures that a text gives to another owner than theirs: `Vega` beside 169 and not 149. Only figures and owners that
 * `owned` names are looked at; a figure that the text gives to nobody is no fault.
 */
export function misplaced(text: string, owned: readonly Owned[]): Owned[] {
  const given = assigned(text, owned)
  return owned.filter(({ is, of }) => {
    const all = given.filter(({ figure, owners }) => figure === is && owners.length > 0)
    const rightful = owned.filter((one) => one.is === is).map((one) => one.of)
    const isNamed = all.some(({ owners }) => owners.includes(of))
    const isForeign = all.some(({ owners }) => !owners.some((owner) => rightful.includes(owner)))
    return (all.length > 0 && !isNamed) || isForeign
  })
}

/** Each figure of the text with those who may own it. */
function assigned(text: string, owned: readonly Owned[]): Required<Token>[] {
  const owners = [...new Set(owned.map(({ of }) => of))]
  const figures = new Set(owned.map(({ is }) => is))
  let last: string[] = []
  return segmentsOf(inDigits(text), owners).flatMap((segment) => {
    const tokens = tokensOf(segment, owners, figures)
    const pairs = paired(runsOf(tokens), last)
    last = tokens.findLast((token) => token.figure === undefined)?.owners ?? last
    return pairs
  })
}

/** Sentences, items and rows; the cells of a table are given the owners of their column. */
function segmentsOf(text: string, owners: readonly string[]): string[] {
  let heads: string[] = []
  return text.split('\n').flatMap((line) => {
    if (!/^\s*\|/.test(line)) {
      heads = []
      return line.split(/(?<=[.!?;])\s+/)
    }
    const cells = line
      .trim()
      .replace(/^\||\|$/g, '')
      .split('|')
    if (cells.every((cell) => /^[\s:-]*$/.test(cell))) return []
    if (heads.length === 0) {
      heads = cells
      return []
    }
    const isByColumn = heads.slice(1).some((head) => owners.some((owner) => has(head, owner)))
    return isByColumn
      ? cells.slice(1).map((cell, at) => `${heads[at + 1] ?? ''}: ${cell}`)
      : [cells.join(', ')]
  })
}

const has = (text: string, owner: string): boolean =>
  owner.split('|').some((name) => text.toLowerCase().includes(name.trim().toLowerCase()))

/** A figure that the text gives to what follows it: `319 EUR for the Lumen`. */
const forNext =
  /^[\d.,]*\s*(?:EUR|euros?|€|cm|%)?\s*\(?(?:for|of|für|pour|beim|du|de)\s(?:(?:the|a|die|den|das|la|le)\s|l['’])?$/i

function tokensOf(text: string, owners: readonly string[], figures: ReadonlySet<number>): Token[] {
  const plain = withoutReferences(text)
  const low = plain.toLowerCase()
  const named = owners.flatMap((owner) =>
    owner
      .split('|')
      .flatMap((name) =>
        placesOf(low, name.trim().toLowerCase()).map((at) => ({ at, token: { owners: [owner] } as Token })),
      ),
  )
  const numbers = [...plain.matchAll(number)].flatMap((match) => {
    const figure = readings(match[0]).find((value) => figures.has(value))
    if (figure === undefined) return []
    const next = named.find(({ at }) => at > match.index && forNext.test(plain.slice(match.index, at)))
    return [{ at: match.index, token: { owners: next?.token.owners ?? [], figure } }]
  })
  return [...named, ...numbers].sort((one, other) => one.at - other.at).map(({ token }) => token)
}

/** Where a text has a name. */
export function placesOf(text: string, name: string): number[] {
  const places: number[] = []
  for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + 1)) places.push(at)
  return places
}

/** Owners and figures as they follow each other: a run of the one, a run of the other. */
function runsOf(tokens: Token[]): Token[][] {
  const runs: Token[][] = []
  for (const token of tokens) {
    const run = runs.at(-1)
    const isSame = run && (run[0]?.figure === undefined) === (token.figure === undefined)
    const isAgain =
      isSame && token.figure === undefined && run.some((one) => one.owners[0] === token.owners[0])
    if (isAgain) continue
    if (isSame) run.push(token)
    else runs.push([token])
  }
  return runs
}

/** Gives each figure its owners: those before it, those behind it where figures come first, one by one where several meet several. */
function paired(runs: Token[][], last: string[]): Required<Token>[] {
  const isFigures = (run: Token[] | undefined) => run?.[0]?.figure !== undefined
  const startsWithFigures = isFigures(runs[0])
  const isInFront = startsWithFigures && !isFigures(runs.at(-1))
  return runs.flatMap((run, at) => {
    if (!isFigures(run)) return []
    const before = runs[at - 1]?.flatMap(({ owners }) => owners)
    const behind = runs[at + 1]?.flatMap(({ owners }) => owners)
    const near = isInFront ? behind : before
    const all = near ?? (last.length > 0 ? [...last, ...(isInFront ? (behind ?? []) : [])] : (behind ?? []))
    const isOneByOne = all.length > 1 && near !== undefined && run.length % all.length === 0
    return run.map(({ figure = 0, owners }, nth) => ({
      figure,
      owners:
        owners.length > 0
          ? owners
          : isOneByOne
            ? [all[nth % all.length] ?? '']
            : isInFront && last.length > 0 && at === 0
              ? [...all, ...last]
              : all,
    }))
  })
}
