import { createHash, timingSafeEqual } from 'node:crypto'
import { isRecord } from './json.ts'

/** The JSON of a value with sorted keys in every object: equal values give equal text. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_, item: unknown) => (isRecord(item) ? sorted(item) : item)) ?? 'null'
}

/** SHA-256 of the canonical JSON, as lower-case hex. */
export function hash(value: unknown): string {
  return sha256(canonical(value))
}

/** True if objects and lists are nested in more than this many levels. Safe for any depth. */
export function isDeeper(value: unknown, levels: number): boolean {
  let inside = [value].filter(isNested)
  for (let level = 0; level < levels && inside.length > 0; level++) {
    inside = inside.flatMap((item) => Object.values(item).filter(isNested))
  }
  return inside.length > 0
}

function isNested(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

function sorted(value: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** The SHA-256 of a text or of bytes, as 64 digits in hex. */
export function sha256(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex')
}

/** Compares two secrets in constant time. */
export function isSameSecret(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}
