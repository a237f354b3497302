import type { TemplateResult } from 'lit'
import { type MenuItem, menu } from '../view/menu.ts'
import type { View } from '../view/view.ts'
import { dress } from './look.ts'
import { open } from './picker.ts'

/** The open menu of what else can go with a message. */
export function addMenu(view: View): TemplateResult {
  dress(view)
  const { t, store } = view
  const items: MenuItem[] = [
    { label: t('mention.add'), icon: 'search', run: () => void open(view, 'mention', null) },
    { label: t('composer.attach'), icon: 'attach', run: () => view.find('[data-attach]')?.click() },
  ]
  if (store?.status?.siteFiles)
    items.push({ label: t('mention.files'), icon: 'image', run: () => void open(view, 'file', null) })
  items.push(
    'line',
    { label: t('prompts.pick'), icon: 'list', run: () => void open(view, 'prompt', null) },
    { label: t('prompts.manage'), icon: 'pencil', run: () => view.ui.set({ dialog: 'prompts' }) },
  )
  return menu(view, { name: 'add', label: t('mention.menu'), items, look: 'menu-add' })
}
