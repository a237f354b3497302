import type { Language, Translate } from './i18n/i18n.ts'

/** Times, durations and sizes as the interface writes them: short, in the reader's language and time zone. */
export class Format {
  readonly #time: Intl.DateTimeFormat
  readonly #weekday: Intl.DateTimeFormat
  readonly #date: Intl.DateTimeFormat
  readonly #dateYear: Intl.DateTimeFormat
  readonly #day: Intl.DateTimeFormat
  readonly #full: Intl.DateTimeFormat
  readonly #one: Intl.NumberFormat
  readonly #t: Translate

  constructor(language: Language, t: Translate) {
    // British order and 24 hours for English: what the design shows, and what no reader mistakes.
    const locale = language === 'en' ? 'en-GB' : language
    const short = language === 'en' ? 'short' : 'long'
    this.#time = new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
    this.#weekday = new Intl.DateTimeFormat(locale, { weekday: 'short' })
    this.#date = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short' })
    this.#dateYear = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', year: 'numeric' })
    this.#day = new Intl.DateTimeFormat(locale, { day: 'numeric', month: short })
    this.#full = new Intl.DateTimeFormat(locale, { dateStyle: 'full', timeStyle: 'short' })
    this.#one = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 })
    this.#t = t
  }

  /** `14:32` */
  clock(at: string | number): string {
    return this.#time.format(new Date(at))
  }

  /** `14:32` today, `Tue 16:02` within a week, `2 Oct 10:02` before. */
  moment(at: string, now: number): string {
    const days = daysBetween(at, now)
    if (days === 0) return this.clock(at)
    return `${days < 7 ? this.#weekday.format(new Date(at)) : this.#dayOf(at, now)} ${this.clock(at)}`
  }

  /** `14:32` today, `Tue` within a week, `14 Nov` before. */
  when(at: string, now: number): string {
    const days = daysBetween(at, now)
    if (days === 0) return this.clock(at)
    return days < 7 ? this.#weekday.format(new Date(at)) : this.#dayOf(at, now)
  }

  /** `27 Nov`, `27. November` */
  day(at: string): string {
    return this.#day.format(new Date(at))
  }

  /** Date and time in full, for tooltips. */
  full(at: string): string {
    return this.#full.format(new Date(at))
  }

  /** `0.3 s`, `31 s`, `2 min 5 s` */
  duration(ms: number): string {
    const seconds = Math.max(0.1, ms / 1_000)
    if (seconds < 9.95) return this.#t('unit.seconds', { n: this.#one.format(seconds) })
    return this.elapsed(ms)
  }

  /** Whole seconds: `8 s`, `2 min 5 s` */
  elapsed(ms: number): string {
    const seconds = Math.max(0, Math.round(ms / 1_000))
    if (seconds < 60) return this.#t('unit.seconds', { n: String(seconds) })
    return this.#t('unit.minutes', { m: String(Math.floor(seconds / 60)), s: String(seconds % 60) })
  }

  /** `840 KB`, `1.2 MB` */
  size(bytes: number): string {
    if (bytes < 1_000) return `${bytes} B`
    if (bytes < 1_000_000) return `${Math.round(bytes / 1_000)} KB`
    return `${this.#one.format(bytes / 1_000_000)} MB`
  }

  #dayOf(at: string, now: number): string {
    const date = new Date(at)
    const thisYear = date.getFullYear() === new Date(now).getFullYear()
    return (thisYear ? this.#date : this.#dateYear).format(date)
  }
}

/** Calendar days from a moment to now, in the reader's time zone; 0 for today and for what lies ahead. */
export function daysBetween(at: string, now: number): number {
  const midnight = (time: number) => {
    const day = new Date(time)
    return Date.UTC(day.getFullYear(), day.getMonth(), day.getDate())
  }
  return Math.max(0, Math.round((midnight(now) - midnight(Date.parse(at))) / 86_400_000))
}
