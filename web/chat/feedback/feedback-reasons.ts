import { html, nothing, type TemplateResult } from 'lit'
import type { Reason } from '../../../core/user/feedback/schema.ts'
import { adoptStyles } from '../style/sheet.ts'
import type { View } from '../view/view.ts'
import css from './feedback.css?inline'
import { judge, say } from './thumbs.ts'

/** The reasons, in the order in which they are offered. */
const all: Reason[] = ['wrong', 'incomplete', 'notAsked', 'tooLong', 'tooSlow', 'other']

/** The reasons why an answer did not help, below it: one of them, and words, for the operator of the stage. */
export function feedbackReasons(view: View, key: string, runId: string): TemplateResult {
  adoptStyles(view, css)
  const { t, ui } = view
  const { said, problem } = ui.judged.get(key) ?? {}
  const leave = async () => {
    judge(view, key, { isOpen: false, problem: null })
    await view.updateComplete
    view.find(`[data-row="${key}"] [data-thumb="notHelpful"]`)?.focus()
  }
  const save = async (event: Event) => {
    event.preventDefault()
    const data = new FormData(event.target as HTMLFormElement)
    const reason = all.find((one) => one === data.get('reason')) ?? null
    const words = String(data.get('words')).trim()
    if (await say(view, key, runId, { verdict: 'notHelpful', reason, words })) await leave()
  }
  const pressed = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || event.isComposing) return
    event.preventDefault()
    event.stopPropagation()
    void leave()
  }
  const radio = (one: Reason) => html`<label class="reason"
    ><input type="radio" name="reason" value=${one} .checked=${said?.reason === one} />${t(`feedback.${one}`)}</label
  >`
  return html`<form class="reasons" aria-label=${t('feedback.reason')} @submit=${save} @keydown=${pressed}>
    ${problem ? html`<p class="bar-bad" role="alert">${problem}</p>` : nothing}
    <div class="reason-list" role="radiogroup" aria-label=${t('feedback.reason')}>${all.map(radio)}</div>
    <label class="vh" for="words-${key}">${t('feedback.words')}</label>
    <textarea class="input" id="words-${key}" name="words" rows="2" maxlength="500" dir="auto"
      placeholder=${t('feedback.words')} .defaultValue=${said?.words ?? ''}></textarea>
    <p>${t('feedback.text')}</p>
    <div class="reasons-foot">
      <button class="btn btn-sm" type="button" @click=${leave}>${t('app.cancel')}</button>
      <button class="btn btn-sm btn-primary" type="submit">${t('feedback.save')}</button>
    </div>
  </form>`
}
