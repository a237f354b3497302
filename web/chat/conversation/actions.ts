import { html, nothing, type TemplateResult } from 'lit'
import type { ConversationUsage } from '../../../core/chat/messages-request.ts'
import { saveFile } from '../../save-file.ts'
import { dollars } from '../../usage-figures.ts'
import { lazy } from '../lazy.ts'
import { toggleNotify } from '../notify/notify.ts'
import * as Manage from '../store/manage.ts'
import { changeConversation } from '../store/outbox.ts'
import { abilities, instructions, keys } from '../view/dialogs.ts'
import { isComposed, stopEscape } from '../view/message-field.ts'
import { type Menu, type MenuItem, menu } from '../view/popup-menu.ts'
import type { Panel, View } from '../view/view.ts'

// Each of these dialogs is loaded when it opens.
const connections = lazy(async () => (await import('../connections/connections-dialog.ts')).connections)
const tokens = lazy(async () => (await import('../tokens/tokens.ts')).tokens)

/** Draws the open menu `More actions`: the caller's items, and all actions on the conversation. */
export function actionMenu(view: View, more: MenuItem[]): TemplateResult {
  return menu(view, { name: 'more', label: view.t('menu.more'), items: [...more, ...items(view)] })
}

function items(view: View): Menu['items'] {
  const { t, conversation, ui, store } = view
  const { summary } = conversation.transcript
  const isNew = !summary
  const isBusy = conversation.isBusy
  const open = (dialog: View['ui']['dialog']) => () => ui.set({ dialog })
  return [
    { label: t('menu.rename'), icon: 'pencil', disabled: isNew, run: () => startRenaming(view) },
    {
      label: t(summary?.pinned ? 'menu.unpin' : 'menu.pin'),
      icon: 'pin',
      disabled: isNew,
      run: () => void changeConversation(store, conversation, 'pin', { pinned: !summary?.pinned }),
    },
    {
      label: t(summary?.archived ? 'menu.unarchive' : 'menu.archive'),
      icon: 'archive',
      disabled: isNew || isBusy,
      run: () => void archive(view, !summary?.archived),
    },
    'line',
    { label: t('menu.instructions'), icon: 'sliders', run: open(instructions) },
    store.status?.connections && { label: t('connections.title'), icon: 'external', run: open(connections) },
    store.status?.accessTokens && { label: t('tokens.title'), icon: 'external', run: open(tokens) },
    { label: t('menu.export'), icon: 'download', disabled: isNew, run: () => void saveExport(view) },
    'Notification' in window && {
      label: t(store.memory.notifies ? 'menu.notifyNot' : 'menu.notify'),
      icon: 'clock',
      run: () => void toggleNotify(view),
    },
    { label: t('abilities.title'), icon: 'check', run: open(abilities) },
    { label: t('menu.keys'), icon: 'info', run: open(keys) },
    'line',
    {
      label: t('menu.delete'),
      icon: 'trash',
      danger: true,
      disabled: isNew || isBusy,
      run: () => void deleteOpen(view),
    },
    ...notes(view),
  ]
}

/** The share, in percent, from which the menu reports the model's context window as nearly full. */
const nearlyFull = 75

/** Returns notes about the model, a nearly full context window, and the usage of the conversation. */
function notes(view: View): MenuItem[] {
  const { t, store, conversation } = view
  const { usage, windowPercent } = conversation.transcript
  const name = store.status?.provider.model
  const lines = [
    ...(name ? [{ note: t('menu.model', { name }) }] : []),
    ...(windowPercent >= nearlyFull ? [{ note: t('menu.nearlyFull', { percent: windowPercent }) }] : []),
    ...(usage && usage.tokens > 0 ? [{ note: used(view, usage) }] : []),
  ]
  return lines.length > 0 ? ['line', ...lines] : []
}

/** Formats the usage of the conversation, such as `Used: 12,400 tokens, about $0.05`. */
function used({ t, format }: View, { tokens, dollars: sum, unpriced }: ConversationUsage): string {
  const count = t('menu.used', { count: tokens })
  if (unpriced) return t('menu.usedUnpriced', { used: count })
  return sum === null ? count : t('menu.usedCost', { used: count, cost: dollars(format.locale, sum) })
}

