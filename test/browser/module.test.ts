import { readFile } from 'node:fs/promises'
import { beforeAll, describe, expect, test } from 'vitest'
import { chatIn, hasFocus, requestsTo } from '../support/chat.ts'
import { scene } from '../support/scene.ts'

const { enter, client, titled } = scene()

const titles = ['Prices of lamps', 'News of the week', 'Desks and chairs']
const ids = new Map<string, string>()

beforeAll(async () => {
  for (const title of titles) ids.set(title, await titled(title))
})

async function opened(title?: string) {
  const { page, open } = await enter('editor')
  await open(`/backend/chat${title ? `/${ids.get(title) ?? (await titled(title))}` : ''}`)
  const module = chatIn(page, 'module')
  await module.message.waitFor()
  await module.conversation(title ?? 'Prices of lamps').waitFor()
  const heading = (name: string) => module.root.getByRole('heading', { name, exact: true, level: 2 })
  return { page, module, heading }
}

describe('the list', () => {
  test('names each conversation by its title, newest change first, in groups', async () => {
    const { module } = await opened()

    expect((await module.conversations.locator('b').allTextContents()).slice(0, 3)).toEqual(
      titles.toReversed(),
    )
    await module.history.getByRole('heading', { name: 'Today' }).waitFor()
  })

  test('is filtered by what is typed, with one question to the stage', async () => {
    const { page, open } = await enter('editor')
    // What waits for the end of the typing comes when the test says so, however long the keys take.
    await page.clock.install()
    await open('/backend/chat')
    const module = chatIn(page, 'module')
    await module.conversation('Prices of lamps').waitFor()
    await page.clock.pauseAt(Date.now() + 600_000)
    const asked: (string | null)[] = []
    page.on('request', (request) => {
      const { pathname, searchParams } = new URL(request.url())
      if (pathname === '/ai-chat/conversations') asked.push(searchParams.get('search'))
    })
    await module.root.getByRole('searchbox', { name: 'Search conversations' }).pressSequentially('desks')
    await page.clock.runFor(1_000)

    await expect.poll(() => module.conversations.locator('b').allTextContents()).toEqual(['Desks and chairs'])
    expect(asked.filter(Boolean)).toEqual(['desks'])
    await module.root.getByRole('searchbox', { name: 'Search conversations' }).fill('no such title')
    await page.clock.runFor(1_000)
    await module.history.getByText('Nothing found for “no such title”.').waitFor()
  })

  test('marks the open conversation, whose id is in the address', async () => {
    const { page, module, heading } = await opened()
    await module.conversation('News of the week').click()

    await page.waitForURL(`**/backend/chat/${ids.get('News of the week')}`)
    await expect.poll(() => module.conversation('News of the week').getAttribute('aria-current')).toBe('true')
    await expect.poll(() => module.history.locator('[aria-current]').count()).toBe(1)
    await module.conversation('Prices of lamps').click()
    await heading('Prices of lamps').waitFor()
    await page.goBack()
    await heading('News of the week').waitFor()
    await page.reload()
    await heading('News of the week').waitFor()
  })

  test('puts pinned conversations first, under a heading of their own', async () => {
    const { module } = await opened('Prices of lamps')
    await module.more('Pin')

    await module.history.getByRole('heading', { name: 'Pinned' }).waitFor()
    await expect.poll(() => module.conversations.locator('b').first().textContent()).toBe('Prices of lamps')
    await module.more('Unpin')
    await module.history.getByRole('heading', { name: 'Pinned' }).waitFor({ state: 'detached' })
  })
})

