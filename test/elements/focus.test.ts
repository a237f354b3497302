import { afterEach, expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import type { ChatModule } from '../../web/chat/element/module.ts'
import {
  announcements,
  button,
  clear,
  focused,
  log,
  message,
  mountModule,
  scrolled,
  stage,
  toTop,
} from './mount.ts'
import type { Stage } from './stage.ts'

afterEach(async () => {
  clear()
  await page.viewport(1280, 800)
})

const asked = { role: 'user' as const, content: 'Change it' }
const write = {
  role: 'assistant' as const,
  content: '',
  runId: 'run',
  toolCalls: [
    { id: 'c', name: 'update_record', arguments: { table: 'content', uid: 12, fields: { header: 'x' } } },
  ],
}
const done = {
  role: 'tool' as const,
  content: 'Stored. Record content [12]',
  toolCallId: 'c',
  toolName: 'update_record',
  outcome: 'done' as const,
  approved: true,
  records: [{ table: 'content', uid: 12, title: 'Aurora' }],
  count: 1,
  runId: 'run',
}
const many = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ role: 'user' as const, content: `Message ${at}` }))

type Case = {
  act(it: Stage, module: ChatModule): Promise<void>
  focus: RegExp
  width?: number
  rows?: object[]
}

const cases: Record<string, Case> = {
  'Undo of a change': {
    rows: [asked, write, done, { role: 'assistant', content: 'Done.', runId: 'run' }],
    act: () => button('Undo').click(),
    focus: /Undone\./,
  },
  'Undo of a deletion': {
    act: async () => {
      await button('More actions').click()
      await page.getByRole('menuitem', { name: 'Delete' }).click()
      await button('Undo').click()
    },
    focus: /^Message$/,
  },
  Archive: {
    act: async () => {
      await button('More actions').click()
      await page.getByRole('menuitem', { name: 'Archive' }).click()
    },
    focus: /^Unarchive$/,
  },
  'the last of the earlier messages': {
    rows: many(61),
    act: () => button('Earlier messages').click(),
    focus: /^Conversation$/,
  },
  'the way to the newest message': {
    rows: many(40),
    act: async (it, module) => {
      await scrolled(toTop, () => module.scroller.isAtEnd).toBe(false)
      it.say([...it.conversations.keys()][0] as string, { role: 'user', content: 'More' })
      module.store?.look(module.conversation)
      await button('1 new message').click()
    },
    focus: /^Conversation$/,
  },
  'Show conversations': {
    width: 390,
    act: () => button('Show conversations').click(),
    focus: /^The open one/,
  },
  'a conversation of the list': {
    width: 390,
    act: async () => {
      await button('Show conversations').click()
      await page.getByRole('link', { name: /^The open one/ }).click()
    },
    focus: /^Conversation$/,
  },
}

test.each(Object.entries(cases))('the focus is not lost after %s', async (_, { act, focus, width, rows }) => {
  if (width) await page.viewport(width, 740)
  const it = stage()
  const id = it.add({ title: 'The open one' }, (rows ?? [asked]) as Parameters<Stage['add']>[1])
  const module = mountModule(it, { conversationId: id })
  await expect.element(log().getByRole('article').first()).toBeInTheDocument()

  await act(it, module)

  await expect.poll(focused).toMatch(focus)
})

const proposed = {
  id: 'c',
  tool: 'update_record',
  title: 'Change 1 field',
  arguments: {},
  preview: {
    table: 'content',
    uid: 12,
    label: 'Aurora',
    page: { uid: 3, title: 'Aurora lamp' },
    changes: [{ field: 'header', label: 'Header', before: 'Old', after: 'New' }],
  },
}
const question = {
  ...proposed,
  tool: 'ask_user',
  preview: null,
  question: { text: 'Which lamp?', choices: [], several: false, freeText: true },
}

