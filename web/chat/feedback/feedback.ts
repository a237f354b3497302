import { html, nothing, type TemplateResult } from 'lit'
import type { FeedbackAnswer } from '../../../core/chat/request.ts'
import type { Feedback, Reason, Verdict } from '../../../core/user/schema.ts'
import { ApiError } from '../api.ts'
import { icon } from '../icon.ts'
import type { Conversation, Judgement } from '../store/open-conversation.ts'
import { stopEscape } from '../view/message-field.ts'
import type { View } from '../view/view.ts'

const noJudgement: Judgement = { said: null, written: null, isOpen: false, problem: null }

/** Draws two thumbs for an answer. The thumb down opens the reasons; a second press of a thumb removes the verdict. */
export function thumbs(view: View, runId: string): TemplateResult {
  const { t, store, conversation } = view
  const said = conversation.judged.get(runId)?.said ?? null
  const press = async (verdict: Verdict) => {
    // The press must not overwrite the words of earlier feedback that is still on its way.
    await recall(view, runId)
    if (view.conversation !== conversation) return
    const before = conversation.judged.get(runId)?.said
    const change = { verdict, reason: null, words: before?.words ?? '' }
    await say(view, runId, before?.verdict === verdict ? null : change)
  }
  const thumb = (verdict: Verdict) => html`<button class="icon-btn icon-btn-sm" type="button"
      aria-label=${t(`feedback.${verdict}`)} title=${t(`feedback.${verdict}`)}
      aria-pressed=${String(said?.verdict === verdict)} data-thumb=${verdict} @click=${() => press(verdict)}
  >${icon(verdict === 'helpful' ? 'thumbUp' : 'thumbDown')}</button>`
  // Users rarely look at earlier feedback: it is loaded when the pointer or the focus is on the thumbs.
  const look = () => void recall(view, runId)
  if (store.memory.drafts[draftOf(conversation, runId)]) look()
  return html`<span class="thumbs" role="group" aria-label=${t('feedback.title')} data-run=${runId} @pointerenter=${look} @focusin=${look}
    >${thumb('helpful')}${thumb('notHelpful')}</span
  >`
}

/** Changes the user's feedback on an answer, and draws it. */
function judge(view: View, runId: string, change: Partial<Judgement>, { judged } = view.conversation): void {
  judged.set(runId, { ...(judged.get(runId) ?? noJudgement), ...change })
  view.requestUpdate()
}

/**
 * Stores the user's feedback on an answer; null removes the feedback. Returns true if the stage has stored the change.
 */
async function say(view: View, runId: string, said: Feedback | null): Promise<boolean> {
  const { t, store, conversation, announcer } = view
  const before = conversation.judged.get(runId)?.said ?? null
  const body = { conversationId: conversation.id, runId, verdict: null, reason: null, words: '', ...said }
  judge(view, runId, { said, isOpen: said?.verdict === 'notHelpful', problem: null })
  try {
    await store.api.post<FeedbackAnswer>('/conversations/feedback', body)
    announcer.say(t(said ? 'feedback.thanks' : 'feedback.removed'))
    return true
  } catch (error) {
    store.caught(error)
    const problem = (error instanceof ApiError && error.message) || t('dialog.failed')
    announcer.say(problem)
    judge(view, runId, { said: before, isOpen: said?.verdict === 'notHelpful', problem }, conversation)
    return false
  }
}

/** Returns the name of the draft that keeps the reason and the words of an unsent form over a reload. */
const draftOf = ({ id }: Conversation, runId: string) => `feedback ${id} ${runId}`

/** Returns feedback of the form with a reason and words. */
const feedbackOf = (reason: unknown, words: string): Feedback => ({
  verdict: 'notHelpful',
  reason: all.find((one) => one === reason) ?? null,
  words,
})

/**
 * Loads the user's earlier feedback once, and opens the form if it has unsent words. Without an answer of the stage and
 * without such words, the next look loads the feedback again.
 */
function recall(view: View, runId: string): Promise<void> | undefined {
  const { store, conversation } = view
  const { judged } = conversation
  const known = judged.get(runId)
  if (known) return known.coming
  const [reason, ...lines] = (store.memory.drafts[draftOf(conversation, runId)] ?? '').split('\n')
  const written = lines.length > 0 ? feedbackOf(reason, lines.join('\n')) : null
  const query = { conversationId: conversation.id ?? '', runId }
  const coming = store.api.get<FeedbackAnswer>('/conversations/feedback', query).then(
    ({ feedback: said }) =>
      judge(view, runId, { said, isOpen: Boolean(written) && said?.verdict === 'notHelpful' }, conversation),
    () => (written ? judge(view, runId, { isOpen: true }, conversation) : void judged.delete(runId)),
  )
  judged.set(runId, { ...noJudgement, written, coming })
  return coming
}

/** The reasons, in the order in which they are shown. */
const all: Reason[] = ['wrong', 'incomplete', 'notAsked', 'tooLong', 'tooSlow', 'other']

/** Draws the form below an answer that did not help: a reason, and words for the operator of the stage. */
export function feedbackReasons(view: View, runId: string): TemplateResult {
  const { t, store, conversation } = view
  const { said, written = null, problem } = conversation.judged.get(runId) ?? {}
  const feedback = written ?? said
  const keep = (text: string) => store.keep({ drafts: { [draftOf(conversation, runId)]: text } })
  const leave = async () => {
    keep('')
    judge(view, runId, { written: null, isOpen: false, problem: null }, conversation)
    await view.focusDrawn(`[data-run="${runId}"] [data-thumb="notHelpful"]`)
  }
  const write = ({ currentTarget }: Event) => {
    const data = new FormData(currentTarget as HTMLFormElement)
    const written = feedbackOf(data.get('reason'), String(data.get('words')))
    keep(`${written.reason ?? ''}\n${written.words}`)
    judge(view, runId, { written })
  }
  const save = async (event: Event) => {
    event.preventDefault()
    if (await say(view, runId, feedbackOf(feedback?.reason, feedback?.words.trim() ?? ''))) await leave()
  }
  const pressed = (event: KeyboardEvent) => {
    if (stopEscape(event)) void leave()
  }
  const radio = (one: Reason) => html`<label class="row reason"
    ><input type="radio" name="reason" value=${one} .checked=${feedback?.reason === one} />${t(`feedback.${one}`)}</label
  >`
  return html`<form class="card stack reasons" aria-label=${t('feedback.reason')} @input=${write} @submit=${save} @keydown=${pressed}>
    ${problem ? html`<p class="fine bar-bad" role="alert">${problem}</p>` : nothing}
    <div class="row row-wrap reason-list" role="radiogroup" aria-label=${t('feedback.reason')}>${all.map(radio)}</div>
    <label class="vh" for="words-${runId}">${t('feedback.words')}</label>
    <textarea class="input" id="words-${runId}" name="words" rows="2" maxlength=${store.status?.maxCharacters.feedback ?? nothing} dir="auto"
      placeholder=${t('feedback.words')} .defaultValue=${feedback?.words ?? ''}></textarea>
    <p class="fine">${t('feedback.text')}</p>
    <div class="row row-wrap reasons-foot">
      <button class="btn btn-sm" type="button" @click=${leave}>${t('app.cancel')}</button>
      <button class="btn btn-sm btn-primary" type="submit">${t('feedback.save')}</button>
    </div>
  </form>`
}
