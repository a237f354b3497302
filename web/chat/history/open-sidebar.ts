import { lazy, loadAhead } from '../lazy.ts'
import type { View } from '../view/view.ts'

/** The list of all conversations, loaded when it is shown. */
export const historySidebar = loadAhead(lazy(async () => (await import('./sidebar.ts')).historySidebar))

/** Shows the list, below 896 px in place of the conversation, and focuses the open conversation in it. */
export async function showList(view: View): Promise<void> {
  await historySidebar.load()
  view.ui.set({ side: 'list' })
  await view.updateComplete
  ;(view.find('.conv[aria-current]') ?? view.find('.history-top .icon-btn'))?.focus()
}
