import { html, nothing, type TemplateResult } from 'lit'
import type { HistoryEntry } from '../../core/cms/schema.ts'
import { moment, t } from './text.ts'

/** Who changed what in a record and when, the newest first; each entry opens to its fields before and after. */
export function historyList(entries: HistoryEntry[]): TemplateResult {
  return html`<section class="changes" aria-labelledby="history-title">
    <h2 id="history-title">${t('record.history')}</h2>
    ${
      entries.length === 0
        ? html`<p class="meta">${t('record.historyNone')}</p>`
        : html`<ul>${entries.map((entry) => html`<li>${item(entry)}</li>`)}</ul>`
    }
  </section>`
}

function item(entry: HistoryEntry): TemplateResult {
  const line = html`<bdi>${entry.user}</bdi> <span>${t(`action.${entry.action}`)}</span>
    <time datetime=${entry.at}>${moment(entry.at)}</time>
    ${entry.correlationId ? html`<span class="badge">${t('record.byChat')}</span>` : nothing}`
  if (entry.changes.length === 0) return html`<p class="change-line">${line}</p>`
  return html`<details>
    <summary class="change-line">${line} <span class="meta">${entry.changes.map((change) => change.label).join(', ')}</span></summary>
    <dl>${entry.changes.map(
      (change) => html`<div><dt>${change.label}</dt>
        <dd class="was"><span class="vh">${t('record.before')}: </span>${value(change.before)}</dd>
        <dd class="is"><span class="vh">${t('record.after')}: </span>${value(change.after)}</dd></div>`,
    )}</dl>
  </details>`
}

function value(text: string | null): unknown {
  return text === null || text === ''
    ? html`<em>${t('record.empty')}</em>`
    : html`<span dir="auto">${text}</span>`
}
