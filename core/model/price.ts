import type { Usage } from './model.ts'

/** List prices in US dollars per million tokens; null if no prices are known. */
export type Prices = { input: number; output: number; cacheRead: number; cacheWrite: number } | null

/**
 * The cost of a call in whole millionths of a dollar: in that unit, a price per million tokens is the price of one
 * token. 0 if no prices are known.
 */
export function microDollars({ input, output, cacheRead, cacheWrite }: Usage, prices: Prices): number {
  if (!prices) return 0
  const plain = Math.max(0, input - cacheRead - cacheWrite)
  return Math.round(
    plain * prices.input +
      output * prices.output +
      cacheRead * prices.cacheRead +
      cacheWrite * prices.cacheWrite,
  )
}
