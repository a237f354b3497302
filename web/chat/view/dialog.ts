import { html, nothing, type TemplateResult } from 'lit'
import type { Key } from '../../../core/base/languages/sentence.ts'
import type { StatusAnswer } from '../../../core/chat/status-request.ts'
import type { FileInfoAnswer } from '../../../core/file/schema.ts'
import type { OwnUsageAnswer, UsageSum } from '../../../core/stage/usage/schema.ts'
import chartCss from '../../usage-chart.css?inline'
import { lastDays, saveReport, tokensOf, usageChart } from '../../usage-chart.ts'
import { dollars, percent } from '../../usage-figures.ts'
import type { Api } from '../api.ts'
import { icon } from '../icon.ts'
import { adoptStyles } from '../style/sheet.ts'
import { closer, type DialogState, frame, listDialog, problemLine, tryInDialog } from './dialog-frame.ts'
import type { View } from './view.ts'

/** Draws the dialog of keyboard shortcuts, with two settings. */
export function keys(view: View): TemplateResult {
  const { t, store } = view
  const row = (words: string, ...combinations: string[]) => html`<dt>${words}</dt>
    <dd class="row fine">${combinations.map((keys, index) => html`${index > 0 ? t('keys.between') : nothing}<kbd>${keys}</kbd>`)}</dd>`
  const { memory } = store
  const check = (name: 'enterSends' | 'shortcuts', words: string) => {
    const set = ({ target }: Event) => {
      store.keep({ [name]: (target as HTMLInputElement).checked })
      store.changed()
    }
    return html`<label class="row check"><input type="checkbox" .checked=${memory[name]} @change=${set} />${words}</label>`
  }
  const enter = t('keys.enter')
  const ctrl = (key: string) => t('keys.withCtrl', { key })
  const body = html`<div class="dialog-body">
    <dl class="keys-list">
      ${memory.enterSends === false ? nothing : row(t('keys.send'), enter)}
      ${row(t('keys.sendAlways'), ctrl(enter))} ${row(t('keys.line'), t('keys.withShift', { key: enter }))}
      ${row(t('keys.edit'), '↑')} ${row(t('keys.jump'), 'Alt ↑', 'Alt ↓')} ${row(t('keys.toggle'), ctrl('Alt K'))}
      ${row(t('keys.new'), ctrl('Alt N'))} ${row(t('keys.stop'), ctrl('Alt .'))}
      ${row(t('keys.now'), ctrl(`Alt ${enter}`))}
      ${row(t('keys.approval'), ctrl('Alt A'))} ${row(t('keys.help'), ctrl('Alt H'))}
      ${row(t('keys.escape'), 'Esc')}
    </dl>
    ${check('enterSends', t('keys.enterSends'))} ${check('shortcuts', t('keys.enabled'))}
  </div>`
  return frame(view, t('keys.title'), body, closer(view))
}

/** Draws the dialog that shows one picture, with a button to download it. */
export function picture(view: View, { name, url }: FileInfoAnswer): TemplateResult {
  const body = html`<div class="dialog-body"><img class="dialog-picture" src=${url} alt=${name} /></div>
    <div class="row dialog-foot">
      <span class="grow" aria-hidden="true"></span>
      <a class="btn" href=${url} download=${name} rel="noopener">${icon('download')}${view.t('file.download')}</a>
    </div>`
  return frame(view, name, body, closer(view))
}

type Tool = StatusAnswer['tools'][number]

const abilitiesDialog = listDialog<OwnUsage>(() => ({ usage: undefined }), readUsage)

/**
 * Draws the dialog of the assistant's abilities for this user: tools that read, tools that need approval, and
 * unavailable tools with the reason.
 */
export function abilities(view: View): TemplateResult {
  const { t, store } = view
  const { tools = [], usage } = store.status ?? {}
  const groups: [Key, Tool[]][] = [
    ['abilities.reads', tools.filter((tool) => tool.available && !tool.writes)],
    ['abilities.writes', tools.filter((tool) => tool.available && tool.writes)],
    ['abilities.not', tools.filter((tool) => !tool.available)],
  ]
  const body = html`<div class="dialog-body abilities">
    <p>${t('abilities.text')}</p>
    ${groups.map(([key, members]) => (members.length > 0 ? group(t(key), members) : nothing))}
    ${usage ? used(view, usage) : nothing} ${ownUsage(view, abilitiesDialog.of(view))}
  </div>`
  return frame(view, t('abilities.title'), body, abilitiesDialog.closer(view))
}

