/** What models were used for: the sums of a day, and how they are stored and added up. */

/**
 * What one call of a model used, as the provider counted it: `input` includes what the cache gave or took. `microDollars`
 * are millionths of a dollar; null where the model has no prices.
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
 * Turns, those ends of turns that were failures, calls of models, and what the calls used. A turn counts on the day and
 * for the model of its first call. `microDollars` is null where no call had prices.
 */
export type Sum = Record<(typeof names)[number], number> & { microDollars: number | null }

/** The sum of nothing. */
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

/** Both sums together; a cost that is not known adds nothing. */
export function plus(one: Sum, other: Sum): Sum {
  const counts = Object.fromEntries(names.map((name) => [name, one[name] + other[name]])) as Sum
  return { ...counts, microDollars: costOf(one.microDollars, other.microDollars) }
}

/** Both costs together; null where neither is known. */
function costOf(one: number | null, other: number | null): number | null {
  return one === null ? other : one + (other ?? 0)
}

/** A cost in dollars; null where it is not known. */
export const dollarsOf = (microDollars: number | null): number | null =>
  microDollars === null ? null : microDollars / 1_000_000

/** The sums of values by every key that each has, sorted by key. */
export function sumBy<T extends Sum>(rows: T[], keysOf: (row: T) => string[]): [string, Sum][] {
  const sums = new Map<string, Sum>()
  for (const row of rows) for (const key of keysOf(row)) sums.set(key, plus(sums.get(key) ?? nothing, row))
  return [...sums].sort(([a], [b]) => (a < b ? -1 : 1))
}

/** What `sum` of a model adds to the item of a day: one attribute for each number that is known and counts something. */
export function added(
  model: string,
  { microDollars = null, ...counts }: Partial<Sum>,
): Record<string, number> {
  const counted = Object.entries(counts).filter(([, value]) => value !== 0)
  const all = microDollars === null ? counted : [...counted, ['microDollars', microDollars] as const]
  return Object.fromEntries(all.map(([name, value]) => [`sum_${name}_${word(model)}`, value]))
}

/** The sums of an item of a day by model. What is no number of this kind is left out. */
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

/** Ids of models are cut where the name of an attribute would get too long. */
const mostLetters = 60

/** The id as letters, digits and `_`, of which a placeholder of DynamoDB may consist. */
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
    // Nothing that this service wrote; shown as it is stored.
    return text
  }
}
