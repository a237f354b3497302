import { html, nothing, type TemplateResult } from 'lit'
import { icon } from '../icon.ts'
import * as Keeping from '../store/manage.ts'
import { type Item, menu, toggleMenu } from '../view/menu.ts'
import type { View } from '../view/view.ts'

/** So long a deletion can be taken back with one click. */
const offerMs = 10_000

/** The title, or the field for a new one, and what needs to be known of the conversation. */
export function title(view: View): TemplateResult {
  const { t, talk, ui } = view
  if (ui.isRenaming) return renaming(view)
  return html`<div class="chat-title">
    <h2 dir="auto" title=${talk.title ?? ''}>${talk.title ?? t('app.new')}</h2>
    ${badges(view)}
  </div>`
}

/** Waiting, archived, instructed: each in words. */
export function badges({ t, talk }: View): unknown {
  const { summary, systemPrompt } = talk.transcript
  return html`${
    talk.status === 'awaiting_approval'
      ? html`<span class="badge badge-warn badge-optional">${icon('clock')}${t('badge.waiting')}</span>`
      : nothing
  }${
    summary?.archived
      ? html`<span class="badge badge-optional">${icon('archive')}${t('badge.archived')}</span>`
      : nothing
  }${
    systemPrompt
      ? html`<span class="badge badge-optional">${icon('sliders')}${t('badge.instructions')}</span>`
      : nothing
  }`
}

/** Instructions and the menu with everything that can be done to the conversation. */
export function actions(view: View, more: Item[] = []): TemplateResult {
  const { t, ui } = view
  return html`<button
      class="btn btn-sm btn-quiet hide-narrow"
      type="button"
      @click=${() => ui.set({ dialog: 'instructions' })}
    >
      ${icon('sliders')}${t('menu.instructions')}
    </button>
    ${moreMenu(view, more)}`
}

/** The menu `More actions` of a conversation. */
export function moreMenu(view: View, more: Item[] = []): TemplateResult {
  const { t, ui } = view
  return html`<div class="menu-home">
    <button
      class="icon-btn"
      type="button"
      data-menu="more"
      aria-label=${t('menu.more')}
      title=${t('menu.more')}
      aria-haspopup="menu"
      aria-expanded=${ui.menu === 'more' ? 'true' : 'false'}
      @click=${() => toggleMenu(view, 'more')}
    >
      ${icon('more')}
    </button>
    ${menu(view, { name: 'more', label: t('menu.more'), items: [...more, ...items(view)] })}
  </div>`
}

function items(view: View): Item[] {
  const { t, talk, ui, store } = view
  const { summary } = talk.transcript
  if (!store) return []
  const isNew = !summary
  const isBusy = talk.isBusy
  return [
    { label: t('menu.rename'), icon: 'pencil', disabled: isNew, run: () => startRenaming(view) },
    {
      label: t(summary?.pinned ? 'menu.unpin' : 'menu.pin'),
      icon: 'pin',
      disabled: isNew,
      run: () => void Keeping.pin(store, talk, !summary?.pinned),
    },
    {
      label: t(summary?.archived ? 'menu.unarchive' : 'menu.archive'),
      icon: 'archive',
      disabled: isNew || isBusy,
      run: () => void archive(view, !summary?.archived),
    },
    'line',
    { label: t('menu.instructions'), icon: 'sliders', run: () => ui.set({ dialog: 'instructions' }) },
    { label: t('menu.export'), icon: 'download', disabled: isNew, run: () => void save(view) },
    { label: t('menu.keys'), icon: 'info', run: () => ui.set({ dialog: 'keys' }) },
    'line',
    {
      label: t('menu.delete'),
      icon: 'trash',
      danger: true,
      disabled: isNew || isBusy,
      run: () => void remove(view),
    },
  ]
}

async function startRenaming(view: View): Promise<void> {
  view.ui.set({ isRenaming: true })
  await view.updateComplete
  view.find<HTMLInputElement>('.rename')?.select()
}

function renaming(view: View): TemplateResult {
  const { t, talk, ui } = view
  const stop = async () => {
    ui.set({ isRenaming: false })
    await view.updateComplete
    view.find('[data-menu="more"]')?.focus()
  }
  const keep = async (field: HTMLInputElement) => {
    const text = field.value.trim().slice(0, 255)
    await stop()
    if (view.store && text && text !== talk.title) await Keeping.rename(view.store, talk, text)
  }
  const pressed = (event: KeyboardEvent) => {
    if (event.isComposing) return
    if (event.key === 'Enter') {
      // The focus goes to a button, which would take the same stroke as a press.
      event.preventDefault()
      void keep(event.target as HTMLInputElement)
    }
    if (event.key !== 'Escape') return
    event.stopPropagation()
    event.preventDefault()
    void stop()
  }
  return html`<div class="chat-title">
    <input
      class="rename"
      aria-label=${t('menu.title')}
      maxlength="255"
      dir="auto"
      .value=${talk.title ?? ''}
      @keydown=${pressed}
      @blur=${() => document.hasFocus() && ui.set({ isRenaming: false })}
    />
  </div>`
}

async function archive(view: View, archived: boolean): Promise<void> {
  const { store, talk } = view
  view.ui.set({ offer: null })
  if (!store || !(await Keeping.archive(store, talk, archived))) return
  await view.updateComplete
  // The bar in place of the field says so, and has the way back.
  if (archived) view.find('.closed .btn')?.focus()
  else view.focusMessage()
}

async function remove(view: View): Promise<void> {
  const { store, talk, t } = view
  view.ui.set({ offer: null })
  if (!store || !(await Keeping.remove(store, talk, true))) return
  view.show(null)
  offer(view, t('menu.deleted'), async () => {
    if (await Keeping.remove(store, talk, false)) {
      talk.isGone = false
      view.show(talk.id)
      await view.updateComplete
    }
    view.focusMessage()
  })
  view.focusMessage()
}

function offer(view: View, text: string, undo: () => void): void {
  const take = () => {
    view.ui.set({ offer: null })
    undo()
  }
  view.ui.set({ offer: { text, undo: take, until: Date.now() + offerMs } })
}

async function save({ store, talk }: View): Promise<void> {
  const file = store && (await Keeping.exported(store, talk))
  if (!file) return
  const link = document.createElement('a')
  link.href = URL.createObjectURL(file.blob)
  link.download = file.name
  link.click()
  URL.revokeObjectURL(link.href)
}
