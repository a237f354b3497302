import type { Locator, Page } from 'playwright'
import { expect } from 'vitest'
import { underWay } from './browser.ts'

/** The chat as a person finds it: by role and name, in the panel or in the module. */
export type Chat = ReturnType<typeof chatIn>

/** The button above the modules that opens and closes the panel. */
export const toolbarButton = (page: Page): Locator =>
  page.getByRole('banner').getByRole('button', { name: 'AI Chat', exact: true })

/** Opens an address where the chat is; it knows its user then, and all that it asks at its start is answered. */
export async function arrive(page: Page, path: string): Promise<void> {
  const waiting = underWay(page)
  const status = page.waitForResponse(/\/ai-chat\/status/)
  await page.goto(path)
  await status
  await expect.poll(waiting).toBe(0)
}

/** Chooses a module of the menu. */
export const goTo = (page: Page, module: string): Promise<void> =>
  page.getByRole('navigation', { name: 'Modules' }).getByRole('link', { name: module, exact: true }).click()

/** The parts of the chat, in English. */
export function chatIn(page: Page, place: 'panel' | 'module') {
  const root = page.locator(`ai-chat-${place}`)
  const button = (name: string | RegExp) =>
    root.getByRole('button', { name, exact: typeof name === 'string' })
  const message = root.getByRole('textbox', { name: 'Message', exact: true })
  const answers = root.getByRole('article', { name: /^Assistant, / })
  const history = root.getByRole('complementary', { name: 'Conversations' })
  return {
    root,
    button,
    message,
    answers,
    history,
    region: page.getByRole('region', { name: 'AI Chat', exact: true }),
    separator: root.getByRole('separator', { name: 'Panel height' }),
    log: root.getByRole('log', { name: 'Conversation' }),
    steps: root.getByRole('list', { name: 'Steps' }),
    own: root.getByRole('article', { name: /^You, \d/ }),
    unsent: root.getByRole('article', { name: 'You, not sent' }),
    conversations: history.getByRole('list', { name: 'Conversations' }).getByRole('link'),
    conversation: (title: string) => history.getByRole('link', { name: new RegExp(`^${title}`) }),
    attachments: root.getByRole('group', { name: 'Attachments' }).getByRole('listitem'),
    menu: root.getByRole('menu', { name: 'More actions' }),
    /** Writes a message and sends it with Enter. */
    ask: async (text: string) => {
      await message.fill(text)
      await message.press('Enter')
    },
    /** The turn that has ended with an answer that says this. */
    answer: (text: string | RegExp) =>
      answers.filter({ hasText: text }).filter({ has: page.getByRole('button', { name: 'Copy answer' }) }),
    /** Chooses an entry of the menu of the conversation. */
    more: async (entry: string) => {
      await button('More actions').click()
      await root.getByRole('menuitem', { name: entry, exact: true }).click()
    },
  }
}

/** Presses a button of the card once it takes clicks, and waits for what comes of it. */
export async function decide(
  { button }: Pick<Chat, 'button'>,
  name: 'Approve' | 'Deny',
  until: () => Promise<boolean>,
): Promise<void> {
  await button(name).click()
  await expect.poll(until).toBe(true)
}

/** The element has the focus, whichever shadow root it is in. */
export const hasFocus = (element: Locator): Promise<boolean> =>
  element.evaluate((it) => (it.getRootNode() as Document | ShadowRoot).activeElement === it)

/** Everything that the live region of an element says from now on, oldest first. */
export async function listen(chat: Chat): Promise<() => Promise<string[]>> {
  const said = await chat.root.evaluateHandle((host) => {
    const lines: string[] = []
    const note = () => {
      // The invisible character makes a repeated sentence a new one to a screen reader.
      const text = host.shadowRoot?.querySelector('[role=status]')?.textContent?.replace('\u200b', '') ?? ''
      if (text && text !== lines.at(-1)) lines.push(text)
    }
    if (host.shadowRoot)
      new MutationObserver(note).observe(host.shadowRoot, {
        subtree: true,
        childList: true,
        characterData: true,
      })
    return lines
  })
  return () => said.jsonValue()
}

/** Every request of the page from now on that goes to an address with this ending: method and body. */
export function requestsTo(page: Page, ending: string): { method: string; body: Record<string, unknown> }[] {
  const seen: { method: string; body: Record<string, unknown> }[] = []
  page.on('request', (request) => {
    if (!new URL(request.url()).pathname.endsWith(ending)) return
    seen.push({ method: request.method(), body: JSON.parse(request.postData() ?? '{}') })
  })
  return seen
}
