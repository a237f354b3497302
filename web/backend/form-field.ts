import { html, nothing, type TemplateResult } from 'lit'
import { live } from 'lit/directives/live.js'
import type { CmsRecord, Field } from '../../core/cms/schema.ts'
import { type FieldValue, read, write } from './draft.ts'

type Options = {
  value: CmsRecord['fields'][string]
  problem: string | undefined
  isReadOnly: boolean
  onChange(value: FieldValue): void
}

/** A field of a record as its control, with its label, and what is wrong with it where something is. */
export function fieldRow(field: Field, options: Options): TemplateResult {
  const id = `field-${field.name}`
  const { problem } = options
  return html`<div class="field field-${field.kind}">
    <label for=${id}>${field.label}${field.required ? html`<span class="required" aria-hidden="true">*</span>` : nothing}</label>
    ${control(field, id, options)}
    ${problem ? html`<p class="field-problem" id="${id}-problem">${problem}</p>` : nothing}
  </div>`
}

function control(field: Field, id: string, options: Options): TemplateResult {
  const { problem, isReadOnly, value } = options
  const isFixed = isReadOnly || field.readOnly
  const describedBy = problem ? `${id}-problem` : nothing
  const change = (event: Event) => {
    const target = event.target as HTMLInputElement
    options.onChange(read(field, target.value, target.checked))
  }
  const text = write(field, value)
  switch (field.kind) {
    case 'boolean':
      return html`<input id=${id} type="checkbox" class="check" .checked=${live(value === true)} ?disabled=${isFixed}
        aria-invalid=${problem !== undefined} aria-describedby=${describedBy} @change=${change} />`
    case 'longtext':
    case 'html':
      return html`<textarea id=${id} class="input ${field.kind === 'html' ? 'input-code' : ''}" dir="auto"
        rows=${field.kind === 'html' ? 8 : 3} ?readonly=${isFixed} aria-required=${field.required}
        aria-invalid=${problem !== undefined} aria-describedby=${describedBy} .value=${live(text)}
        @input=${change}></textarea>`
    case 'select':
      return html`<select id=${id} class="input" ?disabled=${isFixed} aria-describedby=${describedBy} @change=${change}>
        ${(field.options ?? []).map((option) => html`<option value=${option} ?selected=${option === text}>${option}</option>`)}
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
