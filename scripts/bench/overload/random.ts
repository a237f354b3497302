/** A number of this mean, as times between events that know nothing of each other are. */
export function exponential(mean: number, random: () => number): number {
  return -mean * Math.log(1 - random())
}

/** A whole number of this mean, as events of a stretch of time are counted. */
export function poisson(mean: number, random: () => number): number {
  const least = Math.exp(-mean)
  let count = 0
  for (let product = random(); product > least; product *= random()) count += 1
  return count
}

/** Numbers from 0 up to 1, the same for the same seed. */
export function generator(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
