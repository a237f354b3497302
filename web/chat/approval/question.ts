import { html, nothing, type TemplateResult } from 'lit'
import type { PendingApproval, Question } from '../../../core/conversation/schema.ts'
import type { Message, ToolCall } from '../../../core/conversation/transcript/schema.ts'
import { icon } from '../icon.ts'
import * as Decide from '../store/decide.ts'
import { decisionKey } from '../store/open-conversation.ts'
import type { TurnRow } from '../store/turn-rows.ts'
import { adoptStyles } from '../style/sheet.ts'
import type { View } from '../view/view.ts'
import css from './approval.css?inline'
import { withMarks } from './hidden.ts'
import { decisionOf, focusOutcome } from './open-decision.ts'

/**
 * Returns the card of an assistant's question: choices with a digit key for each, a text field for another answer, and
 * a button to skip the question.
 */
export function question(view: View, pending: PendingApproval): unknown {
  const { t, format, announcer } = view
  const asked = pending.calls[0]?.question
  if (!asked) return nothing
  adoptStyles(view, css)
  const answer = (event: SubmitEvent) => {
    event.preventDefault()
    const given = new FormData(event.target as HTMLFormElement)
    const choices = given.getAll('choice').map(Number)
    const text = String(given.get('text') ?? '').trim()
    if (choices.length > 0 || text) void reply(view, pending, choices, text)
    else announcer.say(t('question.empty'))
  }
  return html`<section class="approval" part="approval" tabindex="-1" aria-labelledby="question-title" data-decision=${decisionOf(pending)}
      @keydown=${(event: KeyboardEvent) => pressed(view, event)}>
    <div class="approval-head">
      ${icon('info', 'i-20')}
      <h3 id="question-title" dir="auto">${withMarks(view, asked.text)}</h3>
      <p>${t(asked.several ? 'question.several' : 'question.waits')}</p>
    </div>
    <form @submit=${answer}>
      ${asked.choices.length > 0 ? choices(view, pending, asked) : nothing} ${asked.freeText ? field(view, pending, asked) : nothing}
      <div class="row row-wrap approval-foot">
        <p>${t('approval.until', { day: format.day(pending.expiresAt) })}</p>
        <button class="btn" type="button" @click=${() => void reply(view, pending, [], '')}>
          ${t('question.skip')}
        </button>
        <button class="btn btn-primary" type="submit">${t('question.answer')}</button>
      </div>
    </form>
  </section>`
}

function choices(view: View, pending: PendingApproval, asked: Question): TemplateResult {
  const { text, choices, several } = asked
  const { store, conversation } = view
  const draft = draftsOf(conversation.id, pending).choices
  const ticked = (store.memory.drafts[draft] ?? '').split(',')
  const choose = ({ currentTarget }: Event) => {
    const boxes = [...(currentTarget as HTMLElement).querySelectorAll('input')]
    const values = boxes.filter(({ checked }) => checked).map(({ value }) => value)
    store.keep({ drafts: { [draft]: values.join(',') } })
  }
  return html`<fieldset class="choices" @change=${choose}>
    <legend class="vh">${text}</legend>
    ${choices.map(
      (choice, at) => html`<label class="row choice">
        <input type=${several ? 'checkbox' : 'radio'} name="choice" value=${at} .checked=${ticked.includes(String(at))} aria-keyshortcuts=${at + 1} />
        <span dir="auto">${withMarks(view, choice)}</span><kbd aria-hidden="true">${at + 1}</kbd>
      </label>`,
    )}
  </fieldset>`
}

function field(view: View, pending: PendingApproval, { choices }: Question): TemplateResult {
  const { t, store, conversation } = view
  const draft = draftsOf(conversation.id, pending).text
  const keep = ({ target }: Event) => store.keep({ drafts: { [draft]: (target as HTMLInputElement).value } })
  return html`<div class="choices field">
    <label for="answer">${t(choices.length > 0 ? 'question.own' : 'question.words')}</label>
    <input class="input" id="answer" name="text" maxlength=${store.status?.maxCharacters.answer ?? nothing} autocomplete="off" dir="auto"
      value=${store.memory.drafts[draft] ?? ''} @input=${keep} />
  </div>`
}

/** Returns the names of the drafts that keep the user's answer to a question, also over a reload. */
const draftsOf = (id: string | null, { runId }: PendingApproval) => ({
  text: `answer ${id} ${runId}`,
  choices: `choices ${id} ${runId}`,
})

/** Toggles the choice whose digit key was pressed, unless the user types in the text field. */
function pressed(view: View, event: KeyboardEvent): void {
  const isText = event.target instanceof HTMLInputElement && event.target.name === 'text'
  if (isText || event.ctrlKey || event.altKey || event.metaKey || !/^[1-9]$/.test(event.key)) return
  const choice = view.find<HTMLInputElement>(`.choice input[value="${Number(event.key) - 1}"]`)
  if (!choice) return
  event.preventDefault()
  choice.click()
  choice.focus()
}

/** Sends the answer, and moves the focus to the row that shows it. After a refusal, the text stays in its field. */
async function reply(view: View, pending: PendingApproval, choices: number[], text: string): Promise<void> {
  const { store, conversation } = view
  const offered = pending.calls[0]?.question?.choices ?? []
  const words = [...offered.filter((_, at) => choices.includes(at)), ...(text ? [text] : [])].join('; ')
  const isTaken = Decide.answer(store, conversation, pending, { choices, text, words })
  await focusOutcome(view, pending, isTaken)
  if (!(await isTaken)) return
  const drafts = draftsOf(conversation.id, pending)
  store.keep({ drafts: { [drafts.text]: '', [drafts.choices]: '' } })
}

/** Returns a question of the turn with its answer; nothing while the question waits. */
export function asked(view: View, row: TurnRow, { runId }: Message, call: ToolCall): unknown {
  const { t, conversation } = view
  const result = row.messages.find((one) => one.toolCallId === call.id && one.runId === runId)
  const key = decisionKey(runId, call.id)
  const words = result ? result.remark : conversation.decisions.get(key)?.reason
  if (result ? result.isError && result.outcome !== 'notRun' : words === undefined) return nothing
  adoptStyles(view, css)
  return html`<div class="card row row-wrap result" tabindex="-1" data-outcome=${key}>
    ${icon(words ? 'check' : 'info', words ? '' : 'i-quiet')}
    <p dir="auto">
      ${withMarks(view, String(call.arguments.question ?? ''))}<br />
      <b>${words ? t('question.answered', { answer: words }) : t('question.skipped')}</b>
    </p>
  </div>`
}
