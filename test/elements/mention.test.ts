import { afterEach, describe, expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import type { Mention } from '../../core/conversation/schema.ts'
import { button, clear, focused, message, mountModule, mountPanel, said, stage } from './mount.ts'

afterEach(clear)

const lamp: Mention = { kind: 'page', table: 'pages', uid: 3, title: 'Aurora lamp' }
const text: Mention = { kind: 'record', table: 'content', uid: 12, title: 'Aurora, the light', page: 3 }
const desk: Mention = { kind: 'page', table: 'pages', uid: 4, title: 'Borealis desk' }
const name = ({ kind, table, uid }: Mention) => ({ kind, table, uid })

const option = (words: RegExp) => page.getByRole('option', { name: words })
const named = () => page.getByRole('group', { name: 'Named in the message' })

function site() {
  const it = stage()
  it.site = [desk, lamp, text]
  return it
}

describe('an @ at the start of a word', () => {
  test('names something of the site, with the keyboard alone', async () => {
    const it = site()
    mountModule(it)
    await message().click()
    await userEvent.keyboard('Shorten @')
    await expect.poll(focused).toBe('Search the site')
    await expect.element(option(/Borealis desk/)).toHaveAttribute('aria-selected', 'true')
    await userEvent.keyboard('aurora')
    await expect.element(option(/Borealis desk/)).not.toBeInTheDocument()
    await expect.element(option(/Aurora lamp/)).toHaveAttribute('aria-selected', 'true')
    await userEvent.keyboard('{ArrowDown}')
    await expect.element(option(/Aurora, the light/)).toHaveAttribute('aria-selected', 'true')
    await userEvent.keyboard('{Enter}')

    await expect.element(button('Leave out Aurora, the light')).toBeInTheDocument()
    expect([focused(), message().element()]).toMatchObject([
      'Message',
      { value: 'Shorten Aurora, the light' },
    ])

    await userEvent.keyboard(' now{Enter}')
    const chip = page.getByRole('article').getByRole('link', { name: 'Aurora, the light [12]' })
    await expect.element(chip).toBeInTheDocument()
    expect(it.to('/conversations/send').map(({ body }) => body)).toEqual([
      { content: 'Shorten Aurora, the light now', mentions: [name(text)] },
    ])
    await expect.element(named()).not.toBeInTheDocument()
  })

  test('takes the best match of what was typed, also before it is there', async () => {
    mountModule(site())
    await message().click()
    await userEvent.keyboard('@')
    await expect.element(option(/Borealis desk/)).toBeInTheDocument()
    await userEvent.keyboard('light{Enter}')

    await expect.element(named().getByText('Aurora, the light')).toBeInTheDocument()
  })

  test('stays in the message with what follows it where nothing is chosen', async () => {
    mountModule(site())
    await message().click()
    await userEvent.keyboard('Ask @')
    await expect.poll(focused).toBe('Search the site')
    await userEvent.keyboard('anna')
    await expect.element(page.getByText('Nothing that you may see contains “anna”.')).toBeInTheDocument()
    await userEvent.keyboard('{Escape} now')

    expect([focused(), message().element()]).toMatchObject(['Message', { value: 'Ask @anna now' }])
  })

  test('is seen in the message with what follows it, and goes with its list where nothing follows', async () => {
    mountModule(site())
    await message().click()
    await userEvent.keyboard('Ask @')
    await expect.poll(focused).toBe('Search the site')
    await userEvent.keyboard('an')
    await expect.element(message()).toHaveValue('Ask @an')
    await userEvent.keyboard('{Backspace}{Backspace}')
    await expect.element(message()).toHaveValue('Ask @')
    await userEvent.keyboard('{Escape}Anna')
    await expect.element(message()).toHaveValue('Ask Anna')

    await userEvent.keyboard(' @')
    await expect.poll(focused).toBe('Search the site')
    await userEvent.keyboard(' home')
    await expect.element(message()).toHaveValue('Ask Anna @ home')
  })

  test('within a word is a character like others', async () => {
    const it = site()
    mountModule(it)
    await message().click()
    await userEvent.keyboard('anna@example.com')

    await expect.element(message()).toHaveValue('anna@example.com')
    expect(it.to('/mentions')).toEqual([])
  })
})

describe('the menu of what else goes with a message', () => {
  test('leads to the search, and what was chosen can be left out again', async () => {
    mountModule(site())
    await button('Add to the message').click()
    await expect.poll(() => focused().trim()).toBe('Page, record or user …')
    await userEvent.keyboard('{Enter}')
    await expect.poll(focused).toBe('Search the site')
    await option(/Aurora lamp/).click()
    await button('Leave out Aurora lamp').click()

    await expect.element(named()).not.toBeInTheDocument()
    expect(focused()).toBe('Message')
  })

  test('offers the files of a site that has them', async () => {
    const it = site()
    it.status = { siteFiles: true }
    it.site = [{ kind: 'file', table: 'media', uid: 7, title: 'Lamp at night' }]
    mountModule(it)
    await button('Add to the message').click()
    await page.getByRole('menuitem', { name: 'Choose from the site’s files …' }).click()
    await option(/Lamp at night/).click()

    await expect.element(named().getByText('Lamp at night')).toBeInTheDocument()
    expect(it.to('/mentions').map(({ query }) => query.get('kind'))).toEqual(['file'])
  })
})

test('files to choose are pictures, in rows for the arrows, and only those in view are asked for', async () => {
  const it = site()
  it.status = { siteFiles: true }
  it.site = Array.from({ length: 20 }, (_, at) => ({
    kind: 'file' as const,
    table: 'media',
    uid: at + 1,
    title: `Picture ${at + 1}`,
  }))
  mountModule(it)
  await button('Add to the message').click()
  await page.getByRole('menuitem', { name: 'Choose from the site’s files …' }).click()
  const first = option(/^Picture 1 /)
  await expect.poll(() => first.element().querySelector('img')?.src).toMatch(/^data:image\/png;base64,/)
  const asked = () => it.to('/picture').map(({ query }) => Number(query.get('uid')))
  await expect.poll(asked).toContain(1)
  expect(asked()).not.toContain(20)

  await userEvent.keyboard('{ArrowRight}')
  await expect.element(option(/^Picture 2 /)).toHaveAttribute('aria-selected', 'true')
  await userEvent.keyboard('{ArrowLeft}{ArrowDown}')
  const chosen = page.getByRole('option', { selected: true })
  const top = (element: Element) => element.getBoundingClientRect().left
  await expect.element(chosen).not.toMatchTextContent(/^Picture [12]\b /)
  expect(top(chosen.element())).toBe(top(first.element()))

  await userEvent.keyboard('{Enter}')
  await expect.element(named().getByText(/^Picture \d+$/)).toBeInTheDocument()
})

test('a message that was refused comes back with what it names', async () => {
  const it = site()
  it.refusals.set('/ai-chat/conversations/send', {
    status: 404,
    code: 'mention.notFound',
    message: 'It is gone.',
  })
  const module = mountModule(it)
  await expect.element(message()).toBeInTheDocument()
  module.mention(lamp)
  await expect.element(button('Leave out Aurora lamp')).toBeInTheDocument()
  await message().fill('Read it')
  await button('Send').click()
  await expect.element(page.getByText(/It is gone\./).first()).toBeInTheDocument()
  await button('Edit message').click()

  await expect.element(button('Leave out Aurora lamp')).toBeInTheDocument()
  await expect.element(message()).toHaveValue('Read it')
})

test('a page that asks about something opens the panel with it', async () => {
  const panel = mountPanel(site())
  await panel.updateComplete
  panel.mention(lamp)

  await expect.element(named().getByText('Aurora lamp')).toBeInTheDocument()
  await expect.element(said()).toMatchTextContent('Aurora lamp is added to the message')
  expect(focused()).toBe('Message')
})
