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
type Panel = HTMLElement & { toggle(): void; forget(): void; resume(): void }
type Place = { table: string }
type Changed = { records: Place[] }

const panel = () => document.querySelector<Panel>('ai-chat-panel')

/** The button in the header of Payload's admin panel. It brings the panel of the chat, and tells it what is open. */
export function AiChatButton({ origin, session, admin, pages }: AiChatButtonProps): ReactElement {
  // React passes new props objects at each render; the effect depends on their values.
  useEffect(() => {
    bring({ origin, session, admin, pages })
    const changed = (event: Event) => reload(admin, (event as CustomEvent<Changed>).detail)
    const opens = (event: Event) => openGlobal(admin, event as CustomEvent<Place>)
    document.addEventListener('ai-chat-changed', changed)
    document.addEventListener('ai-chat-navigate', opens)
    return () => {
      document.removeEventListener('ai-chat-changed', changed)
      document.removeEventListener('ai-chat-navigate', opens)
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
function bring({ origin, session, admin, pages }: AiChatButtonProps): void {
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
    follow: '.doc-header__title',
    pages,
    inset: `${Math.round(header)}px 0px 0px 0px`,
  })
  document.body.append(script)
}

/** The address of the form of a global. */
const formOf = (admin: string, { table }: Place) => `${admin}/globals/${table.replace(/^global\./, '')}`

/** Loads the form of a global again after the chat has changed it; the panel does the same for records of collections. */
function reload(admin: string, { records }: Changed): void {
  if (records.some((record) => formOf(admin, record) === location.pathname)) location.reload()
}

/** A global has another address than the records of collections. */
function openGlobal(admin: string, event: CustomEvent<Place>): void {
  if (!event.detail.table.startsWith('global.')) return
  event.preventDefault()
  location.assign(formOf(admin, event.detail))
}
