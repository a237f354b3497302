import { html, nothing } from 'lit'
import type { StatusAnswer } from '../../../core/chat/status-request.ts'
import { icon } from '../icon.ts'
import { type Step, stepsOf, totalMs } from '../store/steps.ts'
import type { TurnRow } from '../store/turn-rows.ts'
import type { View } from '../view/view.ts'

type Tool = StatusAnswer['tools'][number]

/** Returns a tool as the stage describes it; undefined if the tool no longer exists or is not known yet. */
export function toolOf({ store }: Pick<View, 'store'>, name: string): Tool | undefined {
  return store.status?.tools.find((tool) => tool.name === name)
}

/**
 * Returns the steps of a turn. The steps of the newest turn include the times and the progress of the running activity.
 */
export function stepsIn(view: View, row: TurnRow, isLast: boolean): Step[] {
  const { conversation } = view
  // Until the stage has answered about the new turn, `activity` belongs to the turn before it.
  const isToldOf = isLast && !conversation.pending.some(({ state }) => state !== 'unsent')
  const { activity, progress } = conversation.transcript
  return isToldOf ? stepsOf(row, activity, progress) : stepsOf(row)
}

/** Draws the button in the byline that opens the steps of a finished turn. */
export function stepsSummary(view: View, row: TurnRow, isLast: boolean, isOpen: boolean): unknown {
  const steps = stepsIn(view, row, isLast)
  if (steps.length === 0) return nothing
  const { t, format, ui } = view
  const toggle = () => {
    ui.steps.set(row.key, !isOpen)
    view.requestUpdate()
  }
  return html`<button class="fine worked" type="button" aria-expanded=${isOpen ? 'true' : 'false'}
      aria-controls="steps-${row.key}" @click=${toggle}>
    ${t('steps.summary', { count: steps.length, time: format.elapsed(Math.max(1_000, totalMs(steps))) })}${icon('right')}
  </button>`
}
