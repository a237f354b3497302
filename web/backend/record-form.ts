import { html, nothing, type PropertyValues, type TemplateResult } from 'lit'
import type { CmsRecord, HistoryEntry, RecordAnswer } from '../../core/cms/schema.ts'
import type { RecordId } from '../../core/conversation/schema.ts'
import { RequestError, recordPath } from './backend-api.ts'
import { sendBackendEvent } from './events.ts'
import { crumbs, ModuleElement, reactive, withState } from './module-element.ts'
import * as Field from './record-field.ts'
import { addressOf, type ListPlace, type PagePlace } from './route.ts'
import { moment, t } from './text.ts'

/**
 * A record in a form, with its history. Unsaved changes are kept while another module is open. A save never overwrites
 * a change that another user made meanwhile.
 *
 * @fires backend-shown - when the form shows a record; the detail has the record's title and page
 * @fires backend-changed - when a record was saved; the detail is its table
 */
class BackendRecord extends withState(ModuleElement<RecordAnswer>, {
  values: {} as Field.Draft['values'],
  /** The problems by field. */
  refused: {} as Record<string, string>,
  failure: undefined as RequestError | undefined,
  said: '',
  /** The paths of the records whose save is under way. */
  saving: [] as string[],
}) {
  static override properties = reactive('table', 'uid', 'above')
  declare table: string
  declare uid: RecordId
  /** The place that `Close` opens; the breadcrumbs lead to pages in the same module. */
  declare above: PagePlace | ListPlace
  #version = ''

  protected override get path(): string {
    return recordPath(this.table, this.uid)
  }

  override willUpdate(changes: PropertyValues): void {
    if (changes.has('uid') || changes.has('table')) this.#say('')
    super.willUpdate(changes)
  }

  protected override draw({ table, record, page, history }: RecordAnswer): unknown {
    const leaf = t('site.labelled', { label: table.label, text: `${record.title} [${record.uid}]` })
    const isDirty = Object.keys(this.values).length > 0
    const shown = { ...record.fields, ...this.values }
    return html`<div class="frame-head">
        ${crumbs(page?.path ?? [], this.above.module, leaf)}
        ${isDirty ? html`<button class="btn btn-sm btn-quiet" type="button" @click=${this.#discard}>${t('record.discard')}</button>` : nothing}
        <a class="btn btn-sm btn-quiet" href=${addressOf(this.above)}>${t('record.close')}</a>
        ${record.mayEdit ? html`<button class="btn btn-sm btn-primary" type="submit" form="record-form" aria-disabled=${this.saving.includes(this.path)}>${t('record.save')}</button>` : nothing}
      </div>
      <div class="frame-body"><div class="stack page">
        <div class="stack page-title"><h1><bdi>${record.title}</bdi></h1>
          <p class="meta">${table.label} [${record.uid}]${record.hidden ? html`, <span class="badge">${t('frame.hidden')}</span>` : nothing}${isDirty ? html`, ${t('record.unsaved')}` : nothing}</p>
        </div>
        ${record.mayEdit ? nothing : html`<p class="notice">${t('record.readOnly')}</p>`}
        ${this.#notice()}
        <p class="vh" role="status">${this.said}</p>
        <form id="record-form" class="stack record-form" novalidate @submit=${(event: Event) => this.#submit(event, table.fields)}>
          ${table.fields.map((field) =>
            Field.fieldRow(field, {
              value: shown[field.name] ?? null,
              problem: this.refused[field.name],
              isReadOnly: !record.mayEdit,
              onChange: (value) => this.#change(record, field.name, value),
            }),
          )}
        </form>
        ${historyList(history)}
      </div></div>`
  }

  #notice(): unknown {
    const { failure } = this
    if (!failure && Object.keys(this.refused).length > 0)
      return html`<p class="row row-wrap notice-bad" role="alert">${t('record.invalid')}</p>`
    if (!failure) return this.said ? html`<p class="notice-ok" aria-hidden="true">${this.said}</p>` : nothing
    const reload = html`<button class="btn btn-sm" type="button" @click=${this.#discard}>${t('record.reload')}</button>`
    const details = Object.values(failure.fields)
    return html`<div class="row row-wrap notice-bad" role="alert">
      <p>${t('site.labelled', { label: t('record.notSaved'), text: details.length > 0 ? details.join(' ') : failure.message })}</p>
      ${failure.code === 'record.changed' ? reload : nothing}
    </div>`
  }

  #change(record: CmsRecord, name: string, value: Field.FieldValue): void {
    this.values = Field.changeValue(record, this.values, name, value)
    const { [name]: _, ...others } = this.refused
    this.refused = others
    this.#say('')
    Field.keepDraft(this.path, { version: this.#version, values: this.values })
  }

  async #submit(event: Event, fields: RecordAnswer['table']['fields']): Promise<void> {
    event.preventDefault()
    if (this.saving.includes(this.path)) return
    if (Object.keys(this.values).length === 0) return this.#say(t('record.nothing'))
    this.refused = Field.validateDraft(fields, this.values)
    if (Object.keys(this.refused).length > 0) return this.#focusFirst()
    await this.#save()
  }

  /** Saves the values. The user may type on meanwhile, or open another record, which the answer must not replace. */
  async #save(): Promise<void> {
    const { path, table, values } = this
    this.saving = [...this.saving, path]
    try {
      const answer = await this.api.post<RecordAnswer>(path, { version: this.#version, fields: values })
      Field.leaveTyped(path, values, answer.record.version)
      if (path === this.path) {
        this.accept(answer)
        this.#say(t('record.saved'))
      }
      sendBackendEvent(this, 'backend-changed', table)
    } catch (error) {
      if (!(error instanceof RequestError)) throw error
      if (path === this.path) await this.#refuse(error)
    } finally {
      this.saving = this.saving.filter((one) => one !== path)
    }
  }

  async #refuse(error: RequestError): Promise<void> {
    const names = new Set(this.data?.table.fields.map((field) => field.name))
    const known = Object.entries(error.fields).filter(([name]) => names.has(name))
    this.#say('')
    this.refused = Object.fromEntries(known)
    this.failure = known.length > 0 ? undefined : error
    if (known.length > 0) await this.#focusFirst()
  }

  async #focusFirst(): Promise<void> {
    await this.updateComplete
    this.querySelector<HTMLElement>('[aria-invalid=true]')?.focus()
  }

  /** Fills the form with the stored record and the unsaved changes. */
  protected override accept(answer: RecordAnswer): void {
    super.accept(answer)
    const { record, page } = answer
    const draft = Field.drafts.get(recordPath(record.table, record.uid))
    this.values = draft?.values ?? {}
    this.#version = draft?.version ?? record.version
    this.refused = {}
    sendBackendEvent(this, 'backend-shown', {
      title: record.title,
      page: page && { uid: page.uid, title: page.title, mayEdit: record.mayEdit },
    })
  }

  #discard = (): void => {
    Field.drafts.delete(this.path)
    // The pressed button goes away with the changes.
    this.querySelector<HTMLElement>('[type=submit]')?.focus()
    this.#say('')
    void this.reload()
  }

  #say(text: string): void {
    this.said = text
    this.failure = undefined
  }
}

customElements.define('backend-record', BackendRecord)

/**
 * Returns the history of a record, newest first. Each entry shows user, time and action; the user can open it to see
 * its fields before and after.
 */
function historyList(entries: HistoryEntry[]): TemplateResult {
  return html`<section class="stack changes" aria-labelledby="history-title">
    <h2 id="history-title">${t('record.history')}</h2>
    ${
      entries.length === 0
        ? html`<p class="meta">${t('record.historyNone')}</p>`
        : html`<ul class="stack">${entries.map((entry) => html`<li>${item(entry)}</li>`)}</ul>`
    }
  </section>`
}

function item(entry: HistoryEntry): TemplateResult {
  const line = html`<bdi>${entry.user}</bdi> <span>${t(`action.${entry.action}`)}</span>
    <time class="faint" datetime=${entry.at}>${moment(entry.at)}</time>
    ${entry.correlationId ? html`<span class="badge">${t('record.byChat')}</span>` : nothing}`
  if (entry.changes.length === 0) return html`<p class="change-line">${line}</p>`
  return html`<details>
    <summary class="change-line">${line} <span class="meta">${entry.changes.map((change) => change.label).join(', ')}</span></summary>
    <dl class="stack">${entry.changes.map(
      (change) => html`<div class="stack"><dt>${change.label}</dt>
        <dd class="was"><span class="vh">${t('record.before')}: </span>${value(change.before)}</dd>
        <dd class="is"><span class="vh">${t('record.after')}: </span>${value(change.after)}</dd></div>`,
    )}</dl>
  </details>`
}

function value(text: string | null): unknown {
  return text === null || text === ''
    ? html`<em class="faint">${t('record.empty')}</em>`
    : html`<span dir="auto">${text}</span>`
}
