import { afterEach, describe, expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import type { PendingCall } from '../../core/conversation/schema.ts'
import type { ToggleDetail } from '../../web/chat/events.ts'
import { blankMemory } from '../../web/chat/store/storage.ts'
import { button, clear, focused, log, message, mountPanel, stage } from './mount.ts'

afterEach(async () => {
  clear()
  await page.viewport(1280, 800)
})

const panel = () => page.getByRole('region', { name: 'AI Chat', exact: true })

/** A call that changes so many fields. */
const proposed = (count: number): PendingCall => ({
  id: 'c',
  tool: 'update_record',
  title: `Change ${count} fields`,
  arguments: {},
  preview: {
    table: 'content',
    uid: 12,
    label: 'Aurora lamp',
    changes: Array.from({ length: count }, (_, at) => ({
      field: `f${at}`,
      label: `Field ${at}`,
      before: 'Old',
      after: 'New',
    })),
  },
})

test.each([
  ['Instructions', 'More actions', 'Your instructions', undefined],
  ['Your prompts …', 'Add to the message', 'Text', 'New prompt'],
])('the words in the dialog %s stay when the window becomes narrow', async (name, menu, label, first) => {
  const it = stage()
  mountPanel(it, { open: true, conversationId: it.add({}, [{ role: 'user', content: 'Read it' }]) })
  await button(menu).click()
  await page.getByRole('menuitem', { name }).click()
  if (first) await button(first).click()
  const field = page.getByRole('textbox', { name: label, exact: true })
  await field.fill('Be brief.')

  await page.viewport(800, 700)

  await expect.element(page.getByRole('dialog', { name: 'AI Chat' })).toBeInTheDocument()
  await expect.element(field).toHaveValue('Be brief.')
  await expect.element(field).toBeVisible()
})

describe('the panel', () => {
  test('closed shows no region, and counts what is busy and what waits all the same', async () => {
    const it = stage()
    it.add({ status: 'locked' })
    it.add({ status: 'awaiting_approval' })
    const counts: unknown[] = []
    const element = mountPanel(it)
    element.addEventListener('ai-chat-busy', (event) => counts.push(event.detail))

    await expect.poll(() => counts).toEqual([{ count: 1, waiting: 1 }])
    expect(panel().elements()).toEqual([])
  })

  test('that the page opens before it is drawn stays open, whatever the browser remembers', () => {
    const element = mountPanel(stage())
    element.open = true
    element.entered(blankMemory)

    expect(element.open).toBe(true)
  })

  test('takes the focus to the message, and gives it back', async () => {
    const it = stage()
    const opener = document.body.appendChild(
      Object.assign(document.createElement('button'), { textContent: 'Open' }),
    )
    const element = mountPanel(it)
    opener.focus()
    element.toggle()
    await expect.element(panel()).toBeInTheDocument()
    await expect.poll(focused).toBe('Message')

    await panel().getByRole('button', { name: 'Close' }).click()

    expect(focused()).toBe('Open')
    opener.remove()
  })

  test('opens and closes from anywhere with one key: the focus comes back, or stays where it is', async () => {
    const it = stage()
    const field = (name: string) =>
      document.body.appendChild(Object.assign(document.createElement('button'), { textContent: name }))
    const [first, second] = [field('First'), field('Second')]
    mountPanel(it)
    await expect.poll(() => it.to('/status')).toHaveLength(1)
    first.focus()
    const toggle = () => userEvent.keyboard('{Control>}{Alt>}k{/Alt}{/Control}')
    await toggle()
    await expect.poll(focused).toBe('Message')
    await toggle()
    await expect.poll(focused).toBe('First')

    await toggle()
    await expect.poll(focused).toBe('Message')
    second.focus()
    await toggle()
    await expect.element(panel()).not.toBeInTheDocument()
    expect(focused()).toBe('Second')
    first.remove()
    second.remove()
  })

  test.each([1280, 390])('hidden it shows nothing and stays as open as it was, %i px wide', async (width) => {
    await page.viewport(width, 740)
    const it = stage()
    it.add({ title: 'Prices' })
    const element = mountPanel(it, { open: true, hidden: true })
    const told: boolean[] = []
    element.addEventListener('ai-chat-toggle', (event) => told.push(event.detail.open))
    await expect.poll(() => it.to('/conversations').length).toBeGreaterThan(0)

    const boxes = () => [...panel().elements(), ...page.getByRole('dialog').elements()].length
    expect([boxes(), element.isShowing]).toEqual([0, false])
    await userEvent.keyboard('{Control>}{Alt>}k{/Alt}{/Control}')

    element.hidden = false
    await expect.element(message()).toBeVisible()
    expect([boxes(), element.open, element.isShowing]).toEqual([1, true, true])

    element.hidden = true
    await expect.poll(boxes).toBe(0)
    expect([element.open, told]).toEqual([true, [true, false]])
  })

  test('tells the page its height with every size', async () => {
    const it = stage()
    const element = mountPanel(it)
    const told: ToggleDetail[] = []
    element.addEventListener('ai-chat-toggle', (event) => told.push(event.detail))
    element.toggle()
    await expect.element(panel()).toBeInTheDocument()
    await panel().getByRole('button', { name: 'Full height' }).click()
    await panel().getByRole('button', { name: 'Half height' }).click()
    await panel().getByRole('button', { name: 'Collapse' }).click()
    await panel().getByRole('button', { name: 'Open panel' }).click()
    await panel().getByRole('button', { name: 'Close' }).click()

    const work = innerHeight - 16
    await expect
      .poll(() => told)
      .toEqual([
        { open: true, height: work / 2, size: 'half' },
        { open: true, height: work, size: 'full' },
        { open: true, height: work / 2, size: 'half' },
        { open: true, height: 44, size: 'bar' },
        { open: true, height: work / 2, size: 'half' },
        { open: false, height: 0, size: 'half' },
      ])
  })

  test.each([
    ['half', 1280, 800],
    ['full', 1440, 900],
  ] as const)('offers its conversations within its own edges, %s', async (size, width, height) => {
    await page.viewport(width, height)
    const it = stage()
    const id = it.add({ title: 'The open one' })
    for (let at = 0; at < 12; at++) it.add({ title: `Another ${at}` })
    const element = mountPanel(it, { open: true, conversationId: id })
    if (size === 'full') await panel().getByRole('button', { name: 'Full height' }).click()
    await panel().getByRole('button', { name: 'The open one' }).click()

    const menu = page.getByRole('menu', { name: 'Conversations' })
    await expect.element(menu).toBeInTheDocument()
    const [outer, inner, title] = [panel(), menu, button('Collapse')].map((one) =>
      one.element().getBoundingClientRect(),
    ) as [DOMRect, DOMRect, DOMRect]
    expect(inner.top).toBeGreaterThan(title.top)
    expect(inner.bottom).toBeLessThan(outer.bottom)
    expect(title.top).toBeGreaterThanOrEqual(outer.top)
    expect(element.shadowRoot?.querySelector('.panel')?.scrollTop).toBe(0)
  })

  test('is resized by the keyboard within its bounds', async () => {
    const it = stage()
    mountPanel(it, { open: true })
    const grip = page.getByRole('separator', { name: 'Panel height' })
    await expect.element(grip).toHaveAttribute('aria-valuenow', '50')
    ;(grip.element() as HTMLElement).focus()

    await userEvent.keyboard('{ArrowUp}')
    await expect.element(grip).toHaveAttribute('aria-valuenow', '55')
    await userEvent.keyboard('{End}{ArrowUp}')
    await expect.element(grip).toHaveAttribute('aria-valuenow', '100')
    await userEvent.keyboard('{Home}{ArrowDown}')

    await expect.element(grip).toHaveAttribute('aria-valuenow', '20')
  })

  test('has room for a proposal while it waits, and is then as high as before', async () => {
    const it = stage()
    const id = it.add({}, [{ role: 'user', content: 'Change it' }])
    const toolCalls = [{ id: 'c', name: 'update_record', arguments: {} }]
    it.say(id, { role: 'assistant', content: 'I prepared it.', runId: 'run', toolCalls })
    it.pause(id, { calls: [proposed(6)] })
    const element = mountPanel(it, { open: true, conversationId: id })
    const heights: number[] = []
    element.addEventListener('ai-chat-toggle', (event) => heights.push(event.detail.height))
    const card = page.getByRole('region', { name: 'Change 6 fields' })
    await expect.poll(() => element.offsetHeight).toBeGreaterThan(500)
    await expect.poll(() => button(/not seen yet$/).elements()).toEqual([])

    await expect.element(button('Approve')).toHaveAttribute('aria-disabled', 'false')
    await button('Approve').click()

    await expect.element(card).not.toBeInTheDocument()
    await expect.poll(() => element.offsetHeight).toBe(392)
    expect(heights.at(-1)).toBe(392)
  })

  test('stays as high as the user makes it while a proposal waits', async () => {
    const it = stage()
    const id = it.add({}, [{ role: 'user', content: 'Change it' }])
    it.say(id, { role: 'assistant', content: 'I prepared it.', runId: 'run' })
    it.pause(id, { calls: [proposed(12)] })
    const element = mountPanel(it, { open: true, conversationId: id })
    await expect.poll(() => element.offsetHeight).toBeGreaterThan(600)
    ;(page.getByRole('separator', { name: 'Panel height' }).element() as HTMLElement).focus()

    await userEvent.keyboard('{Home}')

    await expect.poll(() => element.offsetHeight).toBe(157)
  })

  test('stands as it was left, with conversation and draft', async () => {
    const it = stage()
    const id = it.add({ title: 'Prices' }, [{ role: 'user', content: 'How much?' }])
    const memory = { open: true, size: 'full', conversationId: id, drafts: { [id]: 'Half a sen' } }
    localStorage.setItem('aic:v1:user', String(it.uid))
    localStorage.setItem(`aic:v1:${it.uid}`, JSON.stringify(memory))
    const element = mountPanel(it)

    expect(element.open).toBe(true)
    await expect.element(panel().getByRole('button', { name: 'Half height' })).toBeInTheDocument()
    await expect.element(log()).toMatchTextContent('How much?')
    await expect.element(message()).toHaveValue('Half a sen')
  })

  test('collapsed says in one phrase how things stand', async () => {
    const it = stage()
    const id = it.add({ status: 'locked' }, [{ role: 'user', content: 'Work' }])
    localStorage.setItem(`aic:v1:${it.uid}`, JSON.stringify({ open: true, size: 'bar', conversationId: id }))
    mountPanel(it)
    await expect.element(panel()).toMatchTextContent(/Working, \d+ s/)

    it.finish(id, 'Done')

    await expect.element(panel()).toMatchTextContent(/Answer ready, \d\d:\d\d/)
  })

  test('shows every proposal of an empty chat at half height, none under the fade', async () => {
    const it = stage()
    await page.viewport(1280, 800)
    const context = { pageId: 3, module: 'web_page', title: 'Aurora lamp', mayEdit: true }
    mountPanel(it, { open: true, size: 'half', context })
    const last = page.getByRole('button', { name: 'Who changed “Aurora lamp” last, and what?' })
    await expect.element(last).toBeInTheDocument()

    const fadeHeight = 20
    const edge = log().element().getBoundingClientRect().bottom - fadeHeight
    const { bottom } = last.element().getBoundingClientRect()
    await page.viewport(800, 600)
    expect(bottom).toBeLessThanOrEqual(edge)
  })

  test('says that a turn waits for its model, and that nothing is lost', async () => {
    const it = stage()
    const id = it.add({ status: 'processing' }, [{ role: 'user', content: 'Work' }])
    it.change(id, {}, { deferredUntil: new Date(Date.now() + 60_000).toISOString() })
    localStorage.setItem(`aic:v1:${it.uid}`, JSON.stringify({ open: true, size: 'full', conversationId: id }))
    mountPanel(it)

    await expect.element(log()).toMatchTextContent(/The language model is busy, \d+ s.*nothing is lost/)
  })

  test('switches conversations behind its title', async () => {
    const it = stage()
    it.add({ title: 'Prices' }, [{ role: 'user', content: 'How much?' }])
    mountPanel(it, { open: true })
    await expect.element(page.getByRole('heading', { name: /^New conversation/ })).toBeInTheDocument()
    expect(button('New conversation').elements()).toHaveLength(1)
    await page.getByRole('heading').getByRole('button', { name: 'Conversations' }).click()
    await expect.element(page.getByRole('menu', { name: 'Conversations' })).toBeInTheDocument()

    await page.getByRole('menuitem', { name: 'Prices' }).click()

    await expect.element(log()).toMatchTextContent('How much?')
    await expect.poll(focused).toBe('Message')
  })

  test('hands its conversation to the full page', async () => {
    const it = stage()
    const id = it.add({ title: 'Prices' })
    const element = mountPanel(it, { open: true, conversationId: id, conversationHref: '/chat/{id}' })
    const asked: (string | null)[] = []
    element.addEventListener('ai-chat-open-module', (event) => asked.push(event.detail.conversationId))
    await expect.element(page.getByRole('button', { name: 'Prices' })).toBeInTheDocument()

    await button('Open in module').click()

    expect(asked).toEqual([id])
    expect(element.open).toBe(false)
  })

  test('offers no full page where the page around gave no address of one', async () => {
    const it = stage()
    it.add({ title: 'Prices' })
    mountPanel(it, { open: true })
    await button('Conversations').click()

    await expect.element(page.getByRole('menuitem', { name: 'Prices' })).toBeInTheDocument()
    expect(button('Open in module').query()).toBe(null)
  })

  test('is a modal dialog where there is little room', async () => {
    await page.viewport(360, 740)
    const it = stage()
    it.add({ title: 'Prices' }, [{ role: 'user', content: 'How much?' }])
    const element = mountPanel(it, { open: true })
    const dialog = page.getByRole('dialog', { name: 'AI Chat' })
    await expect.element(dialog).toBeInTheDocument()
    await dialog.getByRole('button', { name: 'Show conversations' }).click()
    await dialog.getByRole('link', { name: /^Prices/ }).click()
    await expect.element(log()).toMatchTextContent('How much?')

    await userEvent.keyboard('{Escape}')

    await expect.poll(() => element.open).toBe(false)
  })

  test('without a module reaches all conversations, with search and all that can be done to one', async () => {
    const it = stage()
    for (let n = 1; n <= 12; n++) it.add({ title: `Talk ${n}` }, [{ role: 'user', content: `Question ${n}` }])
    const element = mountPanel(it, { open: true })
    await button('Conversations').click()
    await page.getByRole('menuitem', { name: 'All conversations' }).click()
    await expect.element(page.getByRole('link', { name: /^Talk 12/ })).toBeInTheDocument()
    await page.getByRole('searchbox', { name: 'Search conversations' }).fill('Talk 7')
    await expect.poll(() => page.getByRole('link', { name: /^Talk/ }).elements().length).toBe(1)
    await userEvent.keyboard('{Escape}{Escape}')
    await expect.element(message()).toBeInTheDocument()
    expect(element.open).toBe(true)

    await button('Conversations').click()
    await page.getByRole('menuitem', { name: 'All conversations' }).click()
    await page.getByRole('link', { name: /^Talk 7/ }).click()
    await expect.element(log()).toMatchTextContent('Question 7')
    await button('More actions').click()
    await page.getByRole('menuitem', { name: 'Rename' }).click()
    await page.getByRole('textbox', { name: 'Title' }).fill('Lamps')
    await userEvent.keyboard('{Enter}')
    await expect.element(button('Lamps')).toBeInTheDocument()
    await button('More actions').click()
    for (const name of ['Delete', 'Export', 'Instructions', 'Keyboard shortcuts'])
      await expect.element(page.getByRole('menuitem', { name, exact: true })).toBeInTheDocument()
  })

  test.each([
    ['wide', 1280],
    ['narrow', 360],
  ])('%s, is not closed by Escape with words or a proposal in it', async (_, width) => {
    await page.viewport(width, 740)
    const it = stage()
    const toolCalls = [{ id: 'c', name: 'update_record', arguments: {} }]
    const id = it.add({}, [
      { role: 'user', content: 'Typo' },
      { role: 'assistant', content: 'Prepared.', runId: 'run', toolCalls },
    ])
    const element = mountPanel(it, { open: true })
    await expect.element(message()).toBeInTheDocument()
    await message().fill('Words')
    await userEvent.keyboard('{Escape}')
    await expect.element(message()).toHaveValue('Words')
    expect(element.open).toBe(true)

    await message().fill('')
    const preview = { table: 'pages', uid: 3, label: 'Aurora lamp', changes: [] }
    it.pause(id, { calls: [{ id: 'c', tool: 'update_record', title: 'Change', arguments: {}, preview }] })
    element.show(id)
    await expect.element(button('Approve')).toBeInTheDocument()
    element.focusMessage()
    await userEvent.keyboard('{Escape}')
    expect(element.open).toBe(true)

    element.show(null)
    await expect.element(button('Approve')).not.toBeInTheDocument()
    element.focusMessage()
    await userEvent.keyboard('{Escape}')
    await expect.poll(() => element.open).toBe(false)
  })

  test('stays open as a dialog when Escape leaves one of its fields', async () => {
    await page.viewport(360, 740)
    const it = stage()
    const toolCalls = [{ id: 'c', name: 'update_record', arguments: {} }]
    const id = it.add({}, [
      { role: 'user', content: 'Typo' },
      { role: 'assistant', content: 'Prepared.', runId: 'run', toolCalls },
    ])
    const title = { field: 'title', label: 'Title', before: 'A', after: 'B' }
    const preview = { table: 'pages', uid: 3, label: 'Aurora lamp', changes: [title] }
    const call = {
      id: 'c',
      tool: 'update_record',
      title: 'Change',
      arguments: {},
      preview,
      editable: ['title'],
    }
    it.pause(id, { calls: [call] })
    const element = mountPanel(it, { open: true, conversationId: id })
    const fields = [
      ['Edit message', 'Edit message', 'Message'],
      ['Change the words: Title', 'New words: Title', 'Change the words: Title'],
      ['Deny', 'Reason, for the assistant (optional)', 'Deny'],
    ] as const
    for (const [opener, field, back] of fields) {
      await expect.element(button(opener)).toBeInTheDocument()
      await expect.element(button(opener)).not.toHaveAttribute('aria-disabled', 'true')
      await button(opener).click()
      await expect.poll(focused).toContain(field)

      await userEvent.keyboard('{Escape}')

      await expect.poll(focused).toBe(back)
    }
    expect(element.open).toBe(true)
  })

  test('is opened and closed by its shortcut, unless shortcuts are off', async () => {
    const it = stage()
    const element = mountPanel(it)
    await expect.poll(() => it.to('/status').length).toBe(1)
    await userEvent.keyboard('{Control>}{Alt>}k{/Alt}{/Control}')
    expect(element.open).toBe(true)

    element.store?.keep({ shortcuts: false })
    await userEvent.keyboard('{Control>}{Alt>}k{/Alt}{/Control}')

    expect(element.open).toBe(true)
  })

  test('has its controls in the order of the keyboard, and no line of the text at its border', async () => {
    await page.viewport(1440, 900)
    const it = stage()
    const context = { pageId: 7, module: 'page', title: 'Lamps' }
    const element = mountPanel(it, { open: true, context })
    await message().fill(Array.from({ length: 12 }, (_, line) => `Line ${line}`).join('\n'))
    const attach = button('Attach file')
    await expect.element(attach).toBeInTheDocument()

    const chip = page.getByRole('button', { name: 'Leave this page out' })
    const isAfter =
      attach.element().compareDocumentPosition(chip.element()) === Node.DOCUMENT_POSITION_FOLLOWING
    const startOf = (one: Element) => one.getBoundingClientRect().left
    expect(startOf(attach.element()) < startOf(chip.element())).toBe(isAfter)
    const { left, top } = message().element().getBoundingClientRect()
    expect(element.shadowRoot?.elementFromPoint(left + 20, top + 2)).not.toBe(message().element())
  })

  test('forgets everything at logout', async () => {
    const it = stage()
    const element = mountPanel(it, { open: true })
    await message().fill('Secret')
    const written = () => {
      element.store?.flush()
      return localStorage.getItem(`aic:v1:${it.uid}`)
    }
    // Nothing is written before the user is known.
    await expect.poll(written).toContain('Secret')

    element.forget()

    expect(Object.keys(localStorage).filter((key) => key.startsWith('aic:'))).toEqual([])
  })
})
