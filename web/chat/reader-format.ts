import type { Translate } from './i18n/i18n.ts'
import { once } from './lazy.ts'

/**
 * Formats times, durations and numbers: short, in the user's language and time zone. Log and history combine labels
 * instead of using Intl. The browser's first date formatter takes half as long as the first render.
 */
export class Format {
  /** The locale of dates and numbers. */
  readonly locale: string
  readonly #t: Translate
  readonly #day = once(() => this.#dates({ day: 'numeric', month: this.#isEnglish ? 'short' : 'long' }))
  readonly #full = once(() => this.#dates({ dateStyle: 'full', timeStyle: 'short' }))
  readonly #stamp = once(() => this.#dates({ dateStyle: 'medium', timeStyle: 'short' }))
  readonly #one = once(() => new Intl.NumberFormat(this.locale, { maximumFractionDigits: 1 }))
  readonly #isEnglish: boolean

  constructor(language: string, t: Translate) {
    this.#isEnglish = language === 'en'
    // English dates have the British order and 24 hours, as in the design, because no user misreads this form.
    this.locale = this.#isEnglish ? 'en-GB' : language
    this.#t = t
  }

  /** Formats hour and minute: `14:32` */
  clock(at: string | number): string {
    const time = new Date(at)
    return [time.getHours(), time.getMinutes()].map((part) => String(part).padStart(2, '0')).join(':')
  }

  /** Formats a time: `14:32` today, `Tue 16:02` within a week, `2 Oct 10:02` before. */
  moment(at: string, now: number): string {
    return daysBetween(at, now) === 0 ? this.clock(at) : `${this.when(at, now)} ${this.clock(at)}`
  }

  /** Formats the clock time if it is today, else the day: `14:32` today, `Tue` within a week, `14 Nov` before. */
  when(at: string, now: number): string {
    const days = daysBetween(at, now)
    if (days === 0) return this.clock(at)
    const date = new Date(at)
    if (days < 7) return this.#word('writing.weekdays', date.getDay())
    const month = this.#word('writing.months', date.getMonth())
    const day = this.#t('writing.date', { day: String(date.getDate()), month })
    const year = date.getFullYear()
    return year === new Date(now).getFullYear() ? day : `${day} ${year}`
  }

  /** Formats a day: `27 Nov`, in German `27. November` */
  day(at: string): string {
    return this.#day().format(new Date(at))
  }

  /** Formats date and time in full, for tooltips. */
  full(at: string): string {
    return this.#full().format(new Date(at))
  }

  /** Formats date and time in short, for text that is also read later: `20 Nov 2026, 14:32` */
  stamp(at: string): string {
    return this.#stamp().format(new Date(at))
  }

  /** Formats a duration in whole seconds: `8 s`, `2 min 5 s` */
  elapsed(ms: number): string {
    const seconds = Math.max(0, Math.round(ms / 1_000))
    if (seconds < 60) return this.#t('unit.seconds', { n: String(seconds) })
    const [m, s] = [String(Math.floor(seconds / 60)), String(seconds % 60)]
    return s === '0' ? this.#t('unit.wholeMinutes', { m }) : this.#t('unit.minutes', { m, s })
  }

  /** Formats a number with at most one decimal: `1,200`, in German `1.200` */
  number(value: number): string {
    return this.#one().format(value)
  }

  #word(list: 'writing.weekdays' | 'writing.months', at: number): string {
    return this.#t(list).split(' ')[at] ?? ''
  }

  #dates(style: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
    return new Intl.DateTimeFormat(this.locale, style)
  }
}

/** Counts the calendar days from a time to now, in the user's time zone; 0 for today and for future times. */
export const daysBetween = (at: string, now: number): number => Math.max(0, dayDifference(at, now))

/** Counts the calendar days from a time to now; negative for future days. */
export function dayDifference(at: string, now: number): number {
  const midnight = (time: number) => {
    const day = new Date(time)
    return Date.UTC(day.getFullYear(), day.getMonth(), day.getDate())
  }
  return Math.round((midnight(now) - midnight(Date.parse(at))) / 86_400_000)
}
