import { html, nothing, type TemplateResult } from 'lit'
import type { CmsRecord, PageAnswer, RecordsAnswer, Table, TablesAnswer } from '../../core/cms/schema.ts'
import type { RecordId } from '../../core/conversation/schema.ts'
import { recordPath } from './backend-api.ts'
import { sendBackendEvent } from './events.ts'
import { icon } from './icon.ts'
import { crumbs, ModuleElement, reactive } from './module-element.ts'
import { addressOf, type ListPlace } from './route.ts'
import { moment, t } from './text.ts'

type Shown = { tables: Table[]; page: PageAnswer['page'] | undefined; lists: RecordsAnswer[] }

/** The maximum number of records per table while all tables are shown. */
const glance = 10
const atOnce = 50

/**
 * The List module: the records of one table or of all tables, on one page or on all pages.
 *
 * @fires backend-shown - when records were loaded; the detail has the page, or the table's label if all pages are shown
 * @fires backend-go - when the user chose a table or pages; the detail is the place
 */
class BackendList extends ModuleElement<Shown> {
  static override properties = reactive('place', 'lastPage')
  declare place: ListPlace
  /** The page that the user opened last; the button for a single page leads to it. */
  declare lastPage: number | null

  protected override get path(): string {
    return addressOf(this.place)
  }

  protected override accept(shown: Shown): void {
    super.accept(shown)
    const { page, lists } = shown
    const mayEdit = page?.mayEdit || lists.some(({ records }) => records.some((record) => record.mayEdit))
    sendBackendEvent(this, 'backend-shown', {
      title: page?.title ?? lists[0]?.table.label ?? '',
      page: page ? { uid: page.uid, title: page.title, mayEdit } : null,
    })
  }

  protected override draw({ tables, page, lists }: Shown): unknown {
    const { table, offset } = this.place
    const label = tables.find(({ name }) => name === table)?.label
    const filled = lists.filter(({ total }) => total > 0)
    const single = table === null ? undefined : lists[0]
    return html`<div class="frame-head">
        ${page ? crumbs(page.path, 'list') : crumbs([], 'list', label ?? t('module.list'))}
        ${this.#scope(page !== undefined)} ${this.#tableChoice(tables)}
      </div>
      <div class="frame-body"><div class="stack page page-list">
        <div class="stack page-title"><h1><bdi>${page ? page.title : (label ?? t('list.all'))}</bdi></h1></div>
        ${filled.length === 0 ? html`<p class="meta">${t('list.none')}</p>` : nothing}
        ${filled.map((list) => this.#table(list))} ${single ? this.#pager(single.total, offset) : nothing}
      </div></div>`
  }

  #table({ table, records, total }: RecordsAnswer): unknown {
    const all = addressOf({ module: 'list', table: table.name, page: this.place.page, offset: 0 })
    return html`<section class="stack records">
      <h2 id="table-${table.name}">${table.label} <span class="meta">${total}</span></h2>
      ${recordTable(table, records, this.place.page === null)}
      ${
        this.place.table === null && total > records.length
          ? html`<p><a href=${all}>${t('list.showAll', { count: total })}</a></p>`
          : nothing
      }
    </section>`
  }

  #tableChoice(tables: Table[]): unknown {
    const choose = (event: Event) => {
      const table = (event.target as HTMLSelectElement).value || null
      this.#go(table, this.place.page ?? this.lastPage)
    }
    return html`<label class="choice"><span class="vh">${t('list.table')}</span>
      <select class="input input-sm" id="list-table" @change=${choose}>
        <option value="" ?selected=${this.place.table === null}>${t('list.all')}</option>
        ${tables.map((table) => html`<option value=${table.name} ?selected=${table.name === this.place.table}>${table.label}</option>`)}
      </select>
    </label>`
  }

  #scope(isThisPage: boolean): unknown {
    if (this.place.table === null) return nothing
    const { table } = this.place
    const turn = (page: RecordId | null) => () => this.#go(table, page)
    return html`<div class="segments" role="group" aria-label=${t('list.scope')}>
      <button type="button" id="list-page" aria-pressed=${isThisPage} @click=${turn(this.lastPage ?? 1)}>${t('list.thisPage')}</button>
      <button type="button" id="list-pages" aria-pressed=${!isThisPage} @click=${turn(null)}>${t('list.everyPage')}</button>
    </div>`
  }

  #pager(total: number, offset: number): unknown {
    if (total <= atOnce) return nothing
    const to = Math.min(offset + atOnce, total)
    const href = (from: number) => addressOf({ ...this.place, offset: Math.max(0, from) })
    return html`<nav class="row meta" aria-label=${t('list.scope')}>
      <span>${t('list.range', { from: offset + 1, to, total })}</span>
      ${offset > 0 ? html`<a class="btn btn-sm" href=${href(offset - atOnce)}>${icon('back')}${t('list.previous')}</a>` : nothing}
      ${to < total ? html`<a class="btn btn-sm" href=${href(to)}>${t('list.next')}${icon('right')}</a>` : nothing}
    </nav>`
  }

  #go(table: string | null, page: RecordId | null): void {
    sendBackendEvent(this, 'backend-go', { module: 'list', table, page, offset: 0 })
  }

  protected override async load(): Promise<Shown> {
    const { table, page, offset } = this.place
    const [{ tables }, answer] = await Promise.all([
      this.api.get<TablesAnswer>('/records'),
      page === null ? undefined : this.api.get<PageAnswer>(`/pages/${page}`),
    ])
    const names = table === null ? tables.map(({ name }) => name) : [table]
    const limit = table === null ? glance : atOnce
    const query = `?limit=${limit}&offset=${offset}${page === null ? '' : `&page=${page}`}`
    const lists = await Promise.all(
      names.map((name) => this.api.get<RecordsAnswer>(recordPath(name) + query)),
    )
    return { tables, page: answer?.page, lists }
  }
}

customElements.define('backend-list', BackendList)

/** Draws the records of one table as rows, each with a link to its form. `hasPage` adds the page of each record. */
function recordTable(table: Table, records: CmsRecord[], hasPage: boolean): TemplateResult {
  return html`<div class="card table-wrap rows" role="region" aria-labelledby="table-${table.name}" tabindex="0">
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
  const href = addressOf({ module: 'record', table: record.table, uid: record.uid })
  return html`<tr>
    <td><a href=${href} dir="auto">${record.title}</a>${
      record.hidden ? html` <span class="badge">${t('frame.hidden')}</span>` : nothing
    }</td>
    ${hasPage ? html`<td class="figure">${record.pid || ''}</td>` : nothing}
    <td><time datetime=${record.changedAt}>${moment(record.changedAt)}</time></td>
    <td class="figure">${record.uid}</td>
  </tr>`
}
