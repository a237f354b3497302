import axe from 'axe-core'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { cdp, type Locator, page, userEvent } from 'vitest/browser'
import type { PendingCall } from '../../core/conversation/schema.ts'
import type { View } from '../../web/chat/view/view.ts'
import { speakLonger } from './longer.ts'
import { button, clear, message, mountModule, mountPanel, stage } from './mount.ts'
import type { Stage } from './stage.ts'

/** Every view of the chat, in each way in which a person may look at it. */

const call = (at: number, over: Partial<PendingCall> = {}): PendingCall => ({
  id: `c${at}`,
  tool: 'update_record',
  title: `Change 1 field of “Lamp ${at}”`,
  arguments: {},
  preview: {
    table: 'news',
    uid: at,
    label: `Lamp ${at}`,
    page: { uid: 7, title: 'News' },
    changes: [{ field: 'title', label: 'Title', before: 'Old title', after: 'New title' }],
  },
  ...over,
})
const question = call(1, {
  tool: 'ask_user',
  title: 'Which page do you mean?',
  preview: null,
  arguments: {
    question: 'Which page do you mean?',
    options: [{ label: 'Home' }, { label: 'Contact', description: 'The page with the address' }],
  },
})

function talk(it: Stage, title = 'Price of the lamp'): string {
  return it.add({ title }, [
    {
      role: 'user',
      content: 'What does it cost?',
      fileUid: 1,
      fileName: 'guide.pdf',
      fileMimeType: 'application/pdf',
    },
    { role: 'assistant', content: 'It costs **149 EUR**.\n\n| A | B |\n| - | - |\n| 1 | 2 |', runId: 'r0' },
  ])
}

const menuItem = async (name: string) => {
  await button('More actions').click()
  await page.getByRole('menuitem', { name }).click()
}
const seen = (locator: Locator) => expect.element(locator).toBeInTheDocument()

const decided = (it: Stage) =>
  it.add({}, [
    { role: 'user', content: 'Change them' },
    {
      role: 'assistant',
      content: '',
      runId: 'run',
      toolCalls: [
        {
          id: 'b',
          name: 'update_records',
          arguments: { table: 'news', changes: [1, 2].map((uid) => ({ uid, fields: { title: 'x' } })) },
        },
      ],
    },
    ...[1, 2].map((uid) => ({
      role: 'tool' as const,
      content: 'Stored.',
      toolCallId: `b#${uid - 1}`,
      toolName: 'update_records',
      outcome: 'done' as const,
      approved: true,
      records: [{ table: 'news', uid, title: `Lamp ${uid}` }],
      count: 1,
      runId: 'run',
    })),
    { role: 'assistant', content: 'Done.', runId: 'run' },
  ])

