import { microDollars, type Prices } from '../../core/model/price.ts'
import type { Entry } from './collect.ts'

/** The sums of what belongs together. */
export type Line = {
  turns: number
  /** Turns whose last end was a failure. */
  failed: number
  calls: number
  input: number
  output: number
  cacheRead: number
  cacheWrite: number
  /** Millionths of a dollar; null where no model of the line has prices. */
  microDollars: number | null
}

/** Prices by id of a model. */
export type PricesOf = (model: string) => Prices

/** Sums by every key that an entry has: by day, by user, by each of the user's groups. Sorted by key. */
export function sum(
  entries: Entry[],
  keysOf: (entry: Entry) => string[],
  pricesOf: PricesOf,
): [string, Line][] {
  const keyed = entries.flatMap((entry) => keysOf(entry).map((key) => ({ key, entry })))
  const groups = [...Map.groupBy(keyed, ({ key }) => key)]
  return groups
    .map(([key, all]): [string, Line] => [
      key,
      lineOf(
        all.map(({ entry }) => entry),
        pricesOf,
      ),
    ])
    .sort(([a], [b]) => (a < b ? -1 : 1))
}

/** The sums of these entries. */
export function lineOf(entries: Entry[], pricesOf: PricesOf): Line {
  const runs = (all: Entry[]) => new Set(all.map(({ owner, runId }) => `${owner}#${runId}`)).size
  const calls = entries.filter((entry) => entry.kind === 'call')
  const total = (name: 'input' | 'output' | 'cacheRead' | 'cacheWrite') =>
    calls.reduce((sum, { usage }) => sum + usage[name], 0)
  const priced = calls.flatMap(({ model, usage }) => {
    const prices = pricesOf(model)
    return prices ? [microDollars(usage, prices)] : []
  })
  return {
    turns: runs(entries),
    failed: runs(entries.filter(({ kind }) => kind === 'failure')),
    calls: calls.length,
    input: total('input'),
    output: total('output'),
    cacheRead: total('cacheRead'),
    cacheWrite: total('cacheWrite'),
    microDollars: priced.length > 0 ? priced.reduce((sum, cost) => sum + cost, 0) : null,
  }
}
