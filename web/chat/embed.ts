import { statementOf } from './api.ts'
import './main.ts'
import { idIn } from './view/record-link.ts'

/** Sets up the chat from the data attributes of its own script tag. A CMS needs one tag and no inline script. */
const script = [...document.querySelectorAll<HTMLScriptElement>('script[src]')].find(
  ({ src }) => src === import.meta.url,
)
if (script) setUp(script.dataset)

function setUp(data: DOMStringMap): void {
  // This statement is valid for one session only; the page requests further statements from `sessionUrl`.
  let { statement: given } = data
  delete data.statement
  const next = () => {
    const first = given
    given = undefined
    return first ? Promise.resolve(first) : statementOf(data.sessionUrl ?? '')
  }
  const session = data.sessionUrl ? next : null
  const pageId = idIn(data.page || '0')
  const place = document.querySelector(data.module || 'ai-chat-none')
  const shared = {
    session,
    context:
      pageId !== 0
        ? {
            pageId,
            ...(data.table && { table: data.table }),
            module: 'page',
            title: data.title || document.title,
          }
        : null,
    ...(data.lang && { lang: data.lang }),
    ...(data.moduleHref && { conversationHref: data.moduleHref }),
    ...(data.recordHref && { recordHref: data.recordHref }),
  }
  if (place) {
    // The address that the panel opened has the id of the conversation as its hash.
    const conversationId = location.hash.slice(1) || null
    const module = Object.assign(document.createElement('ai-chat-module'), shared, { conversationId })
    place.append(module)
    forgetWithOthers(module)
    return
  }
  const panel = Object.assign(document.createElement('ai-chat-panel'), shared)
  if (data.inset) panel.style.setProperty('--aic-inset', data.inset)
  panel.addEventListener('ai-chat-open-module', ({ detail }) => {
    if (data.moduleHref) location.assign(data.moduleHref.replace('{id}', detail.conversationId ?? ''))
  })
  document.body.append(panel)
  forgetWithOthers(panel)
  if (data.toggle) bind(panel, data.toggle)
  const { follow, recordHref = '', pages } = data
  if (follow !== undefined)
    void import('./follow.ts').then(({ followPage }) => followPage(panel, { follow, recordHref, pages }))
}

/**
 * Connects the page's buttons with the panel, and keeps their `aria-expanded` up to date. Includes buttons that the
 * page adds later.
 */
function bind(panel: HTMLElementTagNameMap['ai-chat-panel'], selector: string): void {
  const say = () => {
    for (const button of document.querySelectorAll(selector))
      if (button.ariaExpanded !== String(panel.open)) button.ariaExpanded = String(panel.open)
  }
  document.addEventListener('click', ({ target }) => {
    if (target instanceof Element && target.closest(selector)) panel.toggle()
  })
  panel.addEventListener('ai-chat-toggle', say)
  new MutationObserver(say).observe(document.body, { childList: true, subtree: true })
  say()
}

/** Forgets the session when another page of the CMS removes the stored user, which means a logout. */
function forgetWithOthers(chat: { forget(): void }): void {
  addEventListener('storage', ({ key, newValue }) => {
    if (key === 'aic:v1:user' && newValue === null) chat.forget()
  })
}
