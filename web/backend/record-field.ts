import { html, nothing, type TemplateResult } from 'lit'
import { live } from 'lit/directives/live.js'
import type { CmsRecord, Field } from '../../core/cms/schema.ts'
import { t } from './text.ts'

/** The value of a control. */
export type FieldValue = string | number | boolean | null
/** The version of the record that the form shows, and the values that the user has changed. */
export type Draft = { version: string; values: Record<string, FieldValue> }

/** The unsaved changes, by the path of the record. They stay until the logout, also while other pages are open. */
export const drafts = new Map<string, Draft>()

/** Keeps the typed values as the draft; deletes the draft if no value is left. */
export function keepDraft(path: string, draft: Draft): void {
  if (Object.keys(draft.values).length > 0) drafts.set(path, draft)
  else drafts.delete(path)
}

/** Leaves in the draft only what was typed after the save of these values; it now changes the saved version. */
export function leaveTyped(path: string, saved: Draft['values'], version: string): void {
  const values = Object.entries(drafts.get(path)?.values ?? {}).filter(
    ([name, value]) => value !== saved[name],
  )
  keepDraft(path, { version, values: Object.fromEntries(values) })
}

/** Returns the values with the new value of one field. A value that equals the record's stored value is removed. */
export function changeValue(
  record: CmsRecord,
  values: Draft['values'],
  name: string,
  value: FieldValue,
): Draft['values'] {
  const { [name]: _, ...others } = values
  return value === (record.fields[name] ?? null) ? others : { ...others, [name]: value }
}

/** Validates the values as far as the browser can; returns the problems by field. */
export function validateDraft(fields: Field[], values: Draft['values']): Record<string, string> {
  return Object.fromEntries(
    fields.flatMap((field) => {
      const problem = field.name in values && validateField(field, values[field.name] ?? null)
      return problem ? [[field.name, problem]] : []
    }),
  )
}

function validateField(field: Field, value: FieldValue): string | undefined {
  if (field.required && (value === null || String(value).trim() === '')) return t('record.required')
  if (typeof value === 'number' && !Number.isFinite(value)) return t('record.noNumber')
  if (typeof value === 'string' && field.max !== null && [...value].length > field.max)
    return t('record.tooLong', { max: field.max })
  return undefined
}

/** Returns the value of a control, converted to the type that the field stores. */
export function readControl(field: Field, text: string, isChecked: boolean): FieldValue {
  switch (field.kind) {
    case 'boolean':
      return isChecked
    case 'number':
      return text.trim() === '' ? Number.NaN : Number(text)
    case 'relation':
    case 'media':
      return text.trim() === '' ? null : Number(text)
    case 'date':
      return text === '' ? null : new Date(text).toISOString()
    default:
      return text
  }
}

/** Returns the value as its control shows it. A time is shown in the browser's time zone, without seconds. */
export function formatForControl(field: Field, value: CmsRecord['fields'][string]): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : ''
  if (field.kind !== 'date' || typeof value !== 'string') return String(value)
  const date = new Date(value)
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

type FieldOptions = {
  value: CmsRecord['fields'][string]
  problem: string | undefined
  isReadOnly: boolean
  onChange(value: FieldValue): void
}

/** Returns the row of a field: its label, its control, and its problem if there is one. */
export function fieldRow(field: Field, options: FieldOptions): TemplateResult {
  const id = `field-${field.name}`
  const { problem } = options
  const star = field.required ? html`<span class="faint" aria-hidden="true">*</span>` : nothing
  const label = html`<label for=${id}>${field.label}${star}</label>`
  const input = control(field, id, options)
  return html`<div class="field field-${field.kind}">
    ${field.kind === 'boolean' ? [input, label] : [label, input]}
    ${problem ? html`<p class="field-problem" id="${id}-problem">${problem}</p>` : nothing}
  </div>`
}

function control(field: Field, id: string, options: FieldOptions): TemplateResult {
  const { problem, isReadOnly, value } = options
  const isFixed = isReadOnly || field.readOnly
  const describedBy = problem ? `${id}-problem` : nothing
  const change = (event: Event) => {
    const target = event.target as HTMLInputElement
    options.onChange(readControl(field, target.value, target.checked))
  }
  const text = formatForControl(field, value)
  switch (field.kind) {
    case 'boolean':
      return html`<input id=${id} type="checkbox" .checked=${live(value === true)} ?disabled=${isFixed}
        aria-invalid=${problem !== undefined} aria-describedby=${describedBy} @change=${change} />`
    case 'longtext':
    case 'html':
      return html`<textarea id=${id} class="input ${field.kind === 'html' ? 'input-code' : ''}" dir="auto"
        rows=${field.kind === 'html' ? 8 : 3} ?readonly=${isFixed} aria-required=${field.required}
        aria-invalid=${problem !== undefined} aria-describedby=${describedBy} .value=${live(text)}
        @input=${change}></textarea>`
    case 'select':
      return html`<select id=${id} class="input" ?disabled=${isFixed} aria-describedby=${describedBy} @change=${change}>
        ${(field.options ?? []).map((option) => html`<option value=${option} .selected=${option === text}>${option}</option>`)}
      </select>`
    default:
      return html`<input id=${id} class="input" dir="auto" type=${inputType(field)} ?readonly=${isFixed}
        aria-required=${field.required} aria-invalid=${problem !== undefined} aria-describedby=${describedBy}
        .value=${live(text)} @input=${change} />`
  }
}

function inputType(field: Field): string {
  if (field.kind === 'number' || field.kind === 'relation' || field.kind === 'media') return 'number'
  return field.kind === 'date' ? 'datetime-local' : 'text'
}
