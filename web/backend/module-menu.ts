import { html, nothing, type TemplateResult } from 'lit'
import type { Label } from '../../core/base/languages/sentence.ts'
import type { RecordId } from '../../core/conversation/schema.ts'
import { type Icon, icon } from './icon.ts'
import { type BackendPlace, format, type ModuleName } from './route.ts'
import { t } from './text.ts'

/** The last page and conversation, which the menu links to. */
type Last = { page: RecordId | null; conversationId: string | null }

type MenuEntry = { module: ModuleName; icon: Icon; place: BackendPlace }

/** The user's rights to modules that not every user has. */
type May = { chat: boolean; usage: boolean }

/** The modules by group. Those that the user may not open are not there; a group without modules is not shown. */
export function moduleMenu(open: ModuleName, last: Last, may: May, isDrawer: boolean): TemplateResult {
  const groups: [Label, MenuEntry[]][] = [
    [
      'menu.web',
      [
        { module: 'page', icon: 'page', place: { module: 'page', page: last.page, isEditing: false } },
        { module: 'list', icon: 'list', place: { module: 'list', table: null, page: last.page, offset: 0 } },
      ],
    ],
    [
      'menu.system',
      [
        { module: 'log', icon: 'log', place: { module: 'log' } },
        ...(may.usage ? [{ module: 'usage', icon: 'usage', place: { module: 'usage' } } as const] : []),
      ],
    ],
    [
      'menu.admin',
      may.chat
        ? [{ module: 'chat', icon: 'chat', place: { module: 'chat', conversationId: last.conversationId } }]
        : [],
    ],
  ]
  return html`<nav class="modules" id="modules" aria-label=${t('menu.modules')} popover=${isDrawer ? 'auto' : nothing}
    @toggle=${focusInside}>
    ${groups.map(([label, items]) => (items.length > 0 ? group(label, items, open) : nothing))}
  </nav>`
}

function group(label: Label, items: MenuEntry[], open: ModuleName): TemplateResult {
  const id = label.replace('.', '-')
  return html`<div>
    <h2 id=${id}>${t(label)}</h2>
    <ul aria-labelledby=${id}>${items.map(
      (item) => html`<li>
        <a class="module-link" href=${format(item.place)} aria-current=${item.module === open ? 'page' : nothing}
          >${icon(item.icon)}${t(`module.${item.module}`)}</a
        >
      </li>`,
    )}</ul>
  </div>`
}

/** Moves the focus into a drawer that has just opened: to where one is in it, else to its first stop. */
export function focusInside(event: ToggleEvent): void {
  if (event.newState !== 'open') return
  const drawer = event.target as HTMLElement
  const here = drawer.querySelector<HTMLElement>('[aria-current=page], [role=treeitem][tabindex="0"]')
  const target = here ?? drawer.querySelector<HTMLElement>('a[href], button, input')
  target?.focus()
}
