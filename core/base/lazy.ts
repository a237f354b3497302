/**
 * Creates a value on the first call and keeps it for later calls. It does not keep a failure: the next call tries
 * again. Calls during an attempt share that attempt.
 */
export function lazy<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => {
    // An error that `make` throws before its first await becomes a rejection, too.
    made ??= Promise.try(make).catch((error: unknown) => {
      made = undefined
      throw error
    })
    return made
  }
}
