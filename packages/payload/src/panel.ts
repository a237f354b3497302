import { createElement, type ReactElement, useEffect } from 'react'

/** The properties that the plugin gives to the button. */
type AiChatButtonProps = {
  /** Origin of the stage. */
  origin: string
  /** The address of statements about the user. */
  session: string
  /** Path of the admin panel. */
  admin: string
  /** Slug of the collection that is the page tree; empty: none. */
  pages: string
}
type Context = { pageId: number | string; module: string; title: string }
type Panel = HTMLElement & { toggle(): void; forget(): void; resume(): void; context: Context | null }
type Changed = { records: { table: string; uid: number | string }[] }

const panel = () => document.querySelector<Panel>('ai-chat-panel')

/** The button in the header of Payload's admin panel. It brings the panel of the chat, and tells it what is open. */
export function AiChatButton({ origin, session, admin, pages }: AiChatButtonProps): ReactElement {
  // React passes new props objects at each render; the effect depends on their values.
  useEffect(() => {
    const props = { origin, session, admin, pages }
    bring(props)
    const changed = (event: Event) => reload(props, event as CustomEvent<Changed>)
    document.addEventListener('ai-chat-changed', changed)
    const stop = follow(props)
    return () => {
      document.removeEventListener('ai-chat-changed', changed)
      stop()
    }
  }, [origin, session, admin, pages])
  return createElement(
    'button',
    {
      type: 'button',
      className: 'btn btn--style-secondary btn--size-small',
      onClick: () => panel()?.toggle(),
    },
    'AI Chat',
  )
}

/** On the page of the login: the browser forgets what the chat kept for the user who has logged out. */
export function AiChatForget(): null {
  useEffect(() => {
    const element = panel()
    element?.forget()
    if (element) element.style.display = 'none'
    for (const storage of [localStorage, sessionStorage])
      for (const key of Object.keys(storage)) if (key.startsWith('aic:')) storage.removeItem(key)
  }, [])
  return null
}

/** Puts the tag of the panel into the page, once; the page is one document while its users come and go. */
function bring({ origin, session, admin }: AiChatButtonProps): void {
  const element = panel()
  if (element?.style.display === 'none') {
    element.style.display = ''
    element.resume()
  }
  if (document.querySelector('script[data-ai-chat]')) return
  const script = document.createElement('script')
  script.type = 'module'
  script.src = `${origin}/backend/embed.js`
  const header = document.querySelector('.app-header')?.getBoundingClientRect().height ?? 0
  Object.assign(script.dataset, {
    aiChat: '',
    sessionUrl: session,
    lang: document.documentElement.lang,
    recordHref: `${admin}/collections/{table}/{uid}`,
    inset: `${Math.round(header)}px 0px 0px 0px`,
  })
  document.body.append(script)
}

/** Keeps the panel up with the open page and the theme: Payload draws both without a new document. */
function follow(props: AiChatButtonProps): () => void {
  let isDue = false
  const look = () => {
    if (isDue) return
    isDue = true
    requestAnimationFrame(() => {
      isDue = false
      const element = panel()
      if (!element) return
      const context = contextOf(props)
      if (JSON.stringify(element.context) !== JSON.stringify(context)) element.context = context
      const { theme } = document.documentElement.dataset
      if (theme && element.dataset.theme !== theme) element.dataset.theme = theme
    })
  }
  const observer = new MutationObserver(look)
  observer.observe(document.documentElement, {
    childList: true,
    subtree: true,
    attributeFilter: ['data-theme'],
  })
  look()
  return () => observer.disconnect()
}

/** The open page, by the address and the heading of its form. */
function contextOf({ admin, pages }: AiChatButtonProps): Context | null {
  const { pathname } = location
  const [collection, id = ''] = pathname.replace(`${admin}/collections/`, '').split('/')
  const isForm = pathname.startsWith(`${admin}/collections/`) && /^[\w-]+$/.test(id) && id !== 'create'
  if (!isForm || collection !== pages) return null
  const heading = document.querySelector('.doc-header__title')?.textContent?.trim()
  return {
    pageId: /^[1-9]\d*$/.test(id) ? Number(id) : id,
    module: 'page',
    title: heading || document.title,
  }
}

/**
 * Loads the form of a record again after the chat has changed the record, so that saving does not restore the old
 * values. Payload asks before it drops unsaved words.
 */
function reload({ admin }: AiChatButtonProps, { detail }: CustomEvent<Changed>): void {
  const isOpen = detail.records.some(({ table, uid }) => {
    const form = table.startsWith('global.')
      ? `${admin}/globals/${table.slice('global.'.length)}`
      : `${admin}/collections/${table}/${uid}`
    return location.pathname === form
  })
  if (isOpen) location.reload()
}
