import type { TemplateResult } from 'lit'
import { showList } from '../history/list.ts'
import { type MenuItem, menu } from '../view/menu.ts'
import type { Panel } from '../view/view.ts'

/** The most conversations in the menu of the title. */
const mostItems = 10

/** The open menu behind the title of the panel. */
export function switchMenu(panel: Panel): TemplateResult {
  const label = panel.t('app.conversations')
  return menu(panel, { name: 'switch', label, items: choices(panel), look: 'menu-switch' })
}

function choices(panel: Panel): MenuItem[] {
  const { t, store, conversation } = panel
  const items = (store?.active.items ?? []).slice(0, mostItems).map(
    (item): MenuItem => ({
      label: item.title || t('app.new'),
      current: item.id === conversation.id,
      run: () => {
        panel.show(item.id)
        void panel.updateComplete.then(() => panel.focusMessage())
      },
    }),
  )
  const show = () => (panel.hasModule ? panel.openModule() : showList(panel))
  const all: MenuItem = { label: t('panel.all'), icon: 'list', run: show }
  return items.length > 0 ? [...items, 'line', all] : [all]
}
