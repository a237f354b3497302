import { html, nothing, type TemplateResult } from 'lit'
import type { FeedbackAnswer } from '../../../core/chat/request.ts'
import type { Reason, Verdict } from '../../../core/user/feedback/schema.ts'
import { frame } from '../view/frame.ts'
import { busy, listDialog } from '../view/list-dialog.ts'
import type { View } from '../view/view.ts'

type Said = { verdict: Verdict | null; reason: Reason | null; words: string }

type State = {
  /** The chosen verdict; null until the earlier feedback is loaded. */
  said: Said | null
  /** The user had said something before. */
  wasSaid: boolean
  problem: string | null
  isBusy: boolean
}

/** In the order in which they are offered. */
const reasons: Reason[] = ['wrong', 'incomplete', 'notAsked', 'tooLong', 'tooSlow', 'other']

const dialog = listDialog<State>(
  () => ({ said: null, wasSaid: false }),
  (view, state) =>
    busy(view, state, async (api) => {
      const query = { conversationId: view.conversation.id ?? '', runId: view.ui.judged ?? '' }
      const { feedback } = await api.get<FeedbackAnswer>('/conversations/feedback', query)
      state.said = feedback ?? { verdict: null, reason: null, words: '' }
      state.wasSaid = feedback !== null
    }),
)

/** The form for a user's feedback on the answer of a run, for the operator of the stage: verdict, reason and words. */
export function feedback(view: View, runId: string): TemplateResult {
  const { t, conversation } = view
  const state = dialog.of(view)
  const { said, wasSaid, problem } = state
  const close = dialog.closing(view)
  const choose = (change: Partial<Said>) => {
    if (state.said) state.said = { ...state.said, ...change }
    view.requestUpdate()
  }
  const keep = async (it: Said) => {
    const body = { conversationId: conversation.id, runId, ...it }
    const isDone = await busy(view, state, async (api) => {
      await api.post<FeedbackAnswer>('/conversations/feedback', body)
    })
    if (!isDone) return
    view.announcer.say(t(it.verdict ? 'feedback.thanks' : 'feedback.removed'))
    close()
  }
  const save = (event: Event) => {
    event.preventDefault()
    if (!said?.verdict || state.isBusy) return
    const words = view.find<HTMLTextAreaElement>('#feedback-words')?.value.trim() ?? ''
    void keep({ ...said, reason: said.verdict === 'helpful' ? null : said.reason, words })
  }
  const radio = (name: string, value: string, words: string, isOn: boolean, set: () => void) =>
    html`<label class="check"
      ><input type="radio" name=${name} value=${value} .checked=${isOn} @change=${set} />${words}</label
    >`
  const body = html`<form class="dialog-body" id="feedback-form" @submit=${save}>
      <p>${t('feedback.text')}</p>
      ${problem ? html`<p class="bar-bad" role="alert">${problem}</p>` : nothing}
      ${
        said &&
        html`<div role="radiogroup" aria-label=${t('feedback.title')}>
            ${radio('verdict', 'helpful', t('feedback.helpful'), said.verdict === 'helpful', () => choose({ verdict: 'helpful' }))}
            ${radio('verdict', 'notHelpful', t('feedback.notHelpful'), said.verdict === 'notHelpful', () => choose({ verdict: 'notHelpful' }))}
          </div>
          ${
            said.verdict === 'notHelpful'
              ? html`<div role="radiogroup" aria-label=${t('feedback.reason')}>
                  ${reasons.map((one) => radio('reason', one, t(`feedback.${one}`), said.reason === one, () => choose({ reason: one })))}
                </div>`
              : nothing
          }
          <div class="field">
            <label for="feedback-words">${t('feedback.words')}</label>
            <textarea class="input" id="feedback-words" rows="3" maxlength="500" dir="auto" .defaultValue=${said.words}></textarea>
          </div>`
      }
    </form>
    <div class="dialog-foot">
      ${
        wasSaid
          ? html`<button class="btn btn-quiet" type="button" @click=${() => keep({ verdict: null, reason: null, words: '' })}>${t('feedback.remove')}</button>`
          : nothing
      }
      <span class="grow" aria-hidden="true"></span>
      <button class="btn" type="button" @click=${close}>${t('app.cancel')}</button>
      <button class="btn btn-primary" type="submit" form="feedback-form" ?disabled=${!said?.verdict}>${t('feedback.save')}</button>
    </div>`
  return frame(view, t('feedback.title'), body, close)
}
