import { html, nothing } from 'lit'
import type { OwnUsageAnswer, UsageSum } from '../../../core/stage/usage/schema.ts'
import chartCss from '../../usage-chart.css?inline'
import { tokensOf, usageChart } from '../../usage-chart.ts'
import { icon } from '../icon.ts'
import { adoptStyles } from '../style/sheet.ts'
import { type DialogState, refusal, tryInDialog } from './dialog-frame.ts'
import { download } from './user-file.ts'
import type { View } from './view.ts'

type Usage = NonNullable<OwnUsageAnswer['usage']>

/** The user's last days in the open dialog; `usage` is undefined until they are read, null where they are not shown. */
export type OwnUsage = DialogState & { usage: Usage | null | undefined }

const dayMs = 86_400_000
const shownDays = 30

const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10)

/** The days until today, in UTC as they are counted. */
const lastDays = () => {
  const today = Date.now()
  return { from: dayOf(today - (shownDays - 1) * dayMs), to: dayOf(today) }
}

/** Reads the user's last days into a dialog. */
export async function readUsage(view: View, state: OwnUsage): Promise<void> {
  await tryInDialog(view, state, async (api) => {
    state.usage = (await api.get<OwnUsageAnswer>('/usage', lastDays())).usage
  })
  view.requestUpdate()
}

/** The user's last days: a chart, a table of the days with use, and the same as a file. */
export function ownUsage(view: View, state: OwnUsage): unknown {
  const { t } = view
  const { usage, problem } = state
  if (!usage && !problem) return nothing
  adoptStyles(view, chartCss)
  return html`<section class="own-usage">
    <h3>${t('ownUsage.title')}</h3>
    ${refusal(problem)} ${usage ? figures(view, state, usage) : nothing}
  </section>`
}

function figures(view: View, state: OwnUsage, usage: Usage): unknown {
  const { t, format } = view
  if (usage.total.turns + usage.total.calls === 0) return html`<p>${t('ownUsage.none')}</p>`
  const budget = tokensOf(usage.total) > 0 ? usage.budget.user : null
  const models = usage.byModel.map(({ key }) => key).filter(Boolean)
  return html`${usageChart(usage, budget, {
    title: ({ kind, ...params }) => t(`ownUsage.${kind}`, params),
    date: (day) => format.day(`${day}T12:00:00`),
    amount: (count) => format.number(count),
    percent: (part) => format.percent(part),
  })}
  ${models.length > 0 ? html`<p>${t('ownUsage.models', { models: models.join(', ') })}</p>` : nothing}
  ${table(view, usage)}
  <button class="btn btn-sm btn-quiet" type="button" @click=${() => save(view, state)}>${icon('download')}${t('ownUsage.csv')}</button>`
}

function table({ t, format }: View, { byDay, total }: Usage): unknown {
  const hasTokens = tokensOf(total) > 0
  const hasCost = total.dollars !== null
  const row = (name: string, sum: UsageSum) => html`<tr>
    <th scope="row">${name}</th>
    <td>${format.number(sum.turns)}</td>
    ${hasTokens ? html`<td>${format.number(tokensOf(sum))}</td>` : nothing}
    ${hasCost ? html`<td>${sum.dollars === null ? '–' : format.dollars(sum.dollars)}</td>` : nothing}
  </tr>`
  const head = [
    'day',
    'turnCount',
    ...(hasTokens ? ['tokenCount' as const] : []),
    ...(hasCost ? ['cost' as const] : []),
  ] as const
  return html`<div class="usage-days" role="region" aria-label=${t('ownUsage.title')} tabindex="0">
    <table>
      <thead><tr>${head.map((name) => html`<th scope="col">${t(`ownUsage.${name}`)}</th>`)}</tr></thead>
      <tbody>${byDay.toReversed().map((line) => row(format.day(`${line.key}T12:00:00`), line))}</tbody>
      <tfoot>${row(t('ownUsage.total'), total)}</tfoot>
    </table>
  </div>`
}

async function save(view: View, state: OwnUsage): Promise<void> {
  const days = lastDays()
  await tryInDialog(view, state, async (api) => {
    const href = URL.createObjectURL(await api.download('/usage/export', days))
    download(href, `usage-${days.from}-${days.to}.csv`)
    URL.revokeObjectURL(href)
  })
  view.requestUpdate()
}
