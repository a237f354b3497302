import { html, nothing, type TemplateResult } from 'lit'
import { type Api, ApiError } from '../api.ts'
import { iconButton } from '../icon.ts'
import type { Conversation } from '../store/open-conversation.ts'
import { adoptStyles } from '../style/sheet.ts'
import css from './dialog.css?inline'
import type { View } from './view.ts'

/**
 * Returns a dialog with its title and a close button. Users press Escape out of habit, so Escape closes no dialog with
 * changed words. A browser lets a page refuse `cancel` only once; the prevented key sends no `cancel`.
 */
export function frame(view: View, title: string, body: unknown, close: () => void): TemplateResult {
  adoptStyles(view, css)
  const { t } = view
  const keep = (event: Event & { key?: string }) => {
    if (event.key !== 'Escape' && event.type !== 'cancel') return
    const fields = [...view.renderRoot.querySelectorAll<HTMLInputElement>('.dialog :read-write')]
    if (fields.some(({ value, defaultValue }) => value !== defaultValue)) event.preventDefault()
  }
  return html`<dialog class="dialog" aria-labelledby="dialog-title" @keydown=${keep} @cancel=${keep} @close=${close}>
    <div class="row dialog-head">
      <h2 id="dialog-title">${title}</h2>
      ${iconButton('close', t('app.close'), close)}
    </div>
    ${body}
  </dialog>`
}

/** Returns a function that closes the open dialog of a view. */
export function closer(view: View): () => void {
  return () => {
    view.find<HTMLDialogElement>('.dialog')?.close()
    if (view.ui.dialog) view.ui.set({ dialog: null })
  }
}

/** Shows the stage's refusal in a dialog, which a screen reader reads at once; shows nothing without a refusal. */
export function problemLine(problem: string | null): unknown {
  return problem ? html`<p class="bar-bad" role="alert">${problem}</p>` : nothing
}

type ListContent<Entry> = {
  title: string
  text: string
  /** The content above the list. */
  above?: unknown
  entry(entry: Entry): TemplateResult
}

/** Returns a dialog with a text and a list; `entry` draws each entry. */
export function listFrame<Entry>(
  view: View,
  { list, problem }: DialogState & { list: readonly Entry[] | null },
  { title, text, above = nothing, entry }: ListContent<Entry>,
  close: () => void,
): TemplateResult {
  const entries = list
    ? html`<ul class="dialog-list" aria-label=${title}>${list.map(entry)}</ul>`
    : html`<p role="status">${view.t('dialog.loading')}</p>`
  const body = html`<div class="dialog-body"><p>${text}</p>${problemLine(problem)}${above}${entries}</div>`
  return frame(view, title, body, close)
}

/** The state that every dialog with requests has. */
export type DialogState = {
  /** The message of the stage's refusal; null without a refusal. */
  problem: string | null
  /** True while an action runs; the buttons look disabled then, and keep the focus. */
  isBusy: boolean
  /** Resolves when the data of the dialog are loaded or refused. */
  loaded: Promise<unknown>
  /** The conversation that was open when the dialog was opened; when another one opens, the dialog goes. */
  readonly conversation: Conversation
}

/**
 * Creates the states, by view, of a dialog that loads the user's data from the stage. `begin` returns an initial state,
 * and `read` loads the data into it.
 */
export function listDialog<State extends DialogState>(
  begin: () => Omit<State, keyof DialogState>,
  read: (state: State, api: Api) => Promise<void>,
) {
  const states = new WeakMap<View, State>()
  return {
    /** Returns the state of a view's open dialog; the first call creates it and loads the data. */
    of(view: View): State {
      const known = states.get(view)
      if (known?.conversation === view.conversation) return known
      const state = { ...begin(), problem: null, isBusy: false, conversation: view.conversation } as State
      states.set(view, state)
      const load = tryInDialog(view, state, (api) => read(state, api))
      state.loaded = load.then(() => view.requestUpdate())
      return state
    },
    /** True if the state belongs to the open dialog. */
    isOpen: (view: View, state: State) => states.get(view) === state,
    /** Returns a function that closes the dialog; the next opening loads the data again. */
    closer: (view: View) => () => {
      states.delete(view)
      closer(view)()
    },
  }
}

/**
 * Runs an action with requests once the dialog is loaded, unless another action runs. Resolves to true on success; after
 * a failure, the dialog shows the reason.
 */
export async function workInDialog(
  view: View,
  state: DialogState,
  act: (api: Api) => Promise<void>,
): Promise<boolean> {
  if (state.isBusy) return false
  state.isBusy = true
  view.requestUpdate()
  await state.loaded
  const isDone = await tryInDialog(view, state, act)
  state.isBusy = false
  view.requestUpdate()
  return isDone
}

/** Runs a request. Resolves to true on success; else the dialog shows the reason at its next drawing. */
export async function tryInDialog(
  view: View,
  state: DialogState,
  act: (api: Api) => Promise<void>,
): Promise<boolean> {
  const { store } = view
  try {
    await act(store.api)
    state.problem = null
    return true
  } catch (error) {
    store.caught(error)
    state.problem = (error instanceof ApiError && error.message) || view.t('dialog.failed')
    return false
  }
}
