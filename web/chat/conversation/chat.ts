import { html, type TemplateResult } from 'lit'
import { live } from 'lit/directives/live.js'
import { composer, dropHandlers, dropHint } from '../composer/composer.ts'
import { isBusy } from '../store/known-transcript.ts'
import * as Send from '../store/outbox.ts'
import { keys } from '../view/dialogs.ts'
import { startNew } from '../view/message-field.ts'
import type { View } from '../view/view.ts'
import { jump, log } from './message-log.ts'

/**
 * Draws one conversation: head, log and field, and any open dialog. Inside another landmark it is a group, because two
 * landmarks of a page must not have the same name.
 */
export function chat(view: View, head: unknown, role: 'region' | 'group' = 'region'): TemplateResult {
  const { t, conversation } = view
  const files = dropHandlers(view)
  return html`<section class="chat" role=${role} aria-label=${conversation.title ?? t('app.new')}
      @dragover=${files.over} @dragleave=${files.leave} @drop=${files.drop}>
      ${head} ${log(view)} ${composer(view)} ${dropHint(view)}
    </section>
    ${voice(view)} ${view.ui.dialog?.(view)}`
}

/** Draws the only live region of the element. */
export function voice({ announcer }: View): TemplateResult {
  return html`<p class="vh" role="status" .textContent=${live(announcer.text)}></p>`
}

/** Runs a shortcut of panel or module; returns false if it has no meaning now. */
export function runShortcut(view: View, shortcut: string): boolean {
  const { store, conversation, ui } = view
  if (!view.isShowing) return false
  if (shortcut === 'new') startNew(view)
  else if (shortcut === 'keys') ui.set({ dialog: keys })
  else if (shortcut === 'stop' && isBusy(conversation.status))
    void Send.sendAction(store, conversation, 'cancel')
  else if (shortcut === 'now' && isBusy(conversation.status))
    void import('../next/queued-list.ts').then((part) => part.handFirst(view))
  else if (shortcut === 'approval') return focus(view.find('.approval'))
  else if (shortcut === 'before' || shortcut === 'after') {
    if (!view.matches(':focus-within')) return false
    return jump(view, shortcut === 'before' ? -1 : 1)
  } else return false
  return true
}

function focus(element: HTMLElement | null): boolean {
  element?.scrollIntoView({ block: 'nearest' })
  element?.focus()
  return element !== null
}
