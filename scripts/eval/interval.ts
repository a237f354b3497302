/** The normal quantile of a confidence of 95 %. */
const z = 1.96

/**
 * The Wilson interval of a rate at 95 % confidence, from 0 to 1. Unlike the normal interval it is valid for few
 * attempts and for rates of 0 and 1. For no attempts it is 0 to 1.
 */
export function wilson(passed: number, attempts: number): [low: number, high: number] {
  if (attempts === 0) return [0, 1]
  const rate = passed / attempts
  const spread = z ** 2 / attempts
  const middle = (rate + spread / 2) / (1 + spread)
  const half = (z * Math.sqrt((rate * (1 - rate)) / attempts + spread / (4 * attempts))) / (1 + spread)
  return [Math.max(0, middle - half), Math.min(1, middle + half)]
}

/** The difference of two rates, with its interval at 95 % confidence; `isClear`: the interval does not hold 0. */
export type Difference = { by: number; interval: [low: number, high: number]; isClear: boolean }

type Rate = { passed: number; attempts: number }

/** How much higher the first rate is than the second, by Newcombe's interval from two Wilson intervals. */
export function difference(one: Rate, other: Rate): Difference {
  const rate = ({ passed, attempts }: Rate) => (attempts === 0 ? 0 : passed / attempts)
  const [first, second] = [rate(one), rate(other)]
  const [firstLow, firstHigh] = wilson(one.passed, one.attempts)
  const [secondLow, secondHigh] = wilson(other.passed, other.attempts)
  const by = first - second
  const low = by - Math.hypot(first - firstLow, secondHigh - second)
  const high = by + Math.hypot(firstHigh - first, second - secondLow)
  return { by, interval: [low, high], isClear: low > 0 || high < 0 }
}
