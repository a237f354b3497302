import { html, type TemplateResult } from 'lit'
import type { FeedbackAnswer } from '../../../core/chat/request.ts'
import type { Feedback, Verdict } from '../../../core/user/feedback/schema.ts'
import { ApiError } from '../api.ts'
import { icon } from '../icon.ts'
import type { View } from '../view/view.ts'
import type { Judgement } from '../view/view-state.ts'

const noJudgement: Judgement = { said: null, isOpen: false, problem: null }

/** Two thumbs for an answer, in place; one that does not help unfolds the reasons. A second press takes it back. */
export function thumbs(view: View, key: string, runId: string): TemplateResult {
  const { t, ui } = view
  const said = ui.judged.get(key)?.said ?? null
  const press = (verdict: Verdict) => {
    if (said?.verdict === verdict) return void say(view, key, runId, null)
    return void say(view, key, runId, { verdict, reason: null, words: said?.words ?? '' })
  }
  const thumb = (verdict: Verdict) => html`<button class="icon-btn icon-btn-sm" type="button"
      aria-label=${t(`feedback.${verdict}`)} title=${t(`feedback.${verdict}`)}
      aria-pressed=${String(said?.verdict === verdict)} data-thumb=${verdict} @click=${() => press(verdict)}
  >${icon(verdict === 'helpful' ? 'thumbUp' : 'thumbDown')}</button>`
  // Few look at what they said earlier: the stage is asked when a hand or the focus comes near.
  const look = () => void recall(view, key, runId)
  return html`<span class="thumbs" role="group" aria-label=${t('feedback.title')} @pointerenter=${look} @focusin=${look}
    >${thumb('helpful')}${thumb('notHelpful')}</span
  >`
}

/** Changes what the user says of an answer, and draws it. */
export function judge(view: View, key: string, change: Partial<Judgement>): void {
  const { ui } = view
  ui.judged.set(key, { ...(ui.judged.get(key) ?? noJudgement), ...change })
  view.requestUpdate()
}

/** Stores what the user says, null: nothing more; true when the stage has it. */
export async function say(view: View, key: string, runId: string, said: Feedback | null): Promise<boolean> {
  const { t, store, conversation, announcer } = view
  if (!store) return false
  const before = view.ui.judged.get(key)?.said ?? null
  const body = {
    conversationId: conversation.id,
    runId,
    ...(said ?? { verdict: null, reason: null, words: '' }),
  }
  judge(view, key, { said, isOpen: said?.verdict === 'notHelpful', problem: null })
  try {
    await store.api.post<FeedbackAnswer>('/conversations/feedback', body)
    announcer.say(t(said ? 'feedback.thanks' : 'feedback.removed'))
    return true
  } catch (error) {
    store.caught(error)
    const problem = (error instanceof ApiError && error.message) || t('dialog.failed')
    announcer.say(problem)
    judge(view, key, { said: before, isOpen: said?.verdict === 'notHelpful', problem })
    return false
  }
}

async function recall(view: View, key: string, runId: string): Promise<void> {
  const { store, conversation, ui } = view
  if (!store || ui.judged.has(key)) return
  ui.judged.set(key, noJudgement)
  const query = { conversationId: conversation.id ?? '', runId }
  const answer = await store.api.get<FeedbackAnswer>('/conversations/feedback', query).catch(() => null)
  // A user who was quicker has said something else meanwhile.
  if (answer?.feedback && ui.judged.get(key) === noJudgement) judge(view, key, { said: answer.feedback })
}
