import { html, nothing } from 'lit'
import { closing, frame } from '../view/dialog-frame.ts'
import type { View } from '../view/view.ts'
import { askedPrompts, filled, put, variablesOf } from './insert.ts'

/** The dialog with a field for each variable of a prompt; what was filled in goes into the message. */
export function variables(view: View): unknown {
  const { t } = view
  const open = askedPrompts.get(view)
  if (!open) return nothing
  const { prompt, at } = open
  const close = closing(view)
  const names = variablesOf(prompt.text)
  const use = (event: Event) => {
    event.preventDefault()
    const data = new FormData(event.target as HTMLFormElement)
    const values = new Map(names.map((name, nth) => [name, String(data.get(`v${nth}`) ?? '').trim()]))
    close()
    put(view, filled(prompt.text, values), at)
  }
  const body = html`<form class="dialog-body" id="variables" @submit=${use}>
      <p dir="auto">${prompt.text}</p>
      ${names.map(
        (name, nth) => html`<div class="field">
          <label for="v${nth}">${name}</label>
          <input class="input" id="v${nth}" name="v${nth}" dir="auto" autocomplete="off" ?autofocus=${nth === 0} />
        </div>`,
      )}
    </form>
    <div class="dialog-foot">
      <span class="grow" aria-hidden="true"></span>
      <button class="btn" type="button" @click=${close}>${t('app.cancel')}</button>
      <button class="btn btn-primary" type="submit" form="variables">${t('prompts.use')}</button>
    </div>`
  return frame(view, prompt.title, body, close)
}
