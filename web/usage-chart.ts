import { html, svg, type TemplateResult } from 'lit'
import type { UsageAnswer, UsageSum } from '../core/stage/usage/schema.ts'

/** The report of a stage or of one user, as far as the chart of its days needs it. */
export type UsageDays = Pick<UsageAnswer, 'since' | 'to' | 'total' | 'byDay'>

/** The first and the last day of a report, in UTC as they are counted. */
export type Days = { from: string; to: string }

/** A day in milliseconds. */
export const dayMs = 86_400_000
const shownDays = 30

/** The day of a moment. */
export const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10)

/** The days until today that a report begins with. */
export function lastDays(): Days {
  const today = Date.now()
  return { from: dayOf(today - (shownDays - 1) * dayMs), to: dayOf(today) }
}

/** Has the browser store the table of a report. */
export function saveReport(csv: Blob, { from, to }: Days): void {
  const href = URL.createObjectURL(csv)
  Object.assign(document.createElement('a'), { href, download: `usage-${from}-${to}.csv` }).click()
  URL.revokeObjectURL(href)
}

/** The unit of the bars: tokens, or turns if no model of these days counts tokens. */
type Unit = 'tokens' | 'turns'

type Bar = { day: string; value: number }

/** The words of a chart in the language of its reader. */
export type ChartWords = {
  /** The sentence above the bars. */
  title(chart: { kind: Unit | 'budget'; most: string; day: string; share: string }): string
  date(day: string): string
  amount(count: number): string
  percent(share: number): string
}

/** The tokens of a sum that count against a budget. */
export const tokensOf = ({ input, output }: Pick<UsageSum, 'input' | 'output'>) => input + output

/** The number of days that a report covers. */
export const daysOf = ({ since, to }: UsageDays) => (Date.parse(to) - Date.parse(since)) / dayMs + 1

/** A bar for each day of a report, those without use as well. */
export function barsOf(report: UsageDays): { unit: Unit; bars: Bar[] } {
  const { since, total, byDay } = report
  const unit = tokensOf(total) > 0 ? 'tokens' : 'turns'
  const values = new Map(byDay.map((line) => [line.key, unit === 'tokens' ? tokensOf(line) : line.turns]))
  const bars = Array.from({ length: daysOf(report) }, (_, at) => {
    const day = dayOf(Date.parse(since) + at * dayMs)
    return { day, value: values.get(day) ?? 0 }
  })
  return { unit, bars }
}

const width = 8
const gap = 2
const height = 100

/**
 * The use of each day as a bar, against the budget of a day where there is one. The table below it has the same figures
 * for who does not see them.
 */
export function usageChart(report: UsageDays, budget: number | null, words: ChartWords): TemplateResult {
  const { unit, bars } = barsOf(report)
  const { date, amount, percent } = words
  const most = bars.reduce((top, bar) => (bar.value > top.value ? bar : top))
  const title = words.title({
    kind: budget ? 'budget' : unit,
    most: amount(most.value),
    day: date(most.day),
    share: budget ? percent(most.value / budget) : '',
  })
  // Against the budget of a day, unless that is so far away that no bar could be seen.
  const full = budget && most.value * 10 > budget ? Math.max(budget, most.value) : most.value
  return html`<figure class="usage-chart">
    <figcaption>${title}</figcaption>
    <svg role="img" aria-label=${title} viewBox="0 0 ${bars.length * (width + gap)} ${height}"
      preserveAspectRatio="none">
      ${bars.map(({ day, value }, at) => {
        const tall = Math.max(value > 0 ? 1 : 0, (value / full) * height)
        return svg`<rect x=${at * (width + gap)} y=${height - tall} width=${width} height=${tall}>
          <title>${date(day)}: ${amount(value)}${budget ? `, ${percent(value / budget)}` : ''}</title>
        </rect>`
      })}
    </svg>
    <p aria-hidden="true"><span>${date(bars[0]?.day ?? '')}</span><span>${date(bars.at(-1)?.day ?? '')}</span></p>
  </figure>`
}