/** Opens a view on a new stage and ends when it can be seen. */
const views: Record<string, (it: Stage) => Promise<void>> = {
  async 'the empty module'(it) {
    mountModule(it)
    await seen(message())
  },
  async 'an answer'(it) {
    mountModule(it, { conversationId: talk(it) })
    await seen(page.getByRole('table'))
    await seen(button('Copy answer'))
  },
  async 'an answer that did not help'(it) {
    mountModule(it, { conversationId: talk(it) })
    await button('Not helpful').click()
    await seen(page.getByText('Something in it is wrong'))
  },
  async 'a search'(it) {
    mountModule(it, { conversationId: talk(it) })
    if (innerWidth < 900) await button('Show conversations').click()
    await seen(page.getByRole('link', { name: /^Price of the lamp/ }))
    await page.getByRole('searchbox', { name: 'Search conversations' }).fill('lamp')
    await seen(page.getByRole('heading', { name: /found/ }))
  },
  async 'a proposal'(it) {
    mountModule(it, { conversationId: it.propose([call(1)]) })
    await expect.element(button('Approve')).toHaveAttribute('aria-disabled', 'false')
  },
  async 'a reason for a denial'(it) {
    mountModule(it, { conversationId: it.propose([call(1)]) })
    await expect.element(button('Deny')).toHaveAttribute('aria-disabled', 'false')
    await button('Deny').click()
    await seen(page.getByRole('textbox', { name: /Reason/ }))
  },
  async 'many changes'(it) {
    mountModule(it, { conversationId: it.propose([call(1), call(2), call(3)]) })
    await seen(page.getByRole('checkbox').first())
  },
  async 'own words for a proposal'(it) {
    mountModule(it, { conversationId: it.propose([call(1, { editable: ['title'] })]) })
    await button('Change the words: Title').click()
    await seen(page.getByRole('textbox', { name: 'New words: Title' }))
  },
  async 'the outcome of many changes'(it) {
    mountModule(it, { conversationId: decided(it) })
    await seen(page.getByRole('list', { name: 'Results, row by row' }))
  },
  async 'a question'(it) {
    mountModule(it, { conversationId: it.propose([question]) })
    await seen(page.getByText('The page with the address'))
  },
  async 'a turn that failed'(it) {
    const id = talk(it)
    it.change(id, { status: 'failed', errorCode: 'internal.error' })
    mountModule(it, { conversationId: id })
    await seen(button(/Try again/).first())
  },
  async 'messages that wait'(it) {
    const id = talk(it)
    const next = [{ id: 'n1', content: 'And in black?', fileUid: 0, sentAt: new Date().toISOString() }]
    it.change(id, { status: 'locked' }, { next: next as never })
    mountModule(it, { conversationId: id })
    await seen(page.getByRole('textbox', { name: 'Next message 1' }))
  },
  async 'what waits and what is new'(it) {
    it.pause(it.add({ title: 'Shorten it' }), { calls: [] })
    mountModule(it)
    await seen(page.getByRole('button', { name: 'Waiting for you Shorten it' }))
  },
  async 'several conversations'(it) {
    mountModule(it, { conversationId: talk(it) })
    if (innerWidth < 900) await button('Show conversations').click()
    await button('Select several').click()
    await page.getByRole('checkbox', { name: /^Price of the lamp/ }).click()
    await seen(page.getByText('1 selected'))
  },
  async 'a message being edited'(it) {
    mountModule(it, { conversationId: talk(it) })
    await seen(button('Copy answer'))
    await button('Edit message').click()
    await seen(page.getByRole('textbox', { name: 'Edit message' }))
  },
  async 'an archived conversation'(it) {
    const id = talk(it)
    it.change(id, { archived: true })
    mountModule(it, { conversationId: id })
    await seen(button('Unarchive'))
  },
  async 'no connection'(it) {
    mountModule(it, { conversationId: talk(it) })
    await seen(button('Copy answer'))
    it.isOffline = true
    await message().fill('And in black?')
    await userEvent.keyboard('{Enter}')
    await seen(button('Try now'))
  },
  async 'the pictures of the site'(it) {
    it.status = { siteFiles: true }
    it.site = [{ kind: 'file', table: 'media', uid: 7, title: 'Lamp at night' }]
    mountModule(it)
    await button('Add to the message').click()
    await page.getByRole('menuitem', { name: 'Choose from the site’s files …' }).click()
    await seen(page.getByRole('option', { name: /Lamp at night/ }))
  },
  async 'the own prompts'(it) {
    mountModule(it)
    await button('Add to the message').click()
    await page.getByRole('menuitem', { name: 'Your prompts …' }).click()
    await seen(page.getByText('Teaser', { exact: true }))
  },
  async 'the connections'(it) {
    it.status = { connections: true }
    it.connections = [
      { server: 'shop', title: 'shop', auth: 'oauth', state: 'none', since: null, issue: null },
    ]
    mountModule(it, { conversationId: talk(it) })
    await menuItem('Connections')
    await seen(button('Connect shop'))
  },
  async 'the files of the site'(it) {
    it.site = [{ kind: 'page', table: 'pages', uid: 3, title: 'Aurora lamp' }]
    mountModule(it)
    await message().click()
    await userEvent.keyboard('@')
    await seen(page.getByRole('option', { name: /Aurora lamp/ }))
  },
  async 'the prompts'(it) {
    it.prompts = { shared: [{ title: 'Teaser', text: 'Write about {topic}.' }], own: [] }
    mountModule(it)
    await message().click()
    await userEvent.keyboard('/')
    await seen(page.getByRole('option', { name: /Teaser/ }))
  },
  async 'the instructions'(it) {
    mountModule(it, { conversationId: talk(it) })
    await menuItem('Instructions')
    await seen(page.getByRole('dialog', { name: 'Instructions' }))
  },
  async 'the keys'(it) {
    mountModule(it, { conversationId: talk(it) })
    await menuItem('Keyboard shortcuts')
    await seen(page.getByRole('dialog', { name: 'Keyboard shortcuts' }))
  },
  async 'the abilities'(it) {
    const none = { failed: 0, calls: 1, cacheRead: 0, cacheWrite: 0 }
    const sum = { ...none, turns: 1, input: 1_000, output: 200, dollars: 0.02 }
    const days = { from: '2026-10-25', since: '2026-10-25', to: '2026-11-23' }
    const line = (key: string) => ({ ...sum, key, name: null })
    it.usage = {
      ...days,
      total: sum,
      budget: { stage: null, user: 10_000 },
      unpriced: [],
      byModel: [line('claude-sonnet-5-5')],
      byDay: [line('2026-11-20')],
    }
    mountModule(it, { conversationId: talk(it) })
    await menuItem('What can it do for me?')
    await seen(page.getByRole('heading', { name: 'After you approve' }))
    await seen(page.getByRole('figure'))
  },
  async 'the panel'(it) {
    mountPanel(it, { open: true, conversationId: talk(it) })
    await seen(page.getByRole('table'))
  },
  async 'the panel with a proposal'(it) {
    mountPanel(it, { open: true, conversationId: it.propose([call(1)]) })
    await expect.element(button('Approve')).toHaveAttribute('aria-disabled', 'false')
  },
}

