import { lazy } from '../lazy.ts'
import type { MenuItem } from '../view/menu.ts'
import type { Panel, View } from '../view/view.ts'

/** The conversations to look at before the first message, loaded when a conversation is empty. */
export const inbox = lazy<View, []>(async () => (await import('./inbox.ts')).inbox)

/** The field for a new title, loaded with the menu that leads to it. */
export const renaming = lazy<View, []>(async () => (await import('./actions.ts')).renaming)

/** The menu `More actions`, loaded when it opens. */
export const actionMenu = lazy<View, [MenuItem[]]>(async () => {
  const [actions] = await Promise.all([import('./actions.ts'), renaming.load()])
  return actions.actionMenu
})

/** The menu of conversations behind the title of the panel, loaded when it opens. */
export const switchMenu = lazy<Panel, []>(async () => (await import('./switch.ts')).switchMenu)

/** Opens the menu with the focus on its first item, or closes it. */
export async function toggleMenu(view: View, name: 'more' | 'switch'): Promise<void> {
  await (name === 'more' ? actionMenu : switchMenu).load()
  view.ui.set({ menu: view.ui.menu === name ? null : name })
  await view.updateComplete
  view.find<HTMLElement>(`#menu-${name} [role=menuitem]`)?.focus()
}