test.each([
  ['proposal', 'the row of its decision', proposed, [done], /^You approved this/],
  ['proposal', 'the log before that row is there', proposed, [], /^Conversation$/],
  ['question', 'the log', question, [], /^Conversation$/],
] as const)(
  'a %s that another tab decides hands the focus of its field to %s',
  async (_, __, call, rows, to) => {
    const it = stage()
    const id = it.propose([call])
    const module = mountModule(it, { conversationId: id })
    if (call === proposed) {
      await expect.element(button('Deny')).toHaveAttribute('aria-disabled', 'false')
      await button('Deny').click()
      await expect.poll(focused).toMatch(/^Reason/)
    } else await page.getByRole('textbox', { name: 'Your answer' }).click()

    it.say(id, ...rows)
    it.change(id, { status: 'processing' }, { pendingApproval: null })
    module.store?.look(module.conversation)

    await expect.poll(focused).toMatch(to)
  },
)

test('an undo that takes long leaves the focus where the user has put it meanwhile', async () => {
  const it = stage()
  const id = it.add({}, [asked, write, done, { role: 'assistant', content: 'Done.', runId: 'run' }])
  mountModule(it, { conversationId: id })
  const held = Promise.withResolvers<void>()
  it.held.set('/ai-chat/conversations/undo', held.promise)
  await button('Undo').click()
  await new Promise(requestAnimationFrame)
  await new Promise(requestAnimationFrame)
  expect(focused()).toBe('Undo')
  await message().click()

  held.resolve()

  await expect.element(log()).toMatchTextContent('Undone.')
  expect(focused()).toBe('Message')
})

test('a long text of a proposal that is shown whole from the keyboard leaves the focus in the card', async () => {
  const it = stage()
  const text = (word: string) => `${word} of a long story. `.repeat(200).trim()
  const changes = [{ field: 'body', label: 'Body', before: text('Start'), after: text('Other') }]
  mountModule(it, {
    conversationId: it.propose([{ ...proposed, preview: { ...proposed.preview, changes } }]),
  })
  const open = button('After approval: Show the whole text')
  await expect.element(open).toBeInTheDocument()
  ;(open.element() as HTMLElement).focus()
  await userEvent.keyboard('{Enter}')

  await expect.element(open).not.toBeInTheDocument()
  await expect.poll(focused).toMatch(/^Change 1 field/)
})

/** Dialogs with a button that sends a request: how each is opened, the button, and the path of the request. */
const sending: Record<string, { open(): Promise<void>; press: string; path: string }> = {
  Instructions: {
    open: () => page.getByRole('textbox', { name: 'Your instructions' }).fill('Be brief.'),
    press: 'Save',
    path: '/conversations/system-prompt',
  },
  'Access for programs': {
    open: () => page.getByRole('textbox', { name: 'Name of the program' }).fill('Laptop'),
    press: 'Make a token',
    path: '/access-tokens/create',
  },
  Connections: {
    open: () => page.getByLabelText('Your token for bank').fill('secret'),
    press: 'Save',
    path: '/connections/token',
  },
}

test.each(Object.entries(sending))(
  'the button of the dialog %s keeps the focus while its request runs, and after a refusal',
  async (name, { open, press, path }) => {
    const it = stage()
    it.status = { accessTokens: true, connections: true }
    it.connections = [
      { server: 'bank', title: 'bank', auth: 'token', state: 'none', since: null, issue: null },
    ]
    mountModule(it, { conversationId: it.add({ title: 'Prices' }, [asked]) })
    await expect.element(log().getByRole('article').first()).toBeInTheDocument()
    await button('More actions').click()
    await page.getByRole('menuitem', { name }).click()
    await open()
    const held = Promise.withResolvers<void>()
    it.held.set(`/ai-chat${path}`, held.promise)
    it.refusals.set(`/ai-chat${path}`, { status: 503, code: 'service.unavailable', message: 'Later.' })
    await expect.element(button(press)).toBeEnabled()
    ;(button(press).element() as HTMLElement).focus()
    await userEvent.keyboard('{Enter}')
    await expect.poll(() => it.to(path)).toHaveLength(1)
    await expect.element(button(press)).not.toBeEnabled()
    // Browsers take the focus from a disabled button with the next frame.
    await new Promise(requestAnimationFrame)
    await new Promise(requestAnimationFrame)
    expect(focused()).toBe(press)
    await userEvent.keyboard('{Enter}')

    held.resolve()

    await expect.element(page.getByRole('alert')).toMatchTextContent('Later.')
    await expect.element(button(press)).toBeEnabled()
    expect(focused()).toBe(press)
    expect(it.to(path)).toHaveLength(1)
  },
)

