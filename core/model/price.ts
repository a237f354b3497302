import type { Prices } from '../stage/settings/schema.ts'
import type { Usage } from './model.ts'

/**
 * Returns the cost of a call in whole millionths of a dollar: in that unit, a price per million tokens is the price of
 * one token. Null if the model has no prices: an unknown cost is not 0.
 */
export function microDollars(usage: Usage, prices: Prices | null): number | null {
  if (!prices) return null
  const { input, output, cacheRead, cacheWrite, cacheWriteHour = 0 } = usage
  const rates = ratesFor(input, prices)
  const plain = Math.max(0, input - cacheRead - cacheWrite)
  return Math.round(
    plain * rates.input +
      output * rates.output +
      cacheRead * rates.cacheRead +
      (cacheWrite - cacheWriteHour) * rates.cacheWrite +
      cacheWriteHour * (rates.cacheWriteHour ?? rates.cacheWrite),
  )
}

/**
 * Returns the cost of several calls, each with the prices for the length of its prompt; null if the model has no
 * prices.
 */
export function microDollarsOf(calls: Usage[], prices: Prices | null): number | null {
  return prices && calls.reduce((sum, usage) => sum + (microDollars(usage, prices) ?? 0), 0)
}

/** Returns the prices of a whole request by the length of its prompt, including tokens read from the cache. */
function ratesFor(input: number, { steps = [], ...first }: Prices): Omit<Prices, 'steps'> {
  const reached = steps.filter(({ above }) => input > above).sort((a, b) => b.above - a.above)
  return reached[0] ?? first
}
