/** True for an object with named members, as in JSON; false for a list and for null. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Parses a JSON text; undefined if the text is not valid JSON. The caller then refuses the text without quoting it. */
export function parsedJson(text: unknown): unknown {
  if (typeof text !== 'string') return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Returns the record's own value under a name, never an inherited one; safe for any name from outside. */
export function own<T>(record: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined
}

/** True if objects and lists are nested in more than this many levels. Safe for any depth. */
export function isDeeper(value: unknown, levels: number): boolean {
  let inside = [value].filter(isNested)
  for (let level = 0; level < levels && inside.length > 0; level++)
    inside = inside.flatMap((item) => Object.values(item).filter(isNested))
  return inside.length > 0
}

/** Returns the size of a value as JSON in UTF-8 bytes. */
export const jsonBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value))

/** True for an object with named members, and for a list. */
export function isNested(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