test('what is connected and disconnected leaves the focus on the control that is there then', async () => {
  const it = stage()
  it.status = { connections: true }
  it.connections = [{ server: 'bank', title: 'bank', auth: 'token', state: 'none', since: null, issue: null }]
  mountModule(it)
  await button('More actions').click()
  await page.getByRole('menuitem', { name: 'Connections' }).click()
  await page.getByLabelText('Your token for bank').fill('secret')
  await userEvent.keyboard('{Enter}')
  await expect.poll(focused).toBe('Disconnect bank')

  await userEvent.keyboard('{Enter}')

  await expect.poll(focused).toBe('Your token for bank')
})

test('what another tab archives is told, and the focus goes to what replaces the field, and back', async () => {
  const it = stage()
  const id = it.add({ title: 'Prices' }, [asked])
  const module = mountModule(it, { conversationId: id })
  await expect.element(log().getByRole('article').first()).toBeInTheDocument()
  await message().click()
  const heard = announcements()

  it.change(id, { archived: true })
  module.store?.look(module.conversation)
  await expect.poll(focused).toBe('Unarchive')
  await expect.poll(heard).toContain('This conversation is archived.')

  it.change(id, { archived: false })
  module.store?.look(module.conversation)
  await expect.poll(focused).toBe('Message')
})

test('a conversation that another tab archives leaves the focus where it is outside the field', async () => {
  const it = stage()
  const id = it.add({ title: 'Prices' }, [asked])
  const module = mountModule(it, { conversationId: id })
  await expect.element(log().getByRole('article').first()).toBeInTheDocument()
  await button('More actions').click()
  const heard = announcements()

  it.change(id, { archived: true })
  module.store?.look(module.conversation)

  await expect.poll(heard).toContain('This conversation is archived.')
  expect(focused()).toBe('Rename')
})

test('a menu that the user opened while the conversation was still coming stays open with the focus', async () => {
  const it = stage()
  const session = Promise.withResolvers<void>()
  it.held.set('/backend/session', session.promise)
  mountModule(it, { conversationId: it.add({ title: 'Prices' }, [asked]) })
  await button('More actions').click()
  await expect
    .element(page.getByRole('menuitem', { name: 'Delete' }))
    .toHaveAttribute('aria-disabled', 'true')

  session.resolve()

  await expect.element(page.getByRole('heading', { name: 'Prices' })).toBeInTheDocument()
  await expect.element(page.getByRole('menuitem', { name: 'Delete' })).not.toHaveAttribute('aria-disabled')
  expect(focused()).toBe('Rename')
})

test('a conversation that is slow to come shows where its messages will be', async () => {
  const it = stage()
  const messages = Promise.withResolvers<void>()
  it.held.set('/ai-chat/conversations/messages', messages.promise)
  const module = mountModule(it, { conversationId: it.add({ title: 'Prices' }, [asked]) })
  const place = () => module.renderRoot.querySelector('.skeleton')
  await expect.poll(place).not.toBeNull()

  await Promise.all(
    place()
      ?.getAnimations()
      .map(({ finished }) => finished) ?? [],
  )

  expect(getComputedStyle(place() as Element).opacity).toBe('1')
  messages.resolve()
  await expect.poll(place).toBeNull()
})
