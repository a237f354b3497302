import { html, nothing, type TemplateResult } from 'lit'
import { type Icon, icon } from '../icon.ts'
import { remarkText } from '../view/announcer.ts'
import type { View } from '../view/view.ts'

/** The sign and the look of a notice that says what was done. */
const done: readonly [Icon, string] = ['check', 'strip-plain']

/** Draws the banners between log and field: the button that scrolls to the end, the connection, problems, and undo. */
export function banners(view: View): TemplateResult {
  return html`<div class="above">${jump(view)}</div>
    ${connection(view)} ${issues(view)} ${remark(view)} ${dropped(view)} ${offer(view)}`
}

function jump(view: View): unknown {
  const { t, scroller, conversation } = view
  const { unseen } = scroller
  const isWaiting = unseen === 0 && conversation.transcript.approval !== null
  if (isWaiting ? scroller.seesDecision : !scroller.offersEnd) return nothing
  const words = unseen > 0 ? t('log.new', { count: unseen }) : t(isWaiting ? 'log.toDecision' : 'log.toEnd')
  const go = () => {
    if (isWaiting) scroller.toDecision()
    else scroller.toEnd()
    // The click removes the button, so the focus moves to the part that the button scrolled to.
    view.find(isWaiting ? '.approval' : '.log')?.focus({ preventScroll: true })
  }
  return html`<button class="btn btn-sm jump" type="button" @click=${go}>${icon('down')}${words}</button>`
}

function connection({ t, store }: View): unknown {
  if (store.phase === 'expired') return strip('lock', '', t(`composer.${store.api.endedBy}`))
  if (store.retryAt === null) return nothing
  const seconds = Math.ceil((store.retryAt - Date.now()) / 1_000)
  const words = seconds > 0 ? t('offline.waiting', { seconds }) : t('offline.trying')
  return strip('warning', '', words, { label: t('offline.now'), run: () => void store.reconnect() })
}

function issues({ t, store }: View): unknown {
  const { status } = store
  if (!status || (status.available && status.issues.length === 0)) return nothing
  const words = status.issues.map(({ message }) => message).join(' ')
  return strip('warning', '', words || t('composer.unavailable'))
}

function remark(view: View): unknown {
  const { conversation, store, t } = view
  if (!conversation.remark) return nothing
  const close = () => {
    conversation.remark = null
    store.changed()
    view.focusMessage()
  }
  const act = conversation.remark.act ?? { label: t('app.close'), run: close }
  const look: readonly [Icon, string] =
    conversation.remark.kind === 'problem' ? ['warning', 'strip-bad'] : done
  return strip(...look, remarkText(conversation, t), act)
}

/** Offers to undo the changes of answers that an edit has moved to an earlier version. */
function dropped(view: View): unknown {
  const { t, ui } = view
  const changes = ui.dropped.reduce((sum, run) => sum + run.changes, 0)
  if (changes === 0) return nothing
  const undo = async () => {
    const runs = ui.dropped
    ui.set({ dropped: [] })
    const { takeBack } = await import('../approval/outcome.ts')
    const ids = runs.map(({ runId }) => runId)
    const refused = await takeBack(view, ids)
    ui.set({ dropped: runs.filter(({ runId }) => refused.includes(runId)) })
  }
  const act = { label: t('app.undo'), run: () => void undo() }
  return strip('info', 'strip-plain', t('message.dropped', { count: changes }), act)
}

function offer({ t, ui }: View): unknown {
  if (!ui.isTimed || !ui.offer || ui.offer.inList) return nothing
  return strip(...done, ui.offer.text, { label: t('app.undo'), run: ui.offer.undo })
}

/** Returns a notice with at most one button. */
export function strip(
  sign: Icon,
  look: string,
  words: string,
  act?: { label: string; run: () => void },
): TemplateResult {
  return html`<div class="row strip ${look}">
    ${icon(sign)}
    <p>${words}</p>
    ${act ? html`<button class="btn btn-sm" type="button" @click=${act.run}>${act.label}</button>` : nothing}
  </div>`
}
