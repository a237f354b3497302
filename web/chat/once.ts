/** Makes something when it is first asked for, and keeps it: a formatter of `Intl` costs milliseconds. */
export function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
