import { expect, onTestFinished } from 'vitest'
import { page } from 'vitest/browser'
import '../../web/chat/main.ts'
import type { ChatModule } from '../../web/chat/element/module.ts'
import type { ChatPanel } from '../../web/chat/element/panel.ts'
import { Stage } from './stage.ts'

/** A user's hands on the two elements: both find things by role and name alone. */

const mounted: (() => void)[] = []

export function stage(): Stage {
  const it = new Stage()
  // What an earlier test left in the storage is of another user, and does not open a panel of this one.
  localStorage.setItem('aic:v1:user', String(it.uid))
  mounted.push(() => it.leave())
  return it
}

export function mountModule(it: Stage, over: Partial<ChatModule> = {}): ChatModule {
  return mount('ai-chat-module', it, over)
}

export function mountPanel(it: Stage, over: Partial<ChatPanel> = {}): ChatPanel {
  return mount('ai-chat-panel', it, over)
}

function mount<N extends 'ai-chat-module' | 'ai-chat-panel'>(
  name: N,
  it: Stage,
  over: Partial<HTMLElementTagNameMap[N]>,
): HTMLElementTagNameMap[N] {
  // Test files run side by side in one browser: a panel must not stand as the user of another file left it.
  if (localStorage.getItem('aic:v1:user') !== String(it.uid)) localStorage.removeItem('aic:v1:user')
  document.documentElement.lang = 'en'
  document.body.style.setProperty('margin', '0')
  const home = document.createElement('main')
  home.style.setProperty('height', '100vh')
  const element = Object.assign(document.createElement(name), { api: it.origin, token: 'token', ...over })
  home.append(element)
  document.body.append(home)
  mounted.push(() => home.remove())
  return element
}

/** Takes away what a test put on the page. */
export function clear(): void {
  for (const undo of mounted.splice(0).reverse()) undo()
}

export const message = () => page.getByRole('textbox', { name: 'Message', exact: true })
export const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true })
export const log = () => page.getByRole('log', { name: 'Conversation' })
/** Scrolls the log until that is seen: a log that is drawn in the same moment goes to its end once more. */
export const scrolled = <T>(scroll: (log: Element) => void, seen: () => T) =>
  expect.poll(() => {
    scroll(log().element())
    return seen()
  })
/** To the oldest message that is drawn. */
export const toTop = (element: Element): void => {
  element.scrollTop = 0
}
export const said = () => page.getByRole('status')

/** All that is said from here on, also what the next announcement replaces at once. */
export function announcements(): () => string[] {
  const heard: string[] = []
  const observer = new MutationObserver(() => heard.push(said().element().textContent.trim()))
  observer.observe(said().element(), { childList: true, characterData: true, subtree: true })
  onTestFinished(() => observer.disconnect())
  return () => heard
}

/** The name of what has the focus, within the shadow roots too. */
export function focused(): string {
  let active = document.activeElement
  while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement
  const label = (active as HTMLInputElement | null)?.labels?.[0]?.textContent
  return (active?.getAttribute('aria-label') ?? label ?? active?.textContent ?? '')
    .replace(/\s+/g, ' ')
    .trim()
}