test('several conversations are archived and deleted together, with the keyboard, and come back', async () => {
  const own = ['Offers of spring', 'Offers of summer']
  for (const title of own) await titled(title)
  const { page, module } = await opened()
  await module.conversation('Offers of spring').click()
  // What can be undone for ten seconds can be undone on a slow machine too.
  await page.clock.setFixedTime(Date.now())
  const box = (title: string) => module.history.getByRole('checkbox', { name: new RegExp(`^${title}`) })
  const deed = (name: string) =>
    module.history.getByRole('group', { name: 'Selected conversations' }).getByRole('button', { name })
  const all = async (state: 'attached' | 'detached') => {
    for (const title of own) await module.conversation(title).waitFor({ state })
  }
  const both = async (name: string) => {
    await module.history.getByRole('button', { name: 'Select several' }).press('Enter')
    for (const title of own) await box(title).press('Space')
    await module.history.getByText('2 selected', { exact: true }).waitFor()
    await deed(name).press('Enter')
  }

  await both('Archive')
  await module.history.getByText('2 conversations were archived.').waitFor()
  await all('detached')
  await expect.poll(() => hasFocus(module.button('Select several'))).toBe(true)
  await module.history.getByRole('button', { name: 'Undo' }).press('Enter')
  await all('attached')
  // The focus comes back last; it must not move between a checkbox and its key.
  await expect.poll(() => hasFocus(module.button('Select several'))).toBe(true)

  await both('Delete')
  await module.history.getByText('2 conversations were deleted.').waitFor()
  await all('detached')
  await module.root.getByRole('heading', { name: 'New conversation', level: 2 }).waitFor()
  await page.reload()
  await module.conversation('Prices of lamps').waitFor()
  await all('detached')
})

describe('the menu of a conversation', () => {
  test('is worked with the keyboard, and gives the focus back on Escape', async () => {
    const { page, module } = await opened('Prices of lamps')
    const focused = () =>
      module.root.evaluate((host) => host.shadowRoot?.activeElement?.textContent?.trim() ?? null)
    await module.button('More actions').focus()
    const seen: (string | null)[] = []
    for (const key of ['Enter', 'ArrowDown', 'End', 'ArrowDown', 'ArrowUp', 'Home', 'e']) {
      await page.keyboard.press(key)
      await module.menu.waitFor()
      seen.push(await focused())
    }
    expect(seen).toEqual(['Rename', 'Pin', 'Model: demo', 'Rename', 'Model: demo', 'Rename', 'Export'])

    await page.keyboard.press('Escape')
    await expect.poll(() => module.menu.count()).toBe(0)
    await expect.poll(() => hasFocus(module.button('More actions'))).toBe(true)
  })

  test('renames in place: Enter stores, Escape leaves', async () => {
    const { page, module, heading } = await opened('A name to change')
    const field = module.root.getByRole('textbox', { name: 'Title' })
    await module.more('Rename')
    await field.fill('Not this one')
    await page.keyboard.press('Escape')
    await heading('A name to change').waitFor()

    await module.more('Rename')
    await expect.poll(() => field.inputValue()).toBe('A name to change')
    await page.keyboard.type('The better name')
    await page.keyboard.press('Enter')

    await heading('The better name').waitFor()
    await module.conversation('The better name').waitFor()
    await page.reload()
    await heading('The better name').waitFor()
  })

  test('archives without a question, and brings it back from where the field was or from the archive', async () => {
    const { module } = await opened('For the archive')
    await module.more('Archive')
    await module.root.getByRole('status').getByText('This conversation is archived.').waitFor()
    await module.conversation('For the archive').waitFor({ state: 'detached' })
    await module.button('Unarchive').click()
    await module.message.waitFor()
    await module.conversation('For the archive').waitFor()

    await module.more('Archive')
    await module.button('Archived').click()
    await expect.poll(() => module.button('Archived').getAttribute('aria-pressed')).toBe('true')
    await module.conversation('For the archive').waitFor()
    await module.button('Unarchive').click()

    await module.message.waitFor()
    await module.button('Active').click()
    await module.conversation('For the archive').waitFor()
  })

  test('deletes without a question, and Undo brings everything back', async () => {
    const { module, heading } = await opened('To be deleted')
    await module.more('Delete')
    await module.conversation('To be deleted').waitFor({ state: 'detached' })
    const words = 'The conversation was deleted.'
    await module.root.getByRole('region', { name: 'New conversation' }).getByText(words).waitFor()
    await module.root.getByRole('status').getByText(words).waitFor()

    await module.button('Undo').click()

    await heading('To be deleted').waitFor()
    await module.conversation('To be deleted').waitFor()
  })

  test('offers Undo for ten seconds', async () => {
    const { page, open } = await enter('editor')
    await page.clock.install()
    await open(`/backend/chat/${await titled('Gone for good')}`)
    const module = chatIn(page, 'module')
    await module.conversation('Gone for good').waitFor()
    await module.more('Delete')
    await module.button('Undo').waitFor()

    await page.clock.fastForward(10_500)

    await module.button('Undo').waitFor({ state: 'detached' })
    await expect.poll(() => module.conversation('Gone for good').count()).toBe(0)
  })

  test('exports the transcript as Markdown at once', async () => {
    const editor = await client('editor')
    const { conversation } = await editor.ask('What does the Aurora lamp cost?')
    const { page, open } = await enter('editor')
    await open(`/backend/chat/${conversation.id}`)
    const module = chatIn(page, 'module')
    await module.answer('149 EUR').waitFor()

    const [download] = await Promise.all([page.waitForEvent('download'), module.more('Export')])

    expect(download.suggestedFilename()).toBe('What-does-the-Aurora-lamp-cost.md')
    const text = await readFile(await download.path(), 'utf8')
    expect(text).toContain('What does the Aurora lamp cost?')
    expect(text).toContain('149 EUR')
  })
})

