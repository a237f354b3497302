import { afterEach, expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { button, clear, log, mountModule, mountPanel, stage } from './mount.ts'

afterEach(() => {
  clear()
  document.adoptedStyleSheets = []
  document.documentElement.removeAttribute('dir')
})

/** A page whose rules reach every element, as resets of backends and templates do. */
function reset(): void {
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(`html { font-size: 62.5% }
    * { font: italic 700 8px/1 Georgia; letter-spacing: 3px; word-spacing: 9px; text-transform: uppercase;
      text-align: right; text-indent: 20px; color: red; cursor: wait; white-space: pre; text-shadow: 1px 1px red }`)
  document.adoptedStyleSheets = [sheet]
  document.documentElement.dir = 'rtl'
}

const watched = [
  'font',
  'letter-spacing',
  'word-spacing',
  'text-transform',
  'text-align',
  'text-indent',
  'color',
  'direction',
  'white-space',
  'text-shadow',
  'inline-size',
  'block-size',
] as const

/** How every element of the chat looks. */
function looks(host: HTMLElement): string[] {
  return [...(host.shadowRoot?.querySelectorAll('*') ?? [])].map((element) => {
    const style = getComputedStyle(element)
    return `${element.tagName} ${element.className}: ${watched.map((name) => style.getPropertyValue(name)).join(', ')}`
  })
}

test.each([
  ['panel', mountPanel],
  ['module', mountModule],
] as const)('a page’s root font, reset and direction change nothing of the %s', async (_, mount) => {
  const it = stage()
  const id = it.add({ title: 'Prices' }, [
    { role: 'user', content: 'How much?' },
    { role: 'assistant', content: 'A table:\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n`code`', runId: 'run' },
  ])
  const element = mount(it, { conversationId: id, ...(_ === 'panel' && { open: true }) })
  await expect.element(log().getByRole('table')).toBeInTheDocument()
  await expect.element(button('Copy answer')).toBeInTheDocument()
  const before = looks(element)
  reset()
  element.requestUpdate()
  await element.updateComplete

  expect(looks(element)).toEqual(before)
  expect(before.length).toBeGreaterThan(50)
})

test('the chat is as large as the text that the user chose in the browser', async () => {
  mountPanel(stage(), { open: true })
  const field = page.getByRole('textbox', { name: 'Message', exact: true })
  await expect.element(field).toBeInTheDocument()

  expect(getComputedStyle(field.element()).fontSize).toBe('15px')
})
