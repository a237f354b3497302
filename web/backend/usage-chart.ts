import { html, svg, type TemplateResult } from 'lit'
import type { UsageAnswer } from '../../core/stage/usage/schema.ts'
import { amount, date, t } from './text.ts'

const dayMs = 86_400_000

/** The unit of the bars: tokens, or turns if no model of these days counts tokens. */
type Unit = 'tokens' | 'turns'

type Bar = { day: string; value: number }

/** A bar for each day of a report, those without use as well. */
export function barsOf({ since, to, total, byDay }: UsageAnswer): { unit: Unit; bars: Bar[] } {
  const unit = total.input + total.output > 0 ? 'tokens' : 'turns'
  const values = new Map(
    byDay.map(({ key, turns, input, output }) => [key, unit === 'tokens' ? input + output : turns]),
  )
  const count = (Date.parse(to) - Date.parse(since)) / dayMs + 1
  const bars = Array.from({ length: count }, (_, at) => {
    const day = new Date(Date.parse(since) + at * dayMs).toISOString().slice(0, 10)
    return { day, value: values.get(day) ?? 0 }
  })
  return { unit, bars }
}

const width = 8
const gap = 2
const height = 100

/** The use of each day as a bar; the table below it has the same figures for who does not see them. */
export function usageChart(answer: UsageAnswer): TemplateResult {
  const { unit, bars } = barsOf(answer)
  const most = bars.reduce((top, bar) => (bar.value > top.value ? bar : top))
  const words = t(`usage.chart.${unit}`, { most: amount(most.value), day: date(most.day) })
  return html`<figure class="usage-chart">
    <figcaption>${words}</figcaption>
    <svg
      role="img"
      aria-label=${words}
      viewBox="0 0 ${bars.length * (width + gap)} ${height}"
      preserveAspectRatio="none"
    >
      ${bars.map(({ day, value }, at) => {
        const share = Math.max(value > 0 ? 1 : 0, (value / most.value) * height)
        return svg`<rect x=${at * (width + gap)} y=${height - share} width=${width} height=${share}>
          <title>${date(day)}: ${amount(value)}</title>
        </rect>`
      })}
    </svg>
    <p aria-hidden="true"><span>${date(bars[0]?.day ?? '')}</span><span>${date(bars.at(-1)?.day ?? '')}</span></p>
  </figure>`
}
