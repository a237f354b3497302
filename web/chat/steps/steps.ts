import { html, nothing } from 'lit'
import type { StatusAnswer } from '../../../core/chat/status-request.ts'
import type { RecordName } from '../../../core/conversation/transcript/schema.ts'
import { icon } from '../icon.ts'
import { type Step, stepsOf, totalMs } from '../store/steps.ts'
import type { TurnRow } from '../store/turns.ts'
import { tableWord } from '../view/record.ts'
import type { View } from '../view/view.ts'

/** A tool, with its words in the language of the interface. */
type ToolStatus = StatusAnswer['tools'][number]

/** The current steps of a turn; the newest turn has the times of the activity. */
export function stepsIn(view: View, row: TurnRow, isLast: boolean): Step[] {
  const { conversation } = view
  // Until the stage has answered about the new turn, its activity is still that of the turn before.
  const isToldOf = isLast && !conversation.pending.some(({ state }) => state !== 'unsent')
  const { activity, progress } = conversation.transcript
  return isToldOf ? stepsOf(row, activity, progress) : stepsOf(row)
}

/** The button in the byline that opens the steps of a finished turn. */
export function summary(view: View, row: TurnRow, steps: readonly Step[], isOpen: boolean): unknown {
  if (steps.length === 0) return nothing
  const { t, format, ui } = view
  const toggle = () => {
    ui.steps.set(row.key, !isOpen)
    view.requestUpdate()
  }
  return html`<button
    class="worked"
    type="button"
    aria-expanded=${isOpen ? 'true' : 'false'}
    aria-controls="steps-${row.key}"
    @click=${toggle}
  >
    ${t('steps.summary', { count: steps.length, time: format.elapsed(Math.max(1_000, totalMs(steps))) })}${icon('right')}
  </button>`
}

/** A tool as the stage describes it; undefined where it is gone since, or not known yet. */
export function toolOf({ store }: Pick<View, 'store'>, name: string): ToolStatus | undefined {
  return store?.status?.tools.find((one) => one.name === name)
}

/** A record by its name, or by what people call the records of its table. */
export function recordName(view: Pick<View, 't'>, { table, uid, title }: RecordName): string {
  return `${title || tableWord(view, table)} [${uid}]`
}
