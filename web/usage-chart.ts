import { html, svg, type TemplateResult } from 'lit'
import type { UsageAnswer, UsageSum } from '../core/stage/usage/schema.ts'
import { saveFile } from './save-file.ts'

/** The part of a usage report, of a stage or of one user, that the chart needs. */
type UsageDays = Pick<UsageAnswer, 'since' | 'to' | 'total' | 'byDay'>

/** The first and the last day of a report, in UTC, as usage is counted. */
export type Days = { from: string; to: string }

/** The length of a day in milliseconds. */
export const dayMs = 86_400_000
const shownDays = 30

/** Returns the UTC day of a time, such as `2026-11-20`. */
export const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10)

/** Returns the default range of a report: the last 30 days, including today. */
export function lastDays(): Days {
  const today = Date.now()
  return { from: dayOf(today - (shownDays - 1) * dayMs), to: dayOf(today) }
}

/** Makes the browser save the table of a report as a file. */
export const saveReport = (csv: Blob, { from, to }: Days): void => saveFile(csv, `usage-${from}-${to}.csv`)

/** The unit of the bars: tokens, or turns if no model of the report counts tokens. */
type Unit = 'tokens' | 'turns'

type Bar = { day: string; value: number }

/** The words of a chart in the user's language. */
export type ChartWords = {
  /** The sentence above the bars. */
  title(chart: { kind: Unit | 'budget'; most: string; day: string; share: string }): string
  date(day: string): string
  amount(count: number): string
  percent(share: number): string
}

/** Returns the tokens of a total that count against a budget. */
export const tokensOf = ({ input, output }: Pick<UsageSum, 'input' | 'output'>) => input + output

/** Returns the number of days that a report covers. */
export const daysOf = ({ since, to }: UsageDays) => (Date.parse(to) - Date.parse(since)) / dayMs + 1

/** Returns a bar for each day of a report, including days without usage. */
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
 * Draws the usage of each day as a bar, compared with the daily budget if there is one. The table below the chart has
 * the same figures for users who cannot see the chart.
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
  // The scale is the daily budget, unless it is more than ten times the highest bar: then no bar would be visible.
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
