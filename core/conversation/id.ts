import { decodeTime } from 'ulid'

/**
 * When the conversation or run of an id began, in milliseconds since the epoch: the first ten characters of its ULID, 5 bits each.
 * 0 for ids of another make.
 */
export function bornAt(id: string): number {
  try {
    return decodeTime(id.slice(id.indexOf('-') + 1).toUpperCase())
  } catch {
    // Ids of another make carry no time.
    return 0
  }
}