test('a new conversation is empty, with the cursor in its field', async () => {
  const { page, module, heading } = await opened('Prices of lamps')
  const created = requestsTo(page, '/conversations/create')
  await module.history.getByRole('button', { name: 'New conversation' }).click()

  await heading('New conversation').waitFor()
  await expect.poll(() => hasFocus(module.message)).toBe(true)
  await expect.poll(() => new URL(page.url()).pathname).toBe('/backend/chat')
  expect(created).toEqual([])
})

test('on a narrow screen it shows the list or the conversation, and nothing scrolls sideways', async () => {
  const { page, open } = await enter('editor', undefined, { viewport: { width: 360, height: 740 } })
  await open(`/backend/chat/${ids.get('Desks and chairs')}`)
  const module = chatIn(page, 'module')
  await module.message.waitFor()
  await expect.poll(() => module.conversations.count()).toBe(0)
  await page.getByRole('button', { name: 'Menu', exact: true }).waitFor()

  await module.button('Show conversations').click()
  await expect.poll(() => module.message.count()).toBe(0)
  await module.conversation('News of the week').click()

  await module.root.getByRole('heading', { name: 'News of the week' }).waitFor()
  await module.message.waitFor()
  for (const width of [320, 768, 1024]) {
    await page.setViewportSize({ width, height: 740 })
    await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(width)
  }
})

test('what happens in one tab shows in the other', async () => {
  const { page, module, heading } = await opened('Seen from two sides')
  const second = await page.context().newPage()
  await second.goto(page.url())
  const other = chatIn(second, 'module')
  await other.message.waitFor()

  await module.more('Pin')
  await other.history.getByRole('heading', { name: 'Pinned' }).waitFor()
  await other.more('Rename')
  await second.keyboard.type('Seen from everywhere')
  await second.keyboard.press('Enter')
  await heading('Seen from everywhere').waitFor()

  await other.ask('What does the Aurora lamp cost?')
  await module.own.waitFor()
  await module.answer('149 EUR').waitFor()
  await other.answer('149 EUR').waitFor()
})

test('a conversation of another user is not shown', async () => {
  const admin = await client('admin')
  const { conversation } = await admin.ask('Where is the Nightjar?')
  const { page } = await enter('editor', `/backend/chat/${conversation.id}`)
  const module = chatIn(page, 'module')

  await module.root.getByRole('heading', { name: 'New conversation' }).waitFor()
  expect(await page.getByText('Nightjar').count()).toBe(0)
})

test('prints the whole conversation, without what stands around it', async () => {
  const { page, module } = await opened('Prices of lamps')
  const log = module.root.getByRole('log')
  const cut = () => log.evaluate((it) => it.scrollHeight - it.clientHeight)
  await page.setViewportSize({ width: 1280, height: 320 })
  await expect.poll(cut).toBeGreaterThan(0)

  await page.emulateMedia({ media: 'print' })

  await expect.poll(cut).toBe(0)
  const bottom = await log.evaluate((it) => it.getBoundingClientRect().bottom)
  const paper = () => page.evaluate(() => document.documentElement.scrollHeight)
  await expect.poll(paper).toBeGreaterThanOrEqual(Math.floor(bottom))
  for (const around of [module.history, module.message, page.getByRole('navigation').first()])
    await expect.poll(() => around.isVisible()).toBe(false)
})
