import { dayMs } from '../base/clock.ts'
import {
  type Day,
  daysOf,
  digitsOf,
  figuresOf,
  number,
  partsOf,
  withoutReferences,
  writtenIn,
} from './figure.ts'

/**
 * Finds the prices, percentages, measures, large numbers and days of an answer that are in no text the model read. In
 * doubt, a figure is not reported. A figure is supported if it can be calculated from other figures of the answer or of
 * the user. Read figures of the same kind support it too.
 */

/** All text that the model got, and the part of it that the user wrote. */
export type Evidence = { read: string; user: string; now: number; hasResults: boolean }

type Kind = 'money' | 'percent' | 'time' | 'measure' | 'plain'
type Figure = { written: string; values: number[]; kind: Kind; isHedged: boolean }

/** Code, whose figures are not checked. */
export const code = /```[\s\S]*?(?:```|$)|`[^`\n]*`/g
/** A quotation in an answer. If the model read nothing, a quotation is only an example, such as a request to type. */
const quote = /[“„«"][^“”„«»"\n]{1,200}[”“»"]/g
const link = /\]\([^)\n]*\)|\bhttps?:\S+|\bwww\.\S+|\S+@\S+/g
/** Times of day, telephone numbers, list and section numbers, and names with a number, such as `ISO 8601`. */
const noFigure =
  /\d{1,2}:\d\d(?::\d\d)?|(?:\+\d|\b0\d{1,5}[ /-])[\d /()-]{5,20}|^[ \t]*(?:#{1,6} |[*_]{1,2})?\d{1,3}[.)](?=\s)|\b(?!EUR|USD|CHF|GBP)[A-Z]{2,}[ -]?\d[\d.]*/gm

/** The maximum number of figures of an answer that are checked, because each check takes time. */
const maxFigures = 60
/** The maximum number of dates of the read text that are compared with the dates of the answer. */
const mostDays = 1_000

/** Returns the figures and days without a source, as the answer writes them. */
export function findUnsupported(answer: string, known: Evidence): string[] {
  const said = known.hasResults ? answer : answer.replace(quote, ' ')
  const bare = withoutReferences(said.replace(code, ' ').replace(link, ' '))
  const { days, rest } = daysOf(bare)
  const figures = figuresIn(rest.replace(noFigure, ' ')).slice(0, maxFigures)
  if (days.length + figures.length === 0) return []
  const whole = known.read.replace(/&(?:nbsp|#160);/g, ' ')
  const hasDays = days.length > 0 || figures.some(({ kind }) => kind === 'time')
  const read = hasDays ? daysOf(whole) : { days: [], rest: whole }
  const named = read.days.flat().slice(0, mostDays)
  const support = supportOf(figures, rest, read.rest, known)
  const lone = figures
    .filter(({ kind }) => kind !== 'plain' || known.hasResults)
    .filter((figure) => !isSupported(figure, support, named, known.now))
    .map(({ written }) => written)
  const lost = days
    .slice(0, maxFigures)
    .filter((all) => !all.some((day) => isKnownDay(day, named, support, known)))
  return [...new Set([...lone, ...lost.flatMap(([day]) => day?.written ?? [])])]
}

const sign = String.raw`(?:€|\$|£|EUR|USD|CHF|GBP|Fr\.)`
const moneyBefore = new RegExp(`${sign}\\s?$`)
const moneyAfter = new RegExp(
  `^(?:[.,][-–—]+)?\\s?(?:${sign}|(?:euros?|dollars?|pounds?|francs?|Franken)\\b)`,
  'i',
)
const percent = /^\s?(?:%|percent|per cent|prozent|pour ?cent)/i
const time =
  /^[\s-]?(?:seconds?|minutes?|hours?|days?|weeks?|months?|years?|Sekunden?|Minuten?|Stunden?|Tagen?|Tage?|Wochen?|Monat(?:en?)?|Jahr(?:en?)?|secondes?|heures?|jours?|semaines?|mois|ans?|années?|h|min)(?![\p{L}])/iu
const measure =
  /^[\s-]?(?:mm|cm|m|km|m²|m2|kg|g|t|W|kW|watts?|lm|lumens?|K|l|litres?|liters?|Liter|met(?:er|re)s?|Meter|mètres?|grams?|Gramm|grammes?)(?![\p{L}])/u
/** Units of counts and advice, which need no source. */
const counted =
  /^[\s-]?(?:characters?|letters?|words?|signs?|pixels?|px|Zeichen|Buchstaben|Wörtern?|Pixel|caractères?|lettres?|mots?|signes?)(?![\p{L}])/iu
const hedge =
  /(?:about|around|roughly|approximately|nearly|almost|over|under|circa|ca\.|etwa|rund|ungefähr|fast|knapp|gut|über|unter|environ|près de|presque|plus de|moins de|more than|less than|mehr als|weniger als|~|≈)\s*\S{0,3}$/i

function figuresIn(text: string): Figure[] {
  return [...text.matchAll(number)].flatMap(({ 0: written, index }) => {
    const before = text.slice(Math.max(0, index - 24), index)
    const after = text.slice(index + written.length, index + written.length + 24)
    const kind = kindOf(written, before, after)
    return kind && isWhole(written, before, after, kind)
      ? [{ written, values: valuesOf(written, after), kind, isHedged: hedge.test(before) }]
      : []
  })
}

const inThousands = /^\d{1,3}(?:[.,'’ \u00a0\u202f]\d{3})+$/

/** False for a part of a name, a version or a telephone number. */
function isWhole(written: string, before: string, after: string, kind: Kind): boolean {
  if (/[\p{L}_/#@+]$|[\p{L}_]-$|§\s?$/u.test(before) && !moneyBefore.test(before)) return false
  if (kind === 'plain' && /^(?:[\p{L}_]|[-/]\p{L}|\/\d)/u.test(after)) return false
  if (/^0\d/.test(written)) return false
  const marks = written.match(/[.,'’]/g) ?? []
  return marks.length < 2 || new Set(marks).size === 2 || inThousands.test(written)
}

function kindOf(written: string, before: string, after: string): Kind | undefined {
  const [whole = 0, least = whole] = partsOf(written).values
  if (whole === 0) return undefined
  if (moneyBefore.test(before) || moneyAfter.test(after)) return 'money'
  if (percent.test(after)) return least === 100 ? undefined : 'percent'
  if (time.test(after)) return least > 3 ? 'time' : undefined
  if (measure.test(after)) return 'measure'
  return whole >= 100 && !counted.test(after) && (whole === least || inThousands.test(written))
    ? 'plain'
    : undefined
}

const scales: [RegExp, number][] = [
  [/^\s?(?:billion|mrd\b|milliard)/i, 1e9],
  [/^\s?(?:million|mio\b)/i, 1e6],
  [/^\s?(?:thousand|tausend|mille\b)/i, 1e3],
]

function valuesOf(written: string, after: string): number[] {
  const { values } = partsOf(written)
  const factor = scales.find(([pattern]) => pattern.test(after))?.[1] ?? 1
  return factor === 1 ? values : [...values, ...values.map((value) => value * factor)]
}

/** The numbers that can support a figure: the numbers that the model read, and operands and sums for each kind. */
type Support = {
  all: Set<number>
  user: number[]
  operands: Record<Kind, number[]>
  sums: Record<Kind, Float64Array>
}

const kinds: Kind[] = ['money', 'percent', 'time', 'measure', 'plain']
/** The maximum number of operands of one kind. */
const mostOperands = 150

function supportOf(figures: Figure[], bare: string, read: string, { user }: Evidence): Support {
  // Only numbers below 100 are read as words. If no figure can be such a number, the digits are enough.
  const isSmall = figures.some(({ values: [value = 0] }) => value < 100)
  const all = isSmall ? figuresOf(read) : digitsOf(read)
  const told = [...figuresOf(user)]
  const said = writtenIn(bare)
    .flatMap((written) => partsOf(written).values)
    .filter((value) => all.has(value) || (Number.isInteger(value) && value <= 100))
  const found = [
    ...figuresIn(read),
    ...figures.filter(({ values }) => values.some((value) => all.has(value))),
  ]
  const of = (kind: Kind) =>
    found.flatMap((one) => (one.kind === kind ? (one.values.at(-1) ?? []) : [])).slice(0, mostOperands)
  const byKind = <T>(make: (own: number[]) => T) =>
    Object.fromEntries(kinds.map((kind) => [kind, make(of(kind))])) as Record<Kind, T>
  return {
    all,
    user: told,
    operands: byKind((own) => [...new Set([...own, ...said, ...told])].slice(0, mostOperands)),
    sums: byKind(windowSums),
  }
}

/** Returns the sums and means of consecutive figures, sorted. */
function windowSums(values: number[]): Float64Array {
  const totals = [0]
  for (const value of values) totals.push((totals.at(-1) ?? 0) + value)
  const sums = totals.flatMap((before, at) =>
    totals.slice(at + 2).flatMap((total, more) => [total - before, (total - before) / (more + 2)]),
  )
  return Float64Array.from(sums).sort()
}

const factors = [10, 100, 1_000, 60, 24, 7, 12, 30, 52, 365]

function isSupported(
  { values, kind, isHedged }: Figure,
  support: Support,
  days: Day[],
  now: number,
): boolean {
  return values.some((value) => {
    const slack = isHedged ? value * 0.1 : 0.5 * 10 ** -decimalsOf(value) + 1e-9
    const near = (other: number) => Math.abs(other - value) <= slack
    const isPartOf: IsPart = (sorted, part) =>
      hasWithin(sorted, (value - slack) / part, (value + slack) / part)
    return (
      support.all.has(value) ||
      isRounded(value, isHedged, support.all) ||
      (kind !== 'plain' &&
        factors.some((one) => support.all.has(value * one) || support.all.has(value / one))) ||
      (kind === 'plain' && isYear(value, now)) ||
      (kind === 'time' && isSpan(value, days, now)) ||
      isPartOf(support.sums[kind], 1) ||
      (kind === 'percent'
        ? kinds.some((one) => isShare(near, support.operands[one]))
        : isReckoned(near, isPartOf, support.operands[kind], support.sums[kind]))
    )
  })
}

const decimalsOf = (value: number) => String(value).split('.')[1]?.length ?? 0

const isYear = (value: number, now: number) => Math.abs(value - new Date(now).getUTCFullYear()) <= 1

/** True if the value is the rounded form of a number that the model has read. */
function isRounded(value: number, isHedged: boolean, all: Set<number>): boolean {
  const share = isHedged ? 0.1 : 0.01
  return all
    .values()
    .some(
      (one) =>
        Math.abs(one - value) <= Math.max(value * share, Number.isInteger(one) ? 0 : 0.5) &&
        (value % 10 === 0 || (!Number.isInteger(one) && Number(one.toFixed(decimalsOf(value))) === value)),
    )
}

type Near = (value: number) => boolean
/** True if a part of one of the sorted numbers, given as a factor, is near the value. */
type IsPart = (sorted: Float64Array, part: number) => boolean

/** True if one of the sorted numbers is in the range. A list of sums is too long to compare each with each share. */
function hasWithin(sorted: Float64Array, least: number, most: number): boolean {
  let [from, to] = [0, sorted.length]
  while (from < to) {
    const middle = (from + to) >> 1
    if ((sorted[middle] ?? 0) < least) from = middle + 1
    else to = middle
  }
  return (sorted[from] ?? Number.NaN) <= most
}

/**
 * True if the value is the sum, difference, product or ratio of two operands. Also true for a percentage of an operand
 * or of one of `sums`, and for that number plus or minus the percentage.
 */
function isReckoned(near: Near, isPartOf: IsPart, operands: number[], sums: Float64Array): boolean {
  const shares = operands.filter((one) => one > 0 && one <= 100).map((one) => one / 100)
  const parts = shares.flatMap((share) => [share, 1 + share, 1 - share, 1 / (1 + share)])
  const isPair = (one: number, other: number) =>
    near(one + other) || near(one - other) || near(one * other) || near(one / other)
  return (
    parts.some((part) => isPartOf(sums, part) || operands.some((one) => near(one * part))) ||
    operands.some((one) => operands.some((other) => isPair(one, other)))
  )
}

/** True if the value is the percentage that one operand is of another, or by which the two differ. */
function isShare(near: Near, operands: number[]): boolean {
  return operands.some((one) =>
    operands.some((other) => near((100 * one) / other) || near((100 * Math.abs(one - other)) / other)),
  )
}

const dateOf = ({ year, month, day }: Day, years: number) => Date.UTC(year ?? years, month - 1, day)

/** True for the time between two days, or between a day and today, in hours, days, weeks, months or years. */
function isSpan(value: number, days: Day[], now: number): boolean {
  const year = new Date(now).getUTCFullYear()
  const all = [now, ...days.slice(0, 60).map((day) => dateOf(day, year))]
  return all.some((one) =>
    all.some((other) => {
      const span = Math.abs(one - other) / dayMs
      return [span, span * 24, span / 7, span / 30.4, span / 365.25].some(
        (length) => length > 0 && Math.abs(length - value) < 1,
      )
    }),
  )
}

/** The maximum number of days from today that a phrase such as "next Monday" may mean. */
const soon = 14

function isKnownDay(day: Day, read: Day[], { user, operands }: Support, { now }: Evidence): boolean {
  const year = new Date(now).getUTCFullYear()
  const at = dateOf(day, year)
  const isEdge = day.day === 1 || new Date(at + dayMs).getUTCDate() === 1
  if (Math.abs(at - now) <= (soon + 1) * dayMs || (isEdge && Math.abs(at - now) < 366 * dayMs)) return true
  const spans = [0, 1, ...user, ...operands.time].filter((one) => one <= 400)
  const reach = new Set(spans.flatMap((one) => [one, one * 7, -one, -one * 7]))
  return [...read, today(now)].some((one) => {
    if (one.month === day.month && one.day === day.day && (!one.year || !day.year || one.year === day.year))
      return true
    const apart = Math.round((at - dateOf(one, day.year ?? year)) / dayMs)
    const months = Math.abs(monthsOf(day, year) - monthsOf(one, year))
    const isMonthly = one.day === day.day && spans.some((span) => months === span || months === span * 12)
    return reach.has(apart) || isMonthly
  })
}

const monthsOf = ({ year, month }: Day, years: number) => (year ?? years) * 12 + month

function today(now: number): Day {
  const at = new Date(now)
  return { written: '', year: at.getUTCFullYear(), month: at.getUTCMonth() + 1, day: at.getUTCDate() }
}
