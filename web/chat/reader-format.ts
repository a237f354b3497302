import type { Translate } from './i18n/i18n.ts'
import { once } from './lazy.ts'

/**
 * Formats times, durations and sizes: short, in the reader's language and time zone. The log and the history combine
 * labels instead of using Intl: the browser's first date formatter takes half as long as the first render.
 */
export class Format {
  readonly #locale: string
  readonly #t: Translate
  readonly #day = once(() => this.#dates({ day: 'numeric', month: this.#isEnglish ? 'short' : 'long' }))
  readonly #full = once(() => this.#dates({ dateStyle: 'full', timeStyle: 'short' }))
  readonly #stamp = once(() => this.#dates({ dateStyle: 'medium', timeStyle: 'short' }))
  readonly #one = once(() => new Intl.NumberFormat(this.#locale, { maximumFractionDigits: 1 }))
  readonly #isEnglish: boolean

  constructor(language: string, t: Translate) {
    this.#isEnglish = language === 'en'
    // British order and 24 hours for English: what the design shows, and what no reader mistakes.
    this.#locale = this.#isEnglish ? 'en-GB' : language
    this.#t = t
  }

  /** `14:32` */
  clock(at: string | number): string {
    const time = new Date(at)
    return [time.getHours(), time.getMinutes()].map((part) => String(part).padStart(2, '0')).join(':')
  }

  /** `14:32` today, `Tue 16:02` within a week, `2 Oct 10:02` before. */
  moment(at: string, now: number): string {
    return daysBetween(at, now) === 0 ? this.clock(at) : `${this.when(at, now)} ${this.clock(at)}`
  }

  /** `14:32` today, `Tue` within a week, `14 Nov` before. */
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

  /** `27 Nov`, `27. November` */
  day(at: string): string {
    return this.#day().format(new Date(at))
  }

  /** Date and time in full, for tooltips. */
  full(at: string): string {
    return this.#full().format(new Date(at))
  }

  /** `Monday 30 November 2026 at 08:00 CET, in 7 days`: a time that is planned, in the time zone of the reader. */
  planned(at: string, now: number): string {
    const date = { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' } as const
    const time = { hour: '2-digit', minute: '2-digit', timeZoneName: 'short' } as const
    const days = -dayDifference(at, now)
    const hours = Math.round((Date.parse(at) - now) / 3_600_000)
    const far = new Intl.RelativeTimeFormat(this.#locale, { numeric: 'auto' })
    const away = days === 0 && hours !== 0 ? far.format(hours, 'hour') : far.format(days, 'day')
    return `${this.#dates({ ...date, ...time }).format(new Date(at))}, ${away}`
  }

  /** Date and time in short, for text that is read later too: `20 Nov 2026, 14:32` */
  stamp(at: string): string {
    return this.#stamp().format(new Date(at))
  }

  /** `0.3 s`, `31 s`, `2 min 5 s` */
  duration(ms: number): string {
    const seconds = Math.max(0.1, ms / 1_000)
    if (seconds < 9.95) return this.#t('unit.seconds', { n: this.#one().format(seconds) })
    return this.elapsed(ms)
  }

  /** Whole seconds: `8 s`, `2 min 5 s` */
  elapsed(ms: number): string {
    const seconds = Math.max(0, Math.round(ms / 1_000))
    if (seconds < 60) return this.#t('unit.seconds', { n: String(seconds) })
    const [m, s] = [String(Math.floor(seconds / 60)), String(seconds % 60)]
    return s === '0' ? this.#t('unit.wholeMinutes', { m }) : this.#t('unit.minutes', { m, s })
  }

  /** `840 KB`, `1.2 MB` */
  size(bytes: number): string {
    if (bytes < 1_000) return this.#t('unit.bytes', { n: String(bytes) })
    if (bytes < 1_000_000) return this.#t('unit.kilobytes', { n: String(Math.round(bytes / 1_000)) })
    return this.#t('unit.megabytes', { n: this.#one().format(bytes / 1_000_000) })
  }

  /** `1,200`, `1.200`. */
  number(value: number): string {
    return this.#one().format(value)
  }

  /** `10%`, `0,4 %`: a share of one, with the two digits that tell most. */
  percent(share: number): string {
    const style = { style: 'percent', maximumSignificantDigits: 2 } as const
    return new Intl.NumberFormat(this.#locale, style).format(share)
  }

  /** `$0.05`, `12,40 $`; below a cent with as many digits as tell something. */
  dollars(amount: number): string {
    const digits = amount > 0 && amount < 0.01 ? { maximumSignificantDigits: 1 } : {}
    const style = { style: 'currency', currency: 'USD', currencyDisplay: 'narrowSymbol', ...digits } as const
    return new Intl.NumberFormat(this.#locale, style).format(amount)
  }

  #word(list: 'writing.weekdays' | 'writing.months', at: number): string {
    return this.#t(list).split(' ')[at] ?? ''
  }

  #dates(style: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
    return new Intl.DateTimeFormat(this.#locale, style)
  }
}

/** Calendar days from a moment to now, in the reader's time zone; 0 for today and for what lies ahead. */
export const daysBetween = (at: string, now: number): number => Math.max(0, dayDifference(at, now))

/** Calendar days from a moment to now, negative for what lies ahead. */
function dayDifference(at: string, now: number): number {
  const midnight = (time: number) => {
    const day = new Date(time)
    return Date.UTC(day.getFullYear(), day.getMonth(), day.getDate())
  }
  return Math.round((midnight(now) - midnight(Date.parse(at))) / 86_400_000)
}
