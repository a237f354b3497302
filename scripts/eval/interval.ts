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
