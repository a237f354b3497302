import { usePathname } from 'next/navigation'
import { createElement, type ReactElement, useEffect } from 'react'

/** What the plugin says to the button. */
export type AiChatButtonProps = {
  /** Origin of the stage. */
  origin: string
  /** Where statements about the user come from. */
  session: string
  /** Path of the admin panel. */
  admin: string
  /** Slug of the collection that is the page tree; empty: none. */
  pages: string
}
type Panel = HTMLElement & { toggle(): void; context: object | null }

const panel = () => document.querySelector<Panel>('ai-chat-panel')

/** The button in the header of Payload's admin panel. It brings the panel of the chat, and tells it what is open. */
export function AiChatButton(props: AiChatButtonProps): ReactElement {
  const path = usePathname()
  useEffect(() => {
    bring(props)
    const changed = (event: Event) => reload(props, event as CustomEvent<Changed>)
    document.addEventListener('ai-chat-changed', changed)
    return () => document.removeEventListener('ai-chat-changed', changed)
  }, [props])
  useEffect(() => {
    const element = panel()
    if (element) element.context = contextOf(props, path)
  }, [path, props])
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

/** Puts the tag of the panel into the page, once; the page is one document while its user moves about. */
function bring({ origin, session, admin, pages }: AiChatButtonProps): void {
  if (document.querySelector('script[data-ai-chat]')) return
  const script = document.createElement('script')
  script.type = 'module'
  script.src = `${origin}/backend/embed.js`
  const { pageId } = contextOf({ admin, pages }, location.pathname) ?? {}
  Object.assign(script.dataset, {
    aiChat: '',
    sessionUrl: session,
    lang: document.documentElement.lang.startsWith('de') ? 'de' : 'en',
    recordHref: `${admin}/collections/{table}/{uid}`,
    ...(pageId && { page: String(pageId) }),
  })
  document.body.append(script)
}

/** The open page, by the address of its form. */
function contextOf(
  { admin, pages }: Pick<AiChatButtonProps, 'admin' | 'pages'>,
  path: string,
): { pageId: number | string; module: string; title: string } | null {
  const [collection, id] = path.replace(`${admin}/collections/`, '').split('/')
  if (
    !path.startsWith(`${admin}/collections/`) ||
    collection !== pages ||
    !/^[\w-]+$/.test(id ?? '') ||
    id === 'create'
  )
    return null
  return {
    pageId: /^[1-9]\d*$/.test(id ?? '') ? Number(id) : (id ?? 0),
    module: 'page',
    title: document.title,
  }
}

type Changed = { records: { table: string; uid: number | string }[] }

/**
 * The form of a record that the chat has changed is old: it is loaded again, so that saving it does not put the old
 * values back. Payload asks before words that are not saved are lost.
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
