import { html, nothing, type TemplateResult } from 'lit'
import type { OwnInstructionsAnswer } from '../../../core/user/own-instructions/schema.ts'
import { busy, listDialog } from './list-dialog.ts'
import type { View } from './view.ts'

type State = {
  /** The stored instructions; null until they are loaded. */
  text: string | null
  problem: string | null
  isBusy: boolean
}

/** The most characters that the stage accepts. */
const max = 2_000

const dialog = listDialog<State>(
  () => ({ text: null }),
  (view, state) =>
    busy(view, state, async (api) => {
      state.text = (await api.get<OwnInstructionsAnswer>('/instructions')).text
    }),
)

/** The part of the dialog of instructions that is about all conversations of the user. */
export function ownInstructions(view: View): {
  field: TemplateResult
  /** Stores the changed text of the field; false if the stage refused, which the dialog then shows. */
  save(): Promise<boolean>
  closing(): void
} {
  const { t } = view
  const state = dialog.of(view)
  const input = () => view.find<HTMLTextAreaElement>('#own-instructions')
  const used = [...(input()?.value ?? state.text ?? '')].length
  const save = async () => {
    const text = input()?.value.trim() ?? ''
    if (state.text === null || text === state.text) return true
    return busy(view, state, async (api) => {
      state.text = (await api.post<OwnInstructionsAnswer>('/instructions', { text })).text
    })
  }
  const field = html`${state.problem ? html`<p class="bar-bad" role="alert">${state.problem}</p>` : nothing}
    <div class="field">
      <label for="own-instructions">${t('instructions.own')}</label>
      <textarea
        class="input"
        id="own-instructions"
        rows="4"
        dir="auto"
        ?disabled=${state.text === null}
        .defaultValue=${state.text ?? ''}
        @input=${() => view.requestUpdate()}
      ></textarea>
      <div class="field-foot"><span>${t('instructions.ownApplies')}</span><span>${t('instructions.count', { used, max })}</span></div>
    </div>`
  return { field, save, closing: dialog.closing(view) }
}
