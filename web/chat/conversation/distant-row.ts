import { html, nothing, type TemplateResult } from 'lit'
import type { TurnRow, UserRow } from '../store/turns.ts'
import { isNotice } from '../store/turns.ts'
import type { View } from '../view/view.ts'

/**
 * Rows far above the screen, as text alone: found by the browser's search and read in order, at a third of the cost.
 * They become whole when they come near.
 */
export function distantMessage({ t, format }: View, { key, message }: UserRow): TemplateResult {
  const time = format.moment(message.createdAt, Date.now())
  return html`<article
    class="msg msg-user msg-far"
    part="message"
    tabindex="-1"
    data-row=${key}
    data-sequence=${message.sequence}
    aria-label=${t('log.you', { time })}
  >
    <div class="bubble" dir="auto">${message.content}</div>
  </article>`
}

/** The answers of an old turn, without its steps and sources. */
export function distantTurn(view: View, row: TurnRow): TemplateResult {
  const { t, format } = view
  const time = format.moment(row.messages.at(-1)?.createdAt ?? '', Date.now())
  const answers = row.messages.filter(
    (message) => message.role === 'assistant' && message.content && !isNotice(message),
  )
  return html`<article
    class="msg msg-far"
    part="message"
    tabindex="-1"
    data-row=${row.key}
    data-sequence=${row.messages[0]?.sequence ?? nothing}
    aria-label=${t('log.assistant', { time })}
  >
    <div class="msg-by"><b>${t('log.name')}</b><time>${time}</time></div>
    ${answers.map((message) => view.prose.of(message, row) ?? nothing)}
  </article>`
}
