import { afterEach, describe, expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import type { PendingCall } from '../../core/conversation/schema.ts'
import { button, clear, focused, mountModule, mountPanel, stage } from './mount.ts'

/** Every flow by the keyboard alone: nothing here is clicked, and nothing gets the focus but by a key. */

afterEach(clear)

const press = (keys: string) => userEvent.keyboard(keys)

/** Tabs until what has the focus is called so; fails where a whole round does not meet it. */
async function tabTo(name: string | RegExp, back = false): Promise<void> {
  const is = (text: string) => (typeof name === 'string' ? text === name : name.test(text))
  for (let at = 0; at < 80; at++) {
    if (is(focused())) return
    await press(back ? '{Shift>}{Tab}{/Shift}' : '{Tab}')
  }
  expect(focused()).toBe(name)
}

const inMessage = () => expect.poll(focused).toBe('Message')

const call = (id: string, title = 'Change 1 field of “Lamp”'): PendingCall => ({
  id,
  tool: 'update_record',
  title,
  arguments: {},
  editable: ['title'],
  preview: {
    table: 'news',
    uid: 1,
    label: 'Lamp',
    page: { uid: 7, title: 'News' },
    changes: [{ field: 'title', label: 'Title', before: 'Old title', after: 'New title' }],
  },
})

const answered = [
  { role: 'user' as const, content: 'What does it cost?' },
  { role: 'assistant' as const, content: 'It costs 149 EUR.', runId: 'r0' },
]

/** Opens the menu of the conversation and takes the entry whose name begins with these letters. */
async function choose(entry: string): Promise<void> {
  await open('More actions')
  await take(entry)
}

/** Opens the menu of that button; its first entry has the focus. */
async function open(menu: string): Promise<void> {
  await tabTo(menu)
  await press('{Enter}')
  await expect.poll(focused).not.toBe(menu)
}

async function take(entry: string): Promise<void> {
  for (let at = 0; at < 20 && !focused().startsWith(entry); at++) await press('{ArrowDown}')
  expect(focused()).toContain(entry)
  await press('{Enter}')
}

test('a question is written, sent, and its answer judged', async () => {
  const it = stage()
  mountModule(it, { conversationId: it.add({}, answered) })
  await expect.element(button('Copy answer')).toBeInTheDocument()
  await tabTo('Message')
  await press('And in black?{Enter}')
  await expect
    .poll(() => it.to('/conversations/send').map(({ body }) => body.content))
    .toEqual(['And in black?'])
  await inMessage()
  await tabTo('Copy answer', true)
  await tabTo('Not helpful')
  await press(' ')
  await tabTo('Something in it is wrong')
  await press(' ')
  await tabTo('Save')
  await press('{Enter}')
  await expect.poll(() => it.feedback).toMatchObject({ verdict: 'notHelpful', reason: 'wrong' })
})

describe('a proposal', () => {
  test('is found, reworded and approved', async () => {
    const it = stage()
    const id = it.propose([call('c1')])
    mountModule(it, { conversationId: id })
    await expect.element(button('Approve')).toHaveAttribute('aria-disabled', 'false')
    await press('{Control>}{Alt>}a{/Alt}{/Control}')
    await tabTo('Change the words: Title')
    await press('{Enter}')
    await expect.poll(focused).toContain('New words: Title')
    await press('{Control>}a{/Control}Own title')
    await tabTo('Use these words')
    await press('{Enter}')
    await expect.element(page.getByText('Your words')).toBeInTheDocument()
    await expect.element(button('Approve')).toHaveAttribute('aria-disabled', 'false')
    await tabTo('Approve')
    await press('{Enter}')
    await expect.poll(() => it.to('/conversations/approve').map(({ body }) => body.approve)).toEqual([true])
  })

  test('that was approved is taken back', async () => {
    const it = stage()
    const id = it.propose([call('c1')])
    it.change(id, { status: 'idle' }, { pendingApproval: null })
    const records = [{ table: 'news', uid: 1, title: 'Lamp' }]
    const row = { role: 'tool' as const, content: 'Stored.', toolCallId: 'c1', toolName: 'update_record' }
    it.say(id, { ...row, outcome: 'done', approved: true, records, count: 1, runId: 'run' })
    it.finish(id, 'Done.')
    mountModule(it, { conversationId: id })
    await expect.element(button('Undo')).toBeInTheDocument()
    await tabTo('Undo')
    await press('{Enter}')

    await expect.poll(() => it.to('/conversations/undo').map(({ body }) => body.runId)).toEqual(['run'])
  })

  test('is denied with a reason', async () => {
    const it = stage()
    mountModule(it, { conversationId: it.propose([call('c1')]) })
    await expect.element(button('Deny')).toHaveAttribute('aria-disabled', 'false')
    await press('{Control>}{Alt>}a{/Alt}{/Control}')
    await tabTo('Deny')
    await press('{Enter}')
    await expect.poll(focused).toMatch(/^Reason/)
    await press('Too early{Enter}')

    await expect
      .poll(() => it.to('/conversations/approve').map(({ body }) => [body.approve, body.reason]))
      .toEqual([[false, 'Too early']])
  })

  test('of many is approved but one', async () => {
    const it = stage()
    mountModule(it, { conversationId: it.propose([call('c1', 'First'), call('c2', 'Second')]) })
    await expect.element(button('Approve')).toHaveAttribute('aria-disabled', 'false')
    await press('{Control>}{Alt>}a{/Alt}{/Control}')
    await tabTo('Include: Second')
    await press(' ')
    await tabTo('Approve 1 of 2')
    await press('{Enter}')

    await expect.poll(() => it.to('/conversations/approve').map(({ body }) => body.denied)).toEqual([['c2']])
  })
})

describe('a conversation', () => {
  test('is renamed, has instructions, and what the assistant may do is read', async () => {
    const it = stage()
    mountModule(it, { conversationId: it.add({ title: 'Price' }, answered) })
    await expect.element(button('Copy answer')).toBeInTheDocument()
    await choose('Rename')
    await expect.poll(focused).toBe('Title')
    await press('{Control>}a{/Control}Cost{Enter}')
    await expect.poll(() => it.to('/conversations/rename').map(({ body }) => body.title)).toEqual(['Cost'])
    await expect.poll(focused).toBe('More actions')

    await choose('Instructions')
    await tabTo('Your instructions')
    await press('Be brief.')
    await tabTo('Save')
    await press('{Enter}')
    await expect
      .poll(() => it.to('/conversations/system-prompt').map(({ body }) => body.systemPrompt))
      .toEqual(['Be brief.'])

    await choose('What can it do for me?')
    await expect.element(page.getByRole('dialog', { name: 'What can it do for me?' })).toBeInTheDocument()
    await press('{Escape}')
    await expect.poll(focused).toBe('More actions')
  })

  test('is searched, opened and archived from the list', async () => {
    const it = stage()
    const id = it.add({ title: 'Price of the lamp' }, answered)
    it.add({ title: 'Other' })
    const module = mountModule(it)
    await expect.element(page.getByRole('link', { name: /^Price of the lamp/ })).toBeInTheDocument()
    await tabTo('Search conversations', true)
    await press('lamp')
    await expect.element(page.getByRole('heading', { name: '1 found' })).toBeInTheDocument()
    await tabTo(/^Price of the lamp/)
    await press('{Enter}')
    await expect.poll(() => module.conversation.id).toBe(id)
    await tabTo('Archive: Price of the lamp', true)
    await press('{Enter}')
    await expect
      .poll(() => it.to('/conversations/archive').map(({ body }) => body.conversationId))
      .toEqual([id])
  })

  test('has its own message edited, and its turn stopped', async () => {
    const it = stage()
    const id = it.add({}, answered)
    mountModule(it, { conversationId: id })
    await expect.element(button('Copy answer')).toBeInTheDocument()
    await tabTo('Message')
    await press('{ArrowUp}')
    await expect.poll(focused).toBe('Edit message')
    await press('{Control>}a{/Control}And the desk?{Control>}{Enter}{/Control}')
    await expect
      .poll(() => it.to('/conversations/edit').map(({ body }) => body.content))
      .toEqual(['And the desk?'])
    await tabTo('Stop')
    await press('{Enter}')
    await expect.poll(() => it.to('/conversations/cancel')).toHaveLength(1)
  })
})

test('own prompts are kept from an example, and used', async () => {
  const it = stage()
  mountModule(it)
  await expect.element(button('Add to the message')).toBeInTheDocument()
  await open('Add to the message')
  await take('Your prompts')
  await expect.element(page.getByText('Teaser', { exact: true })).toBeInTheDocument()
  await tabTo(/Teaser/)
  await press('{Enter}')
  await expect.poll(focused).toBe('Name')
  await tabTo('Save prompt')
  await press('{Enter}')
  await expect.poll(() => it.to('/prompts/save').map(({ body }) => body.title)).toEqual(['Teaser'])
})

test('the panel is opened, made higher, and left with a proposal in it', async () => {
  const it = stage()
  const panel = mountPanel(it, { conversationId: it.propose([call('c1')]) })
  await expect.poll(() => panel.store?.phase).toBe('ready')
  await press('{Control>}{Alt>}k{/Alt}{/Control}')
  await inMessage()
  await press('{Escape}')
  expect(panel.open).toBe(true)
  await tabTo('Full height', true)
  await press('{Enter}')
  await expect.element(button('Half height')).toBeInTheDocument()
  await tabTo('Close')
  await press('{Enter}')
  expect(panel.open).toBe(false)
})
