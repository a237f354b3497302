/**
 * Creates a value on the first call and keeps it for later calls. It does not keep a failure: the next call tries
 * again. Calls during an attempt share that attempt.
 */
export function lazy<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => {
    if (made) return made
    const making = callAsync(make)
    made = making
    making.catch(() => {
      made = undefined
    })
    return making
  }
}

/** Turns an error that `make` throws before its first await into a rejection. */
async function callAsync<T>(make: () => Promise<T>): Promise<T> {
  return make()
}
