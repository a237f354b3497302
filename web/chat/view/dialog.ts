import { html, nothing, type TemplateResult } from 'lit'
import type { Key } from '../../../core/base/languages/sentence.ts'
import type { StatusAnswer } from '../../../core/chat/status-request.ts'
import type { FileInfoAnswer } from '../../../core/file/schema.ts'
import { icon } from '../icon.ts'
import { closing, frame, listDialog } from './dialog-frame.ts'
import { instructions } from './instructions.ts'
import { type OwnUsage, ownUsage, readUsage } from './own-usage.ts'
import type { View } from './view.ts'

/** The dialog that is open: instructions of the conversation, the keyboard, the abilities of the assistant, or a picture. */
export function viewDialog(view: View): unknown {
  if (view.ui.dialog === 'instructions') return instructions(view)
  if (view.ui.dialog === 'keys') return keys(view)
  if (view.ui.dialog === 'abilities') return abilities(view)
  if (view.ui.dialog === 'picture' && view.ui.picture) return pictureView(view, view.ui.picture)
  return nothing
}

function keys(view: View): TemplateResult {
  const { t, store } = view
  const row = (words: string, ...combinations: string[]) => html`<dt>${words}</dt>
    <dd>${combinations.map((keys, index) => html`${index > 0 ? t('keys.between') : nothing}<kbd>${keys}</kbd>`)}</dd>`
  const check = (words: string, isOn: boolean, set: (value: boolean) => void) => html`<label class="check"
    ><input
      type="checkbox"
      .checked=${isOn}
      @change=${(event: Event) => {
        set((event.target as HTMLInputElement).checked)
        store?.changed()
      }}
    />${words}</label
  >`
  const memory = store?.memory
  const enter = t('keys.enter')
  const ctrl = (key: string) => t('keys.withCtrl', { key })
  const body = html`<div class="dialog-body">
    <dl class="keys-list">
      ${memory?.enterSends === false ? nothing : row(t('keys.send'), enter)}
      ${row(t('keys.sendAlways'), ctrl(enter))} ${row(t('keys.line'), t('keys.withShift', { key: enter }))}
      ${row(t('keys.edit'), '↑')} ${row(t('keys.jump'), 'Alt ↑', 'Alt ↓')} ${row(t('keys.toggle'), ctrl('Alt K'))}
      ${row(t('keys.new'), ctrl('Alt N'))} ${row(t('keys.stop'), ctrl('Alt .'))}
      ${row(t('keys.now'), ctrl(`Alt ${enter}`))}
      ${row(t('keys.approval'), ctrl('Alt A'))} ${row(t('keys.help'), ctrl('Alt H'))}
      ${row(t('keys.escape'), 'Esc')}
    </dl>
    ${check(t('keys.enterSends'), memory?.enterSends !== false, (enterSends) => store?.keep({ enterSends }))}
    ${check(t('keys.enabled'), memory?.shortcuts !== false, (shortcuts) => store?.keep({ shortcuts }))}
  </div>`
  return frame(view, t('keys.title'), body, closing(view))
}

function pictureView(view: View, { name, url }: FileInfoAnswer): TemplateResult {
  const body = html`<div class="dialog-body"><img class="dialog-picture" src=${url} alt=${name} /></div>
    <div class="dialog-foot">
      <span class="grow" aria-hidden="true"></span>
      <a class="btn" href=${url} download=${name} rel="noopener">${icon('download')}${view.t('file.download')}</a>
    </div>`
  return frame(view, name, body, closing(view))
}

type Tool = StatusAnswer['tools'][number]

const abilitiesDialog = listDialog<OwnUsage>(() => ({ usage: undefined }), readUsage)

/** The dialog of what the assistant may do for this user: by itself, after an approval, and not, with the reason. */
function abilities(view: View): TemplateResult {
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
    ${usage ? used(view, usage) : nothing} ${ownUsage(view, abilitiesDialog.of(view))}
  </div>`
  return frame(view, t('abilities.title'), body, abilitiesDialog.closing(view))
}

function group(heading: string, tools: readonly Tool[]): TemplateResult {
  return html`<section>
    <h3>${heading}</h3>
    <ul>
      ${tools.map(({ title, reason }) => html`<li>${title}${reason ? html` <small>${reason}</small>` : nothing}</li>`)}
    </ul>
  </section>`
}

/** `Used today: 12,400 of 100,000 tokens`, with the share as a bar; words where nothing is counted yet. */
function used({ t }: View, { todayTokens, dailyTokens }: StatusAnswer['usage']): TemplateResult {
  if (dailyTokens !== null)
    return html`<div class="share"><span id="used">${t('abilities.usedOf', { count: todayTokens, limit: dailyTokens })}</span>
      <meter aria-labelledby="used" max=${dailyTokens} .value=${todayTokens}></meter></div>`
  return html`<p>${todayTokens > 0 ? t('abilities.used', { count: todayTokens }) : t('abilities.unused')}</p>`
}
