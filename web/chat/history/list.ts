import { lazy } from '../lazy.ts'
import type { View } from '../view/view.ts'

/** The list of all conversations, loaded when it is shown. */
export const history = lazy<View, [close?: unknown]>(async () => (await import('./history.ts')).history)

/** Below 896 px: shows the list, with the focus on the conversation that is open. */
export async function showList(view: View): Promise<void> {
  await history.load()
  view.ui.set({ side: 'list' })
  await view.updateComplete
  ;(view.find('.conv[aria-current]') ?? view.find('.history-top .icon-btn'))?.focus()
}
