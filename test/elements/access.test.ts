import axe from 'axe-core'
import { afterEach, describe, expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import en from '../../core/base/languages/en/chat.json'
import { lengthen, speakLonger } from './longer.ts'
import { button, clear, log, message, mountModule, mountPanel, stage } from './mount.ts'
import type { Stage } from './stage.ts'

const root = document.documentElement
afterEach(async () => {
  clear()
  root.dir = 'ltr'
  root.style.removeProperty('color-scheme')
  await page.viewport(1280, 800)
})

/** Waits for the end of running transitions: until then, colours are between two values. */
async function rest(): Promise<void> {
  const roots = [...document.querySelectorAll('ai-chat-module, ai-chat-panel')].map((one) => one.shadowRoot)
  const running = roots.flatMap((one) => one?.getAnimations() ?? [])
  const ending = running.filter((one) => one.effect?.getTiming().iterations === 1)
  await Promise.all(ending.map((one) => one.finished.catch(() => {})))
}

async function findings(): Promise<string[]> {
  // A message that scrolls below the pointer shows its time: it would change while the rules are checked.
  await userEvent.hover(document.body, { position: { x: 1, y: 1 }, force: true })
  await rest()
  const { violations } = await axe.run(document, {
    runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
    // Of the page around, which is the test's own.
    rules: { 'page-has-heading-one': { enabled: false }, 'document-title': { enabled: false } },
  })
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 160)}`))
}

function full(it: Stage): string {
  it.add({ title: 'Pinned one', pinned: true })
  it.add({ title: 'Running', status: 'locked' })
  it.add({ title: 'Broken', status: 'failed', errorCode: 'internal.error' })
  const id = it.add({ title: 'Price of the Aurora lamp' }, [
    {
      role: 'user',
      content: 'What does it cost?',
      fileUid: 1,
      fileName: 'guide.pdf',
      fileMimeType: 'application/pdf',
    },
    {
      role: 'assistant',
      content: '',
      runId: 'r0',
      toolCalls: [{ id: 'c0', name: 'get_page_content', arguments: { page: 3 } }],
    },
    {
      role: 'tool',
      content: 'Text',
      toolCallId: 'c0',
      toolName: 'get_page_content',
      runId: 'r0',
      outcome: 'done',
      records: [{ table: 'pages', uid: 3, title: 'Aurora lamp' }],
    },
    {
      role: 'assistant',
      content:
        'It costs **149 EUR**, see [pages:3].\n\n## Data\n\n| A | B |\n| - | - |\n| 1 | 2 |\n\n```json\n{ "a": 1 }\n```\n\n[docs](https://docs.example)',
      runId: 'r0',
      notice: 'demo',
    },
    { role: 'user', content: 'Change it' },
    {
      role: 'assistant',
      content: 'Prepared.',
      runId: 'r1',
      toolCalls: [{ id: 'c1', name: 'update_record', arguments: { table: 'content', uid: 1, fields: {} } }],
    },
  ])
  it.pause(id, {
    runId: 'r1',
    calls: [
      {
        id: 'c1',
        tool: 'update_record',
        title: 'Change 1 field of “Aurora lamp”',
        arguments: {},
        preview: {
          table: 'content',
          uid: 1,
          label: 'Aurora lamp',
          changes: [{ field: 'body', label: 'Body', before: 'costs 149 EUR', after: 'costs 139 EUR' }],
        },
      },
    ],
  })
  return id
}

const shown = async () => {
  // It takes clicks from now on, and gets the colour that says so.
  await expect.element(button('Approve')).toHaveAttribute('aria-disabled', 'false')
  await expect.element(log()).toMatchTextContent('costs 149 EUR')
}

describe('nothing is in the way of assistive technology', () => {
  test.each([
    ['light', 'ltr', 1280],
    ['dark', 'ltr', 1280],
    ['light', 'rtl', 1280],
    ['dark', 'ltr', 360],
    ['light', 'rtl', 320],
  ] as const)('in the module: %s, %s, %i wide', async (scheme, dir, width) => {
    await page.viewport(width, 740)
    root.style.setProperty('color-scheme', scheme)
    root.dir = dir
    const it = stage()
    mountModule(it, {
      conversationId: full(it),
      context: { pageId: 3, module: 'web_page', title: 'Aurora lamp' },
    })
    await shown()

    expect(await findings()).toEqual([])
    expect(root.scrollWidth).toBeLessThanOrEqual(innerWidth)
  })

  test.each([
    ['module', 1280],
    ['module', 320],
    ['panel', 1280],
  ] as const)(
    'with words half as long again, right to left, with other plurals: %s, %i wide',
    async (kind, width) => {
      await page.viewport(width, 740)
      const it = stage()
      const conversationId = full(it)
      const element =
        kind === 'module'
          ? mountModule(it, { conversationId })
          : mountPanel(it, { open: true, conversationId })
      await shown()
      await speakLonger(element)
      await expect.element(button(lengthen(String(en['approval.approve'])))).toBeInTheDocument()
      await element.updateComplete

      expect(getComputedStyle(element).direction).toBe('rtl')
      expect(await findings()).toEqual([])
      expect(root.scrollWidth).toBeLessThanOrEqual(innerWidth)
      await button(lengthen(String(en['menu.more'])))
        .first()
        .click()
      await page.getByRole('menuitem', { name: lengthen(String(en['menu.instructions'])) }).click()
      await expect
        .element(page.getByRole('dialog', { name: lengthen(String(en['instructions.title'])) }))
        .toBeInTheDocument()
      expect(await findings()).toEqual([])
      expect(root.scrollWidth).toBeLessThanOrEqual(innerWidth)
    },
  )

  test.each(['half', 'bar'] as const)('in the panel: %s', async (size) => {
    const it = stage()
    mountPanel(it, { open: true, size, conversationId: full(it) })
    if (size === 'half') await shown()
    await expect.element(page.getByRole('region', { name: 'AI Chat', exact: true })).toBeInTheDocument()

    expect(await findings()).toEqual([])
  })

  test.each([
    ['light', 1280],
    ['dark', 320],
  ] as const)('while several conversations are selected: %s, %i wide', async (scheme, width) => {
    await page.viewport(width, 740)
    root.style.setProperty('color-scheme', scheme)
    const it = stage()
    const module = mountModule(it, { conversationId: full(it) })
    await shown()
    if (width < 900) await button('Show conversations').click()
    await button('Select several').click()
    await page.getByRole('checkbox', { name: /^Pinned one/ }).click()
    await expect.element(page.getByText('1 selected')).toBeInTheDocument()
    await module.updateComplete

    expect(await findings()).toEqual([])
    expect(root.scrollWidth).toBeLessThanOrEqual(innerWidth)
  })

  test.each(['Instructions', 'Keyboard shortcuts'])('in the dialog %s', async (name) => {
    const it = stage()
    mountModule(it, { conversationId: full(it) })
    await shown()
    await button('More actions').click()
    expect(await findings()).toEqual([])
    await page.getByRole('menuitem', { name }).click()
    await expect.element(page.getByRole('dialog', { name })).toBeInTheDocument()

    expect(await findings()).toEqual([])
  })
})

test('the first picture has its words', async () => {
  const element = mountModule(stage())
  await element.updateComplete

  const shown = element.shadowRoot?.textContent ?? ''
  expect(shown).toContain('New conversation')
  expect(shown).not.toMatch(/\b(?:app|composer|history|menu)\.[a-z]/)
})

test('German is complete, and the user’s language decides', async () => {
  const it = stage()
  it.lang = 'de'
  root.lang = ''
  const module = mountModule(it, { conversationId: full(it) })
  root.lang = ''
  await expect.element(page.getByRole('textbox', { name: 'Nachricht' })).toBeInTheDocument()

  for (const name of [
    'Senden',
    'Datei anhängen',
    'Neue Unterhaltung',
    'Zustimmen',
    'Ablehnen',
    'Weitere Aktionen',
  ])
    await expect.element(page.getByRole('button', { name, exact: true })).toBeInTheDocument()
  await expect
    .element(page.getByRole('searchbox', { name: 'Unterhaltungen durchsuchen' }))
    .toBeInTheDocument()
  await expect.element(page.getByRole('log', { name: 'Unterhaltung' })).toBeInTheDocument()
  expect(module.shadowRoot?.textContent).not.toMatch(/\b[a-z]+\.[a-z]+[A-Z][a-z]+\b/)
  // A page in another language: hyphens and voice are those of the interface.
  expect(page.getByRole('textbox', { name: 'Nachricht' }).element().matches(':lang(de)')).toBe(true)
})

test.each(['module', 'panel'] as const)(
  'the %s shows a message and the field in a window of 320 to 208 px',
  async (kind) => {
    // The page keeps some of the 256 px for its own bar.
    await page.viewport(320, 208)
    const it = stage()
    const conversationId = it.add({ title: 'Prices' }, [
      { role: 'user', content: 'How much is the lamp?' },
      { role: 'assistant', content: 'It costs **149 EUR**.', runId: 'r' },
    ])
    if (kind === 'module') mountModule(it, { conversationId })
    else mountPanel(it, { open: true, conversationId })

    await expect.element(page.getByText('149 EUR')).toBeInViewport({ ratio: 1 })
    await message().click()
    await expect.element(button('Send')).toBeInViewport({ ratio: 1 })
  },
)
