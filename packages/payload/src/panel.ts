import { createElement, type ReactElement, useEffect } from 'react'

/** The properties that the plugin gives to the button. */
type AiChatButtonProps = {
  /** The origin of the stage. */
  origin: string
  /** The address that returns statements about the user. */
  session: string
  /** The path of the admin panel. */
  admin: string
  /** The slug of the collection that is the page tree; empty for none. */
  pages: string
}
type Panel = HTMLElement & { toggle(): void; forget(): void; resume(): void }

const panel = () => document.querySelector<Panel>('ai-chat-panel')

/**
 * The button in the header of Payload's admin panel. It loads the chat's panel, and connects it with the admin panel.
 */
export function AiChatButton({ origin, session, admin, pages }: AiChatButtonProps): ReactElement {
  // React passes new props objects at each render; the effect depends on their values.
  useEffect(() => bring({ origin, session, admin, pages }), [origin, session, admin, pages])
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

/** Runs on the login page: deletes the chat's data of the logged-out user from the browser, and hides the panel. */
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

/**
 * Adds the script tag of the panel only once, because the document stays the same when another user logs in.
 */
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
    recordHref: `${admin}/collections/{table}/{uid} ${admin}/globals/{global.table}`,
    follow: '.doc-header__title',
    pages,
    inset: `${Math.round(header)}px 0px 0px 0px`,
  })
  document.body.append(script)
}
