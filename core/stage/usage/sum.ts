/** The usage of models: the sums of a day, their stored form, and their addition. */

/**
 * The usage of one model call, as the provider counted it: `input` includes cache reads and writes. `microDollars` are
 * millionths of a dollar; null if the model has no prices.
 */
export type Used = {
  model: string
  input: number
  output: number
  cacheRead: number
  cacheWrite: number
  microDollars: number | null
}

const names = ['turns', 'failed', 'calls', 'input', 'output', 'cacheRead', 'cacheWrite'] as const

/**
 * Sums of turns, failed turns, model calls, and their usage. A turn counts on the day and for the model of its first
 * call. `microDollars` is null if no call had prices.
 */
export type Sum = Record<(typeof names)[number], number> & { microDollars: number | null }

/** An empty sum. */
export const nothing: Sum = {
  turns: 0,
  failed: 0,
  calls: 0,
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  microDollars: null,
}

/** Adds two sums; an unknown cost adds nothing. */
export function plus(one: Sum, other: Sum): Sum {
  const counts = Object.fromEntries(names.map((name) => [name, one[name] + other[name]])) as Sum
  return { ...counts, microDollars: costOf(one.microDollars, other.microDollars) }
}

/** Adds two costs; null if both are unknown. */
function costOf(one: number | null, other: number | null): number | null {
  return one === null ? other : one + (other ?? 0)
}

/** Returns a cost in dollars; null if it is unknown. */
export const dollarsOf = (microDollars: number | null): number | null =>
  microDollars === null ? null : microDollars / 1_000_000

/** Adds up rows by each of their keys; returns the sums sorted by key. */
export function sumBy<T extends Sum>(rows: T[], keysOf: (row: T) => string[]): [string, Sum][] {
  const sums = new Map<string, Sum>()
  for (const row of rows) for (const key of keysOf(row)) sums.set(key, plus(sums.get(key) ?? nothing, row))
  return [...sums].sort(([a], [b]) => (a < b ? -1 : 1))
}

/**
 * Returns the additions of a model's `sum` to the item of a day: one attribute for each number that is known and not 0.
 */
export function added(
  model: string,
  { microDollars = null, ...counts }: Partial<Sum>,
): Record<string, number> {
  const counted = Object.entries(counts).filter(([, value]) => value !== 0)
  const all = microDollars === null ? counted : [...counted, ['microDollars', microDollars] as const]
  return Object.fromEntries(all.map(([name, value]) => [`sum_${name}_${word(model)}`, value]))
}

/** Returns the sums in a day's item by model; ignores invalid values. */
export function sumsOf(row: Record<string, unknown>): Map<string, Sum> {
  const sums = new Map<string, Sum>()
  for (const [attribute, value] of Object.entries(row)) {
    const [, name, escaped] = /^sum_([A-Za-z]+)_(.*)$/.exec(attribute) ?? []
    if (name === undefined || !(name in nothing) || typeof value !== 'number') continue
    const model = unescaped(escaped ?? '')
    sums.set(model, { ...(sums.get(model) ?? nothing), [name]: value })
  }
  return sums
}

/** Limit of a model id in an attribute name; a longer id is cut, because attribute names have a limit. */
const mostLetters = 60

/** Encodes the id with letters, digits and `_`, the only characters in a placeholder of DynamoDB. */
function word(model: string): string {
  const hex = (letter: string) =>
    [...Buffer.from(letter)].map((byte) => `_${byte.toString(16).padStart(2, '0')}`)
  return model.slice(0, mostLetters).replace(/[^A-Za-z0-9]/gu, (letter) => hex(letter).join(''))
}

function unescaped(text: string): string {
  const bytes = text.replace(/_([0-9a-f]{2})/g, '%$1')
  try {
    return decodeURIComponent(bytes)
  } catch {
    // The service did not write this name, so it is shown as it is stored.
    return text
  }
}
