import { createHash, timingSafeEqual } from 'node:crypto'
import { isRecord } from './json.ts'

/** Returns the JSON of a value with sorted keys in every object: equal values give equal text. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_, item: unknown) => (isRecord(item) ? sorted(item) : item)) ?? 'null'
}

/** Returns the SHA-256 of the canonical JSON, as lower-case hex. */
export const hash = (value: unknown): string => sha256(canonical(value))

function sorted(value: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** Returns the SHA-256 of a text or of bytes, as 64 digits in hex. */
export function sha256(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex')
}

/** Compares two secrets in constant time. */
export function isSameSecret(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}
