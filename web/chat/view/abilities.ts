import { html, nothing, type TemplateResult } from 'lit'
import type { Key } from '../../../core/base/languages/sentence.ts'
import type { StatusAnswer } from '../../../core/chat/status-request.ts'
import { closing, frame } from './frame.ts'
import type { View } from './view.ts'

type Tool = StatusAnswer['tools'][number]

/** The dialog of what the assistant may do for this user: by itself, after an approval, and not, with the reason. */
export function abilities(view: View): TemplateResult {
  const { t, store } = view
  const { tools = [], usage } = store?.status ?? {}
  const groups: [Key, Tool[]][] = [
    ['abilities.reads', tools.filter((tool) => tool.available && !tool.writes)],
    ['abilities.writes', tools.filter((tool) => tool.available && tool.writes)],
    ['abilities.not', tools.filter((tool) => !tool.available)],
  ]
  const body = html`<div class="dialog-body abilities">
    <p>${t('abilities.text')}</p>
    ${groups.map(([key, members]) => (members.length > 0 ? group(t(key), members) : nothing))}
    ${usage ? html`<p>${used(view, usage)}</p>` : nothing}
  </div>`
  return frame(view, t('abilities.title'), body, closing(view))
}

function group(heading: string, tools: readonly Tool[]): TemplateResult {
  return html`<section>
    <h3>${heading}</h3>
    <ul>
      ${tools.map(({ title, reason }) => html`<li>${title}${reason ? html` <small>${reason}</small>` : nothing}</li>`)}
    </ul>
  </section>`
}

/** `Used today: 12,400 of 100,000 tokens` */
function used({ t }: View, { todayTokens, dailyTokens }: StatusAnswer['usage']): string {
  return dailyTokens === null
    ? t('abilities.used', { count: todayTokens })
    : t('abilities.usedOf', { count: todayTokens, limit: dailyTokens })
}