/** Draws tools under a heading; unavailable tools with the same reason stand below this reason. */
function group(heading: string, tools: readonly Tool[]): TemplateResult {
  const reasons = Map.groupBy(tools, ({ available, reason }) => (available ? null : reason))
  return html`<section>
    <h3>${heading}</h3>
    ${[...reasons].map(
      ([reason, members]) => html`${reason ? html`<small>${reason}</small>` : nothing}
        <ul>${members.map(({ title }) => html`<li>${title}</li>`)}</ul>`,
    )}
  </section>`
}

/** Draws `Used today: 12,400 of 100,000 tokens` with a bar. Without a limit, draws a sentence if there are tokens. */
function used({ t }: View, { todayTokens, dailyTokens }: StatusAnswer['usage']): unknown {
  if (dailyTokens !== null)
    return html`<div class="share"><span id="used">${t('abilities.usedOf', { count: todayTokens, limit: dailyTokens })}</span>
      <meter aria-labelledby="used" max=${dailyTokens} .value=${todayTokens}></meter></div>`
  return todayTokens > 0 ? html`<p>${t('abilities.used', { count: todayTokens })}</p>` : nothing
}

type Usage = NonNullable<OwnUsageAnswer['usage']>

/** The user's usage over the past days; `usage` is undefined until it is loaded, and null if it must not be shown. */
type OwnUsage = DialogState & { usage: Usage | null | undefined }

/** Loads the user's usage over the past days into the dialog. */
async function readUsage(state: OwnUsage, api: Api): Promise<void> {
  state.usage = (await api.get<OwnUsageAnswer>('/usage', lastDays())).usage
}

/** Draws the user's usage over the past days: a chart, a table, and a button that saves the table as a file. */
function ownUsage(view: View, state: OwnUsage): unknown {
  const { t } = view
  const { usage, problem } = state
  if (!usage && !problem) return nothing
  adoptStyles(view, chartCss)
  return html`<section class="stack own-usage">
    <h3>${t('ownUsage.title')}</h3>
    ${problemLine(problem)} ${usage ? figures(view, state, usage) : nothing}
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
    percent: (share) => percent(format.locale, share),
  })}
  ${models.length > 0 ? html`<p>${t('ownUsage.models', { models: models.join(', ') })}</p>` : nothing}
  ${usageTable(view, usage)}
  <button class="btn btn-sm btn-quiet" type="button" @click=${() => saveUsage(view, state)}>${icon('download')}${t('ownUsage.csv')}</button>`
}

function usageTable({ t, format }: View, { byDay, total }: Usage): unknown {
  const hasTokens = tokensOf(total) > 0
  const hasCost = total.dollars !== null
  const row = (name: string, sum: UsageSum) => html`<tr>
    <th scope="row">${name}</th>
    <td>${format.number(sum.turns)}</td>
    ${hasTokens ? html`<td>${format.number(tokensOf(sum))}</td>` : nothing}
    ${hasCost ? html`<td>${sum.dollars === null ? '–' : dollars(format.locale, sum.dollars)}</td>` : nothing}
  </tr>`
  const columns = (['day', 'turnCount', hasTokens && 'tokenCount', hasCost && 'cost'] as const).filter(
    (name) => name !== false,
  )
  return html`<div class="usage-days" role="region" aria-label=${t('ownUsage.title')} tabindex="0">
    <table>
      <thead><tr>${columns.map((name) => html`<th scope="col">${t(`ownUsage.${name}`)}</th>`)}</tr></thead>
      <tbody>${byDay.toReversed().map((line) => row(format.day(`${line.key}T12:00:00`), line))}</tbody>
      <tfoot>${row(t('ownUsage.total'), total)}</tfoot>
    </table>
  </div>`
}

async function saveUsage(view: View, state: OwnUsage): Promise<void> {
  const days = lastDays()
  await tryInDialog(view, state, async (api) => {
    saveReport(await api.download('/usage/export', days), days)
  })
  view.requestUpdate()
}
