import * as z from 'zod'

/**
 * The stored name of a time zone. It was checked before it was stored. Another check loads the zones of the runtime: 15
 * ms of a cold start.
 */
export const TimeZoneName = z.string().max(64)

/** A time zone that this runtime knows, by its name in the IANA database, such as `Europe/Berlin`. */
export const TimeZone = TimeZoneName.refine(isTimeZone, 'a time zone of the IANA database')

/** True for a time zone that this runtime knows. */
export function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }) !== undefined
  } catch {
    // Intl offers no other check.
    return false
  }
}

/**
 * Describes the day of a moment in a time zone, with weekday and offset: `Monday, 2026-11-23, in Europe/Berlin
 * (GMT+01:00)`. It has no time of day, so that it changes only once a day.
 */
export function describeDay(now: number, timeZone: string): string {
  const parts = new Intl.DateTimeFormat('en', {
    timeZone,
    weekday: 'long',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    timeZoneName: 'longOffset',
  }).formatToParts(now)
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.find((it) => it.type === type)?.value ?? ''
  const day = `${part('year')}-${part('month')}-${part('day')}`
  return `${part('weekday')}, ${day}, in ${timeZone} (${part('timeZoneName')})`
}
