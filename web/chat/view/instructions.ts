import { html, nothing, type TemplateResult } from 'lit'
import { live } from 'lit/directives/live.js'
import type { InstructionsAnswer } from '../../../core/user/schema.ts'
import * as Manage from '../store/manage.ts'
import { remarkText } from './announcer.ts'
import { type DialogState, frame, listDialog, problemLine, workInDialog } from './dialog-frame.ts'
import type { View } from './view.ts'

type Tab = 'this' | 'all'

type InstructionsState = DialogState & {
  tab: Tab
  /** The user's stored instructions for all conversations; null until they are loaded. */
  text: string | null
  /** The instructions of the stage for all users; empty if it has none. */
  houseStyle: string
  /** The changed words of each field. A resized panel draws new fields, which get these words. */
  typed: Partial<Record<Tab, string>>
}

const instructionsDialog = listDialog<InstructionsState>(
  () => ({ tab: 'this', text: null, houseStyle: '', typed: {} }),
  async (state, api) => {
    const { text, houseStyle } = await api.get<InstructionsAnswer>('/instructions')
    Object.assign(state, { text, houseStyle })
  },
)

/** Draws the dialog of instructions: a tab for this conversation, and a tab for all conversations of the user. */
export function instructions(view: View): TemplateResult {
  const { t, conversation } = view
  const state = instructionsDialog.of(view)
  const close = instructionsDialog.closer(view)
  const isStored = storedIn(view, state, state.tab) !== ''
  const save = async (event: Event) => {
    event.preventDefault()
    const all = state.text === null ? null : writtenIn(view, state, 'all').trim()
    if (await put(view, state, all, writtenIn(view, state, 'this').trim())) close()
  }
  const remove = async () => {
    const isThis = state.tab === 'this'
    const own = isThis ? '' : conversation.transcript.systemPrompt
    if (await put(view, state, isThis ? null : '', own)) close()
  }
  const problem =
    state.problem ?? (conversation.remark?.kind === 'problem' ? remarkText(conversation, t) : null)
  const body = html`<form class="dialog-body" id="instructions-form" @submit=${save}>
      <div class="segments" role="tablist" aria-label=${t('instructions.title')} @keydown=${(event: KeyboardEvent) => pressTab(view, state, event)}>
        ${tab(view, state, 'this')}${tab(view, state, 'all')}
      </div>
      ${problemLine(problem)}
      ${state.houseStyle ? style(view, state.houseStyle) : nothing}
      ${panel(view, state, 'this')}${panel(view, state, 'all')}
    </form>
    <div class="row dialog-foot">
      ${isStored ? html`<button class="btn btn-quiet" type="button" aria-disabled=${String(state.isBusy)} @click=${remove}>${t('instructions.remove')}</button>` : nothing}
      <span class="grow" aria-hidden="true"></span>
      <button class="btn" type="button" @click=${close}>${t('app.cancel')}</button>
      <button class="btn btn-primary" type="submit" form="instructions-form" aria-disabled=${String(state.isBusy)}>${t('instructions.save')}</button>
    </div>`
  return frame(view, t('instructions.title'), body, close)
}

/** Draws the stage's instructions, folded; the user's instructions are added to them. */
const style = ({ t }: View, text: string) =>
  html`<details class="house-style">
    <summary>${t('instructions.houseStyle')}</summary>
    <p dir="auto">${text}</p>
  </details>`

const storedIn = ({ conversation }: View, { text }: InstructionsState, tab: Tab) =>
  tab === 'this' ? conversation.transcript.systemPrompt : (text ?? '')
const writtenIn = (view: View, state: InstructionsState, tab: Tab) =>
  state.typed[tab] ?? storedIn(view, state, tab)

function tab(view: View, state: InstructionsState, name: Tab): TemplateResult {
  return html`<button type="button" role="tab" id="tab-${name}" aria-controls="panel-${name}"
      aria-selected=${String(state.tab === name)} tabindex=${state.tab === name ? 0 : -1}
      @click=${() => change(view, state, { tab: name })}>${view.t(`instructions.${name}`)}</button>`
}

function change(view: View, state: InstructionsState, made: Partial<InstructionsState>): void {
  Object.assign(state, made)
  view.requestUpdate()
}

/** Moves between the tabs with the arrow keys, as in the WAI-ARIA tabs pattern. */
function pressTab(view: View, state: InstructionsState, event: KeyboardEvent): void {
  if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return
  event.preventDefault()
  const name = state.tab === 'this' ? 'all' : 'this'
  change(view, state, { tab: name })
  view.find(`#tab-${name}`)?.focus()
}

function panel(view: View, state: InstructionsState, name: Tab): TemplateResult {
  const { t, store } = view
  const isThis = name === 'this'
  const words = writtenIn(view, state, name)
  const { maxSystemPromptLength, maxCharacters } = store.status ?? {}
  const max = isThis ? maxSystemPromptLength : maxCharacters?.instructions
  const type = ({ target }: Event) =>
    change(view, state, { typed: { ...state.typed, [name]: (target as HTMLTextAreaElement).value } })
  return html`<div class="dialog-panel" role="tabpanel" id="panel-${name}" aria-labelledby="tab-${name}" ?hidden=${state.tab !== name}>
    <p>${t(isThis ? 'instructions.text' : 'instructions.ownApplies')}</p>
    <div class="field">
      <label for="instructions-${name}">${t(isThis ? 'instructions.field' : 'instructions.own')}</label>
      <textarea class="input" id="instructions-${name}" rows="8" dir="auto" ?autofocus=${isThis}
        placeholder=${t(isThis ? 'instructions.example' : 'instructions.ownExample')}
        ?disabled=${!isThis && state.text === null} .defaultValue=${storedIn(view, state, name)}
        .value=${live(words)} @input=${type}></textarea>
      <div class="fine field-foot"><span>${t('instructions.applies')}</span><span>${max ? t('instructions.count', { used: [...words].length, max }) : nothing}</span></div>
    </div>
  </div>`
}

/** Stores the changed instructions; resolves to false after a refusal, which the dialog then shows. */
async function put(view: View, state: InstructionsState, all: string | null, own: string): Promise<boolean> {
  const { store, conversation } = view
  let isStored = false
  await workInDialog(view, state, async (api) => {
    if (all !== null && all !== state.text)
      state.text = (await api.post<InstructionsAnswer>('/instructions', { text: all })).text
    const isSame = own === conversation.transcript.systemPrompt
    isStored = isSame || (await Manage.instruct(store, conversation, own))
  })
  return isStored
}
