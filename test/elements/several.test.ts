import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { button, clear, focused, message, mountModule, said, stage } from './mount.ts'

// What can be undone for ten seconds can be undone on a slow machine too.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] })
})
afterEach(() => {
  vi.useRealTimers()
  clear()
})

const list = () => page.getByRole('list', { name: 'Conversations' })
const links = () =>
  list()
    .getByRole('link')
    .elements()
    .map((link) => link.querySelector('b')?.textContent)
const box = (title: string) => list().getByRole('checkbox', { name: new RegExp(`^${title}`) })
const bar = () => page.getByRole('group', { name: 'Selected conversations' })
const deed = (name: string) => bar().getByRole('button', { name, exact: true })
const ticked = () =>
  list()
    .getByRole('checkbox', { checked: true })
    .elements()
    .map((one) => one.closest('label')?.querySelector('b')?.textContent)

/** Conversations with these titles, the newest first, and their list with a tick for each. */
async function selecting(titles: string[]) {
  const it = stage()
  const ids = titles.map((title, at) =>
    it.add({ title, updatedAt: new Date(Date.now() - at * 60_000).toISOString() }),
  )
  mountModule(it)
  await expect.poll(links).toEqual(titles)
  await button('Select several').click()
  await expect.poll(() => list().getByRole('checkbox').elements().length).toBe(titles.length)
  return { it, ids }
}

describe('several conversations at once', () => {
  test('are archived together, and taken back together', async () => {
    const { it, ids } = await selecting(['A', 'B', 'C'])
    await box('A').click()
    await box('C').click()
    await expect.element(bar()).toMatchTextContent('2 selected')

    await deed('Archive').click()

    await expect.poll(links).toEqual(['B'])
    await expect.poll(focused).toBe('Select several')
    await expect.element(bar()).not.toBeInTheDocument()
    await expect.element(said()).toMatchTextContent('2 conversations were archived.')
    const asked = () =>
      it.to('/conversations/archive').map(({ body }) => [body.conversationId, body.archived])
    expect(asked()).toEqual([
      [ids[0], true],
      [ids[2], true],
    ])

    await button('Undo').click()

    await expect.poll(() => links().sort()).toEqual(['A', 'B', 'C'])
    await expect.element(button('Undo')).not.toBeInTheDocument()
    expect(asked().slice(2)).toEqual([
      [ids[0], false],
      [ids[2], false],
    ])
  })

  test('come back from the archive together', async () => {
    const it = stage()
    for (const title of ['A', 'B']) it.add({ title, archived: true })
    mountModule(it)
    await button('Archived').click()
    await expect.poll(() => links().sort()).toEqual(['A', 'B'])
    await button('Select several').click()
    await page.getByRole('checkbox', { name: 'Select all' }).click()

    await deed('Unarchive').click()

    await expect.element(list()).toMatchTextContent('Nothing is archived.')
    await button('Active').click()
    await expect.poll(() => links().sort()).toEqual(['A', 'B'])
  })

  test('are deleted with the open one, which an undo opens again', async () => {
    await selecting(['A', 'B'])
    await userEvent.keyboard('{Escape}')
    await list().getByRole('link', { name: /^A/ }).click()
    const heading = (name: string) => page.getByRole('heading', { name, exact: true })
    await expect.element(heading('A')).toBeInTheDocument()
    await button('Select several').click()
    await page.getByRole('checkbox', { name: 'Select all' }).click()

    await deed('Delete').click()

    await expect.element(list()).toMatchTextContent('No conversations yet.')
    await expect.element(heading('New conversation')).toBeInTheDocument()
    await button('Undo').click()
    await expect.poll(links).toEqual(['A', 'B'])
    await expect.element(heading('A')).toBeInTheDocument()
  })

  test('are ticked from one to another with Shift, and counted aloud', async () => {
    await selecting(['A', 'B', 'C', 'D'])
    await box('A').click()

    await box('C').click({ modifiers: ['Shift'] })

    await expect.poll(ticked).toEqual(['A', 'B', 'C'])
    await expect.element(said()).toMatchTextContent('3 selected')
    await box('B').click()
    await expect.poll(ticked).toEqual(['A', 'C'])
  })

  test('with the keyboard: Space ticks, Escape ends it and leaves all as they were', async () => {
    const { it } = await selecting(['A', 'B'])
    expect(focused()).toBe('Select several')
    box('B').element().focus()
    await userEvent.keyboard(' ')
    await expect.poll(ticked).toEqual(['B'])

    await userEvent.keyboard('{Escape}')

    await expect.poll(links).toEqual(['A', 'B'])
    expect(focused()).toBe('Select several')
    expect(it.asked.filter(({ method }) => method === 'POST')).toEqual([])
  })

  test('leave out what works at the moment', async () => {
    const it = stage()
    it.add({ title: 'Busy', status: 'locked' })
    it.add({ title: 'Free' })
    mountModule(it)
    await expect.poll(links).toHaveLength(2)
    await button('Select several').click()
    await expect.element(box('Busy')).toBeDisabled()

    await page.getByRole('checkbox', { name: 'Select all' }).click()

    await expect.poll(ticked).toEqual(['Free'])
  })

  test('of which one is refused: the others are done, and that one is named and stays ticked', async () => {
    const { it } = await selecting(['A', 'B', 'C'])
    await page.getByRole('checkbox', { name: 'Select all' }).click()
    it.refusals.set('/ai-chat/conversations/delete', {
      status: 409,
      code: 'conversation.busy',
      message: 'The assistant is still working here.',
    })

    await deed('Delete').click()

    const words = '2 conversations were deleted. Not done: “A”. The assistant is still working here.'
    await expect.element(said()).toMatchTextContent(words)
    await expect.poll(ticked).toEqual(['A'])
    await expect.element(list().getByRole('checkbox').filter({ hasText: 'B' })).not.toBeInTheDocument()
    await deed('Delete').click()
    await expect.element(list()).toMatchTextContent('No conversations yet.')
  })

  test('without a connection stay as they are, ticked, and no further one is asked for', async () => {
    const titles = ['A', 'B', 'C', 'D', 'E', 'F']
    const { it } = await selecting(titles)
    await page.getByRole('checkbox', { name: 'Select all' }).click()
    it.isOffline = true

    await deed('Archive').click()

    const words = 'Not done: “A”, “B”, “C”, 3 more. That did not work. Try again.'
    await expect.element(said()).toMatchTextContent(words)
    await expect.poll(ticked).toEqual(titles)
    expect(it.to('/conversations/archive')).toHaveLength(4)
    await expect.element(button('Undo')).not.toBeInTheDocument()
    await expect.element(message()).toBeInTheDocument()
  })
})
