import { html, nothing, type TemplateResult } from 'lit'
import type { CmsRecord, Table } from '../../core/cms/schema.ts'
import { format } from './route.ts'
import { moment, t } from './text.ts'

/** Records of one table in rows, each a link to its form. `hasPage` adds where each record lies. */
export function recordTable(table: Table, records: CmsRecord[], hasPage: boolean): TemplateResult {
  return html`<div class="rows" role="region" aria-labelledby="table-${table.name}" tabindex="0">
    <table>
      <thead><tr>
        <th scope="col">${t('list.title')}</th>
        ${hasPage ? html`<th scope="col" class="figure">${t('list.page')}</th>` : nothing}
        <th scope="col">${t('list.changed')}</th>
        <th scope="col" class="figure">${t('list.uid')}</th>
      </tr></thead>
      <tbody>${records.map((record) => row(record, hasPage))}</tbody>
    </table>
  </div>`
}

function row(record: CmsRecord, hasPage: boolean): TemplateResult {
  const href = format({ module: 'record', table: record.table, uid: record.uid })
  return html`<tr>
    <td><a href=${href} dir="auto">${record.title}</a>${
      record.hidden ? html` <span class="badge">${t('frame.hidden')}</span>` : nothing
    }</td>
    ${hasPage ? html`<td class="figure">${record.pid || ''}</td>` : nothing}
    <td><time datetime=${record.changedAt}>${moment(record.changedAt)}</time></td>
    <td class="figure">${record.uid}</td>
  </tr>`
}
