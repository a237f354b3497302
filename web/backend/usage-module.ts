import { html, nothing } from 'lit'
import type { UsageAnswer, UsageLine, UsageSum } from '../../core/stage/usage/schema.ts'
import * as Chart from '../usage-chart.ts'
import { dollars, percent } from '../usage-figures.ts'
import { icon } from './icon.ts'
import { ModuleElement, reactive, refusalView, titledFrame, withState } from './module-element.ts'
import { amount, date, locale, t } from './text.ts'

/** The groupings of the totals. */
const views = ['user', 'group', 'model', 'day'] as const
type ViewName = (typeof views)[number]

const columns = ['turns', 'failed', 'calls', 'input', 'cacheRead', 'output', 'dollars'] as const
type Column = (typeof columns)[number]
const tokens: ReadonlySet<Column> = new Set(['input', 'cacheRead', 'output'] as const)

/**
 * Returns the columns that have figures: a demo counts no tokens, and the cost of a model without prices is unknown.
 */
const columnsOf = ({ input, output, dollars }: UsageSum): Column[] =>
  columns.filter((name) => (name === 'dollars' ? dollars !== null : !tokens.has(name) || input + output > 0))

/** The maximum number of days in one report. */
const mostDays = 92

/** The Usage module: the chat's usage by user, group, model and day, for administrators. */
class BackendUsage extends withState(ModuleElement<UsageAnswer>, {
  view: 'user' as ViewName,
  failure: undefined as unknown,
}) {
  static override properties = reactive('days')
  declare days: Chart.Days
  protected override readonly keepsData = true

  constructor() {
    super()
    this.days = Chart.lastDays()
  }

  protected override get path(): string {
    return `/usage?from=${this.days.from}&to=${this.days.to}`
  }

  override render(): unknown {
    const content = html`${this.failure === undefined ? nothing : refusalView(this.failure, this.#export)}
      ${super.render()}`
    return titledFrame(t('module.usage'), this.#tools(), content)
  }

  #tools(): unknown {
    return html`${this.#dayField('from')} ${this.#dayField('to')}
      <div class="segments" role="group" aria-label=${t('usage.by')}>${views.map(
        (view) =>
          html`<button type="button" aria-pressed=${view === this.view} @click=${() => {
            this.view = view
          }}>${t(`usage.${view}`)}</button>`,
      )}</div>
      <button class="btn btn-sm btn-quiet" type="button" @click=${this.#export}>
        ${icon('download')}${t('usage.export')}
      </button>`
  }

  #dayField(name: keyof Chart.Days): unknown {
    return html`<label class="row meta day"><span>${t(`usage.${name}`)}</span>
      <input class="input input-sm" type="date" max=${Chart.dayOf(Date.now())} .value=${this.days[name]}
        @change=${(event: Event) => this.#choose(name, (event.target as HTMLInputElement).value)} />
    </label>`
  }

  protected override draw(answer: UsageAnswer): unknown {
    const { total } = answer
    return html`<div class="stack page page-list">
      <p class="meta" role="status">${wordsOf(answer)}</p>
      ${total.turns === 0 ? nothing : html`${Chart.usageChart(answer, budgetOf(answer, 'day'), chartWords)} ${this.#table(answer)}`}
    </div>`
  }

  #table(answer: UsageAnswer): unknown {
    const names = columnsOf(answer.total)
    const budget = budgetOf(answer, this.view)
    const lines = linesOf(answer, this.view)
    return html`<div class="card table-wrap rows rows-usage" role="region" aria-label=${t('module.usage')} tabindex="0">
      <table>
        <thead><tr>
          <th scope="col">${t(`usage.${this.view}`)}</th>
          ${[...names, ...(budget === null ? [] : ['share' as const])].map((name) => html`<th scope="col" class="figure">${t(`usage.${name}`)}</th>`)}
        </tr></thead>
        <tbody>${lines.map((line) => row(lineLabel(line, this.view), line, names, budget === null ? null : percent(locale(), Chart.tokensOf(line) / budget)))}</tbody>
        <tfoot>${row(t('usage.total'), answer.total, names, budget === null ? null : '')}</tfoot>
      </table>
    </div>`
  }

  /** Sets one end of the range, and moves the other end if the range would be empty or too long. */
  #choose(name: keyof Chart.Days, day: string): void {
    if (!day) return
    const time = Date.parse(day)
    const far = (mostDays - 1) * Chart.dayMs
    const within = (end: string, least: number, most: number) =>
      Chart.dayOf(Math.min(Math.max(Date.parse(end), least), most))
    if (name === 'from') this.days = { from: day, to: within(this.days.to, time, time + far) }
    else this.days = { from: within(this.days.from, time - far, time), to: day }
  }

  #export = async (): Promise<void> => {
    const { from, to } = this.days
    this.failure = undefined
    try {
      Chart.saveReport(await this.api.get(`/usage/export?from=${from}&to=${to}`), this.days)
    } catch (error) {
      this.failure = error
    }
  }
}

customElements.define('backend-usage', BackendUsage)

/** Returns the sentences that explain the figures, and the reason for missing figures. */
function wordsOf({ since, from, total, unpriced }: UsageAnswer): string {
  if (total.turns === 0) return t('usage.none')
  const cost = t(total.dollars === null ? 'usage.noPrices' : 'usage.utc')
  const priced = since > from ? t('usage.cut', { day: date(since) }) : cost
  const isPartly = total.dollars !== null && unpriced.length > 0
  const words = isPartly ? `${priced} ${t('usage.unpriced', { models: unpriced.join(', ') })}` : priced
  return total.input + total.output === 0 ? `${words} ${t('usage.noTokens')}` : words
}

const chartWords: Chart.ChartWords = {
  title: ({ kind, ...params }) => t(`usage.chart.${kind}`, params),
  date,
  amount,
  percent: (share) => percent(locale(), share),
}

/** Returns a row of the table; `share` is the text of the last cell. If it is null, the row has no such cell. */
const row = (name: string, sum: UsageSum, names: readonly Column[], share: string | null) => html`<tr>
  <th scope="row" dir="auto">${name}</th>
  ${names.map((column) => html`<td class="figure">${figure(sum, column)}</td>`)}
  ${share === null ? nothing : html`<td class="figure">${share}</td>`}
</tr>`

/** Returns the token limit of each row of the view; null if there is no limit or no tokens are counted. */
function budgetOf(answer: UsageAnswer, view: ViewName): number | null {
  const { budget, total } = answer
  if (Chart.tokensOf(total) === 0) return null
  if (view === 'day') return budget.stage
  return view === 'user' && budget.user ? budget.user * Chart.daysOf(answer) : null
}

/** Returns the rows of a view: days with the newest first, all others with the most tokens first. */
function linesOf({ byUser, byGroup, byModel, byDay }: UsageAnswer, view: ViewName): UsageLine[] {
  if (view === 'day') return byDay.toReversed()
  const lines = { user: byUser, group: byGroup, model: byModel }[view]
  return lines.toSorted((a, b) => b.input + b.output - (a.input + a.output))
}

function lineLabel({ key, name }: UsageLine, view: ViewName): string {
  if (view === 'day') return date(key)
  if (view === 'user') return name ?? t('usage.gone', { uid: key })
  return name || t(view === 'group' ? 'usage.noGroup' : 'usage.noModel')
}

function figure(sum: UsageSum, column: Column): string {
  if (column !== 'dollars') return amount(sum[column])
  if (sum.dollars !== null) return dollars(locale(), sum.dollars)
  return sum.input + sum.output === 0 ? '' : t('usage.unknown')
}