/** A way of looking: how the browser is set up, and what becomes of the element that is open. */
type Look = { before?: () => Promise<unknown>; after?: (element: View) => Promise<unknown> }

const looks: Record<string, Look> = {
  'dark, at 200 %': {
    // A window has half as many pixels of the page.
    before: async () => {
      await page.viewport(640, 450)
      root.style.setProperty('color-scheme', 'dark')
    },
  },
  'with a root font of 62.5 %': { before: async () => root.style.setProperty('font-size', '62.5%') },
  'in forced colours': { before: () => emulate('forced-colors', 'active') },
  'with reduced motion': { before: () => emulate('prefers-reduced-motion', 'reduce') },
  'in words half as long again, right to left, 390 wide': {
    before: () => page.viewport(390, 844),
    after: speakLonger,
  },
}

const root = document.documentElement
const emulate = async (name: string, value: string) => {
  await cdp().send('Emulation.setEmulatedMedia', { features: [{ name, value }] })
  await expect.poll(() => matchMedia(`(${name}: ${value})`).matches).toBe(true)
}

/** Finds what is in the way of assistive technology, sticks out at the side, or moves without end. */
async function faults(): Promise<string[]> {
  const elements = [...document.querySelectorAll<HTMLElement>('ai-chat-module, ai-chat-panel')]
  const roots = elements.map((element) => element.shadowRoot)
  const isLonger = elements.some(({ style }) => style.direction === 'rtl')
  const runs = () => roots.flatMap((shadow) => shadow?.getAnimations() ?? [])
  const ends = (animation: Animation) => animation.effect?.getTiming().iterations === 1
  await expect.poll(() => runs().filter(ends)).toEqual([])
  const isForced = matchMedia('(forced-colors: active)').matches
  const { violations } = await axe.run(document, {
    runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
    rules: {
      // Of the page around, which is the test's own.
      'page-has-heading-one': { enabled: false },
      'document-title': { enabled: false },
      // The system chooses forced colours.
      'color-contrast': { enabled: !isForced },
      // The language of the tests makes each label longer, also where one repeats another.
      'label-content-name-mismatch': { enabled: !isLonger },
    },
  })
  const isStill = matchMedia('(prefers-reduced-motion: reduce)').matches
  const moving = isStill ? runs().filter((animation) => animation.playState === 'running') : []
  return [
    ...violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 160)}`)),
    ...moving.map((animation) => `moves: ${(animation as CSSAnimation).animationName}`),
    ...(root.scrollWidth > innerWidth ? [`wider than the window: ${root.scrollWidth}`] : []),
  ]
}

beforeAll(() => {
  root.lang = 'en'
})
afterEach(async () => {
  clear()
  root.removeAttribute('style')
  await page.viewport(1280, 800)
  await cdp().send('Emulation.setEmulatedMedia', { features: [] })
})

describe.each(Object.entries(looks))('%s', (_, look) => {
  test.each(Object.entries(views))('nothing is wrong in %s', async (_, open) => {
    await look.before?.()
    await open(stage())
    const element = document.querySelector<View>('ai-chat-module, ai-chat-panel')
    if (element) await look.after?.(element)

    expect(await faults()).toEqual([])
  })
})

test('the chosen tab of a dialog has an edge in forced colours', async () => {
  await emulate('forced-colors', 'active')
  const it = stage()
  mountModule(it, { conversationId: talk(it) })
  await menuItem('Instructions')
  await seen(page.getByRole('dialog', { name: 'Instructions' }))

  const edges = page
    .getByRole('tab')
    .elements()
    .map((tab) => getComputedStyle(tab).borderTopStyle)
  expect(edges).toEqual(['solid', 'none'])
})