/** Opens the field for a new title. It gets the focus from the menu's button, and takes it from nothing else. */
async function startRenaming(view: View): Promise<void> {
  view.ui.set({ isRenaming: true })
  await view.updateComplete
  if (view.find('[data-menu="more"]:focus')) view.find<HTMLInputElement>('.rename')?.select()
}

/** Draws the field for a new title, in place of the title. Only Escape discards the text: a refusal brings it back. */
export function titleField(view: View): TemplateResult {
  const { t, conversation, store, ui } = view
  const most = store.status?.maxCharacters.title
  const draft = `title ${conversation.id}`
  const stop = () => {
    store.keep({ drafts: { [draft]: '' } })
    ui.set({ isRenaming: false })
  }
  const keep = async (field: HTMLInputElement) => {
    const title = [...field.value.trim()].slice(0, most).join('')
    stop()
    if (!title || title === conversation.title) return
    if (await changeConversation(store, conversation, 'rename', { title })) return
    store.keep({ drafts: { [draft]: title } })
    if (view.conversation === conversation) await startRenaming(view)
  }
  const pressed = (event: KeyboardEvent) => {
    if (isComposed(event)) return
    if (event.key === 'Enter') {
      // Without this, the same key press would activate the button that gets the focus.
      event.preventDefault()
      void keep(event.target as HTMLInputElement)
    } else if (stopEscape(event)) stop()
    else return
    void view.focusDrawn('[data-menu="more"]')
  }
  // The end of the renaming removes the field, which then loses the focus, too.
  const left = (event: FocusEvent) => {
    if (ui.isRenaming && document.hasFocus()) void keep(event.target as HTMLInputElement)
  }
  // A character has at most two of the units that `maxlength` counts. The value is an attribute, so a title from another
  // tab does not replace what the user has typed.
  return html`<div class="row chat-title">
    <input class="input rename" aria-label=${t('menu.title')} maxlength=${most ? 2 * most : nothing} dir="auto"
      value=${store.memory.drafts[draft] || (conversation.title ?? '')} @keydown=${pressed} @blur=${left} />
  </div>`
}

async function archive(view: View, archived: boolean, conversation = view.conversation): Promise<void> {
  const { ui, t } = view
  ui.set({ offer: null })
  if (!(await changeConversation(view.store, conversation, 'archive', { archived }))) return
  if (archived)
    ui.offerUndo(t('several.archive', { count: 1 }), () => void archive(view, false, conversation))
  // The bar that replaces the field shows that the conversation is archived; its button unarchives the conversation.
  if (!archived) view.announcer.say(t('several.unarchive', { count: 1 }))
  await view.focusDrawn('.closed .btn, #message')
}

async function deleteOpen(view: View): Promise<void> {
  const { store, conversation, t } = view
  view.ui.set({ offer: null })
  if (!(await Manage.deleteConversation(store, conversation, true))) return
  if (view.conversation === conversation) view.show(null)
  view.announcer.say(t('menu.deleted'))
  view.ui.offerUndo(t('menu.deleted'), async () => {
    const isDone = await Manage.deleteConversation(store, conversation, false)
    if (isDone && view.conversation.id === null) view.show(conversation.id)
    await view.updateComplete
    view.focusMessage()
  })
  view.focusMessage()
}

async function saveExport({ store, conversation }: View): Promise<void> {
  const file = await Manage.fetchExport(store, conversation)
  if (file) saveFile(file.blob, file.name)
}

/** The maximum number of conversations in the menu of the title. */
const mostItems = 10

/** Draws the open menu of conversations at the title of the panel. */
export function switchMenu(panel: Panel, showAll: () => void): TemplateResult {
  const label = panel.t('app.conversations')
  return menu(panel, { name: 'switch', label, items: conversationItems(panel, showAll), look: 'menu-switch' })
}

function conversationItems(panel: Panel, showAll: () => void): MenuItem[] {
  const { t, store, conversation } = panel
  const items = store.active.items.slice(0, mostItems).map(
    (item): MenuItem => ({
      label: item.title || t('app.new'),
      current: item.id === conversation.id,
      run: () => {
        panel.show(item.id)
        void panel.updateComplete.then(() => panel.focusMessage())
      },
    }),
  )
  const all: MenuItem = { label: t('panel.all'), icon: 'list', run: showAll }
  return items.length > 0 ? [...items, 'line', all] : [all]
}
