/**
 * Makes a value on the first call and keeps it for the later ones. A failure is not kept: the next call tries again.
 * Calls that come while the value is being made share the attempt.
 */
export function lazy<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => {
    if (made) return made
    const making = attempt(make)
    made = making
    making.catch(() => {
      made = undefined
    })
    return making
  }
}

/** An error that `make` throws before its first await is a rejection too. */
async function attempt<T>(make: () => Promise<T>): Promise<T> {
  return make()
}
