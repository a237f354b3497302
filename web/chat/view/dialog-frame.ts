import { html, nothing, type TemplateResult } from 'lit'
import { type Api, ApiError } from '../api.ts'
import { iconButton } from '../icon.ts'
import { adoptStyles } from '../style/sheet.ts'
import css from './dialog.css?inline'
import type { View } from './view.ts'

/** A dialog with its title and the button that closes it. */
export function frame(view: View, title: string, body: unknown, close: () => void): TemplateResult {
  adoptStyles(view, css)
  const { t } = view
  return html`<dialog class="dialog" aria-labelledby="dialog-title" @close=${close}>
    <div class="dialog-head">
      <h2 id="dialog-title">${title}</h2>
      ${iconButton('close', t('app.close'), close)}
    </div>
    ${body}
  </dialog>`
}

/** The function that closes the open dialog of a view. */
export function closing(view: View): () => void {
  return () => {
    view.find<HTMLDialogElement>('.dialog')?.close()
    if (view.ui.dialog) view.ui.set({ dialog: null })
  }
}

/** The stage's refusal in a dialog, read out at once; nothing without one. */
export function refusal(problem: string | null): unknown {
  return problem ? html`<p class="bar-bad" role="alert">${problem}</p>` : nothing
}

type ListContent<Entry> = {
  title: string
  text: string
  /** Stands above the list. */
  above?: unknown
  entry(entry: Entry): TemplateResult
}

/** A dialog with a text and a list, each of whose entries is drawn by `entry`. */
export function listFrame<Entry>(
  view: View,
  { list, problem }: DialogState & { list: readonly Entry[] | null },
  { title, text, above = nothing, entry }: ListContent<Entry>,
  close: () => void,
): TemplateResult {
  const entries = list
    ? html`<ul class="dialog-list" aria-label=${title}>${list.map(entry)}</ul>`
    : html`<p role="status">${view.t('dialog.loading')}</p>`
  const body = html`<div class="dialog-body"><p>${text}</p>${refusal(problem)}${above}${entries}</div>`
  return frame(view, title, body, close)
}

/** The state that every dialog with requests has. */
export type DialogState = {
  /** The stage's refusal, in its words. */
  problem: string | null
  /** While it is true, no button can be pressed. */
  isBusy: boolean
}

/** A dialog that lists what the stage has of the user. */
type ListDialog<State> = {
  /** The state of a view's open dialog; the first render creates it and reads the list. */
  of(view: View): State
  /** True if the state is that of the open dialog. */
  isOpen(view: View, state: State): boolean
  /** The function that closes the dialog; the next opening reads the list again. */
  closing(view: View): () => void
}

/** A dialog of a list by how its state begins, and how the list is read into it. */
export function listDialog<State extends DialogState>(
  begin: () => Omit<State, keyof DialogState>,
  read: (view: View, state: State) => unknown,
): ListDialog<State> {
  const states = new WeakMap<View, State>()
  return {
    of(view) {
      const known = states.get(view)
      if (known) return known
      const state = { ...begin(), problem: null, isBusy: false } as State
      states.set(view, state)
      void read(view, state)
      return state
    },
    isOpen: (view, state) => states.get(view) === state,
    closing: (view) => () => {
      states.delete(view)
      closing(view)()
    },
  }
}

/** Does something while no button can be pressed; true when it was done, else the dialog says why not. */
export async function workInDialog(
  view: View,
  state: DialogState,
  act: (api: Api) => Promise<void>,
): Promise<boolean> {
  state.isBusy = true
  view.requestUpdate()
  const isDone = await tryInDialog(view, state, act)
  state.isBusy = false
  view.requestUpdate()
  return isDone
}

/** Does something; true when it was done, else the dialog says why not at its next drawing. */
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
