import { html, nothing, type TemplateResult } from 'lit'
import type { Mention } from '../../../core/conversation/schema.ts'
import { lazy } from '../lazy.ts'
import { menuButton } from '../view/menu-button.ts'
import type { View } from '../view/view.ts'

/** The mentions of the draft, loaded with the first mention. */
export const mentions = lazy(async () => (await import('./chips.ts')).mentions)

/** The mentions of a sent message, loaded with the first mention. */
export const sentMentions = lazy(async () => (await import('./chips.ts')).sentMentions)

/** The list of records, files or prompts to choose from, loaded when it opens. */
export const picker = lazy(async () => (await import('./picker.ts')).picker)

/** The menu of further additions to a message, loaded when it opens. */
const addMenu = lazy(async () => {
  const [part] = await Promise.all([import('./picker.ts'), picker.load()])
  return part.addMenu
})

/** Draws the button that opens the menu of further additions to a message, and the open menu. */
export function addButton(view: View): TemplateResult {
  return html`${menuButton(view, 'add', 'plus', view.t('mention.menu'), addMenu)}
  ${view.ui.menu === 'add' ? addMenu(view) : nothing}`
}

/**
 * Opens the list after a typed `@` or `/`. `@` opens it only at the start of a word, so not in a mail address. `/`
 * opens it only at the start of the message.
 */
export function signTyped(view: View, { selectionStart, value }: HTMLTextAreaElement): void {
  const at = selectionStart - 1
  const kind = value[at] === '/' ? 'prompt' : 'mention'
  const before = kind === 'prompt' ? value.slice(0, at) : (value[at - 1] ?? '')
  if (before.trim() !== '') return
  Promise.all([import('./picker.ts'), picker.load()]).then(
    ([part]) => part.openPicker(view, kind, at),
    () => view.announcer.say(view.t('offline.trying')),
  )
}

/** Adds a mention to the draft, and focuses the field. */
export async function mention(view: View, it: Mention): Promise<void> {
  const part = await import('./chips.ts').catch(() => null)
  if (!part) return view.announcer.say(view.t('offline.trying'))
  if (view.conversation.transcript.summary?.archived) view.show(null)
  part.choose(view, it)
  await view.updateComplete
  view.focusMessage()
}
