import { redact, redactBeginning } from '../base/safety/redact.ts'

/** One value of a record is at most this long, and all of them together three times that, in bytes of UTF-8. */
export const maxValueBytes = 100_000
const maxBytes = 3 * maxValueBytes

const mark = ' [cut]'

/**
 * The JSON text of what a run record may keep: credentials redacted in every string, each top-level value cut to
 * 100 KB, everything to 300 KB, so that the item stays below the table's 400 KB.
 */
export function storable(detail: Record<string, unknown>): string {
  let room = maxBytes
  const kept = Object.entries(detail).flatMap(([name, value]): [string, unknown][] => {
    const clean = cut(cleaned(value), Math.min(maxValueBytes, room))
    if (clean === undefined) return []
    room -= size(clean)
    return [[name, clean]]
  })
  return JSON.stringify(Object.fromEntries(kept))
}

/** The value as JSON reads it back, with redacted strings; undefined where JSON has nothing for it. */
function cleaned(value: unknown): unknown {
  const telling = new Map<string, boolean>()
  const isTelling = (name: string): boolean => {
    const known = telling.get(name) ?? namesSecret(name)
    telling.set(name, known)
    return known
  }
  const text = JSON.stringify(value, function (this: unknown, name, item: unknown) {
    if (typeof item !== 'string') return item
    return !Array.isArray(this) && isTelling(name) ? '[redacted]' : redactBeginning(item, maxValueBytes)
  })
  return text === undefined ? undefined : JSON.parse(text)
}

/** Only the name of a field may show that its value is a secret: `{ "password": "…" }`. */
function namesSecret(name: string): boolean {
  const probe = `${name}="some-value"`
  return redact(probe) !== probe
}

/** A value that is too large becomes the beginning of its text. */
function cut(value: unknown, bytes: number): unknown {
  if (value === undefined || size(value) <= bytes) return value
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  let length = Math.min(text.length, Math.max(0, bytes - mark.length - 2))
  while (length > 0 && size(text.slice(0, length) + mark) > bytes) length = Math.floor(length * 0.9)
  return text.slice(0, length).toWellFormed() + mark
}

function size(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value))
}
