import { html, type TemplateResult } from 'lit'
import { icon } from '../icon.ts'
import { adopter } from '../style/adopt.ts'
import css from './dialog.css?inline'
import type { View } from './view.ts'

const dress = adopter(css)

/** A dialog with its title and the button that closes it. */
export function frame(view: View, title: string, body: unknown, close: () => void): TemplateResult {
  dress(view)
  const { t } = view
  return html`<dialog
    class="dialog"
    aria-labelledby="dialog-title"
    @close=${close}
  >
    <div class="dialog-head">
      <h2 id="dialog-title">${title}</h2>
      <button class="icon-btn" type="button" aria-label=${t('app.close')} title=${t('app.close')} @click=${close}>
        ${icon('close')}
      </button>
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
