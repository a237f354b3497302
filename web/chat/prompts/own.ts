import { html, nothing, type TemplateResult } from 'lit'
import { live } from 'lit/directives/live.js'
import type { OwnPromptsAnswer, PromptsAnswer } from '../../../core/chat/request.ts'
import { icon, iconButton } from '../icon.ts'
import { type DialogState, frame, listDialog, problemLine, workInDialog } from '../view/dialog-frame.ts'
import type { View } from '../view/view.ts'

type Own = OwnPromptsAnswer['own'][number]

type Written = { id?: string; title: string; text: string }

type PromptsState = DialogState & {
  list: Own[] | null
  /** The prompt that the user edits; a prompt without an id is new. */
  edited: Written | null
  /** The title and the text as the user has changed them; null before a change. */
  typed: Written | null
}

const promptsDialog = listDialog<PromptsState>(
  () => ({ list: null, edited: null, typed: null }),
  async (state, api) => {
    state.list = (await api.get<PromptsAnswer>('/prompts')).own
  },
)

/** Draws the dialog with the user's own prompts; its first drawing loads them. */
export function ownPrompts(view: View): TemplateResult {
  const { t } = view
  const state = promptsDialog.of(view)
  const { list, edited, problem } = state
  const shown = list ? (list.length > 0 ? promptRows : examples)(view, state, list) : nothing
  const body = html`<div class="dialog-body">
      <p>${t('prompts.text')}</p>
      ${problemLine(problem)}
      ${edited ? promptForm(view, state, edited) : shown}
    </div>
    ${edited ? nothing : foot(view, state)}`
  return frame(view, t('prompts.title'), body, promptsDialog.closer(view))
}

function promptRows(view: View, state: PromptsState, list: Own[]): TemplateResult {
  const { t } = view
  const forget = async (id: string) => {
    await changePrompts(view, state, 'delete', { id })
    view.find('#new-prompt')?.focus()
  }
  return html`<ul class="own-prompts" aria-label=${t('prompts.title')}>
    ${list.map(
      (prompt) => html`<li class="row">
        <span class="ellipsis" dir="auto"><b>${prompt.title}</b> ${prompt.text}</span>
        ${iconButton('pencil', t('prompts.edit', { name: prompt.title }), () => edit(view, state, prompt))}
        <button class="icon-btn" type="button" aria-label=${t('prompts.delete', { name: prompt.title })}
          aria-disabled=${String(state.isBusy)} @click=${() => forget(prompt.id)}>${icon('trash')}</button>
      </li>`,
    )}
  </ul>`
}

/** Draws two examples for a user without prompts, each with a button that opens it in the editor. */
function examples(view: View, state: PromptsState): TemplateResult {
  const { t } = view
  return html`<p id="prompt-examples">${t('prompts.examples')}</p>
    <ul class="own-prompts" aria-labelledby="prompt-examples">
      ${(['teaser', 'proofread'] as const).map((name) => {
        const topic = `{${t('prompts.topic')}}`
        const prompt = { title: t(`prompts.${name}`), text: t(`prompts.${name}.text`, { topic }) }
        return html`<li class="row">
          <span class="ellipsis" dir="auto"><b>${prompt.title}</b> ${prompt.text}</span>
          <button class="btn btn-sm" type="button" aria-label=${t('prompts.takeNamed', { name: prompt.title })}
            @click=${() => edit(view, state, prompt)}>${t('prompts.take')}</button>
        </li>`
      })}
    </ul>`
}

function foot(view: View, state: PromptsState): TemplateResult {
  const begin = () => edit(view, state, { title: '', text: view.conversation.draft })
  return html`<div class="row dialog-foot">
    <span class="grow" aria-hidden="true"></span>
    <button class="btn" id="new-prompt" type="button" ?disabled=${state.list === null} @click=${begin}>
      ${icon('plus')}${view.t('prompts.new')}
    </button>
  </div>`
}

function promptForm(view: View, state: PromptsState, edited: Written): TemplateResult {
  const { t, store } = view
  const { promptTitle, promptText } = store.status?.maxCharacters ?? {}
  const words = state.typed ?? edited
  const save = async (event: Event) => {
    event.preventDefault()
    const [title, text] = [words.title.trim(), words.text.trim()]
    const over = promptText ? [...text].length - promptText : 0
    state.problem = over > 0 ? t('composer.over', { count: over }) : null
    if (over > 0) return view.requestUpdate()
    const body = { ...edited, title, text }
    const isSaved = await changePrompts(view, state, 'save', body)
    if (isSaved && state.edited === edited) await edit(view, state, null)
  }
  const type = ({ currentTarget }: Event) => {
    const data = new FormData(currentTarget as HTMLFormElement)
    state.typed = { title: String(data.get('title')), text: String(data.get('text')) }
    view.requestUpdate()
  }
  return html`<form class="own-prompt" @input=${type} @submit=${save}>
    <div class="field">
      <label for="prompt-title">${t('prompts.name')}</label>
      <input class="input" id="prompt-title" name="title" maxlength=${promptTitle ?? nothing} required dir="auto" .defaultValue=${edited.title} .value=${live(words.title)} />
    </div>
    <div class="field">
      <label for="prompt-text">${t('prompts.words')}</label>
      <textarea class="input" id="prompt-text" name="text" required rows="6" dir="auto" .defaultValue=${edited.text}
        .value=${live(words.text)}></textarea>
      <div class="fine field-foot"><span>${t('prompts.variables')}</span><span>${promptText ? t('instructions.count', { used: [...words.text].length, max: promptText }) : nothing}</span></div>
    </div>
    <div class="row own-prompt-foot">
      <button class="btn" type="button" @click=${() => edit(view, state, null)}>${t('app.cancel')}</button>
      <button class="btn btn-primary" type="submit" aria-disabled=${String(state.isBusy)}>${t('prompts.save')}</button>
    </div>
  </form>`
}

/** Opens a prompt in the form, or with null shows the list again. */
async function edit(view: View, state: PromptsState, edited: PromptsState['edited']): Promise<void> {
  Object.assign(state, { edited, typed: null, problem: null })
  view.requestUpdate()
  await view.focusDrawn(edited ? '#prompt-title' : '#new-prompt')
}

/** Changes the prompts. Returns true if the stage has done it; else the dialog shows the reason. */
function changePrompts(view: View, state: PromptsState, act: 'save' | 'delete', body: object) {
  return workInDialog(view, state, async (api) => {
    state.list = (await api.post<OwnPromptsAnswer>(`/prompts/${act}`, body)).own
  })
}
