import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { overview } from '../../core/agent/offered.ts'
import {
  button,
  clear,
  focused,
  log,
  message,
  mountModule,
  mountPanel,
  said,
  scrolled,
  stage,
  toTop,
} from './mount.ts'
import type { Stage } from './stage.ts'

afterEach(clear)

const list = () => page.getByRole('list', { name: 'Conversations' })
const links = () =>
  list()
    .getByRole('link')
    .elements()
    .map((link) => link.querySelector('b')?.textContent)
const marks = () => [...(list().element().querySelectorAll('mark') ?? [])].map((mark) => mark.textContent)
const entry = (title: string) => list().getByRole('link', { name: new RegExp(`^${title}`) })
const choose = async (item: string) => {
  await button('More actions').click()
  await page.getByRole('menuitem', { name: item, exact: true }).click()
}

describe('a row of the list', () => {
  test('is archived and deleted in its place, with a way back', async () => {
    const it = stage()
    const [one, other] = [it.add({ title: 'One' }), it.add({ title: 'Other' })]
    mountModule(it)
    await expect.poll(links).toEqual(['Other', 'One'])
    await entry('One').hover()
    await button('Archive: One').click()
    await expect.poll(links).toEqual(['Other'])
    await button('Undo').click()
    await expect.poll(links).toContain('One')

    await entry('Other').hover()
    await button('Delete: Other').click()
    await expect.poll(links).toEqual(['One'])
    expect(it.to('/conversations/archive').map(({ body }) => [body.conversationId, body.archived])).toEqual([
      [one, true],
      [one, false],
    ])
    expect(it.to('/conversations/delete').map(({ body }) => body.conversationId)).toEqual([other])
  })

  test.each(['Archive', 'Delete'])('leaves the focus in the list after the key on its %s', async (deed) => {
    const it = stage()
    for (const title of ['Three', 'Two', 'One']) it.add({ title })
    mountModule(it)
    await expect.poll(links).toEqual(['One', 'Two', 'Three'])
    const press = async (title: string, next: RegExp) => {
      button(`${deed}: ${title}`).element().focus()
      await userEvent.keyboard('{Enter}')
      await expect.poll(focused).toMatch(next)
    }

    await press('Two', /^Three/)
    await press('Three', /^One/)
    await press('One', /^New conversation$/)
  })

  test('that waits for the user is named before the first message', async () => {
    const it = stage()
    const id = it.add({ title: 'Shorten it' })
    it.pause(id, { calls: [] })
    const module = mountModule(it)
    const waiting = page.getByRole('list', { name: 'Waiting for you', exact: true })
    await waiting.getByRole('button', { name: 'Waiting for you Shorten it' }).click()

    await expect.poll(() => module.conversation.id).toBe(id)
  })

  test('that ended while nobody looked is named before the first message until it is opened', async () => {
    const it = stage()
    const [id, bad] = [
      it.add({ title: 'Shorten it', status: 'locked' }),
      it.add({ title: 'Check', status: 'locked' }),
    ]
    it.add({ title: 'Old answer' })
    const before = mountModule(it)
    await expect.poll(links).toHaveLength(3)
    await expect.poll(() => localStorage.getItem(`aic:v1:${it.uid}:unread`)).toContain(id)
    before.remove()
    it.finish(id, 'It is shorter.')
    it.change(id, { pageTitle: 'Aurora lamp' })
    it.change(bad, { status: 'failed' })
    const module = mountModule(it)
    const since = page.getByRole('list', { name: 'New since you were here' })

    await expect
      .poll(() =>
        since
          .getByRole('button')
          .elements()
          .map(({ textContent }) => textContent?.replace(/\s+/g, ' ').trim()),
      )
      .toEqual([
        expect.stringMatching(/^New since you were here · Aurora lamp · \S+ Shorten it$/),
        expect.stringMatching(/^Failed, \S+ Check$/),
      ])
    await since.getByRole('button', { name: /Shorten it$/ }).click()
    await expect.poll(() => module.conversation.id).toBe(id)
    await button('New conversation').click()
    await expect.element(since.getByRole('button')).toMatchTextContent('Check')
  })
})

describe('the list of conversations', () => {
  test('has first what waits for the user, then the pinned, and the others by their day', async () => {
    const it = stage()
    it.add({ title: 'Change', status: 'awaiting_approval', updatedAt: '2022-01-01T10:00:00.000Z' })
    it.add({ title: 'Old', updatedAt: '2020-01-01T10:00:00.000Z' })
    it.add({ title: 'New' })
    const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString()
    it.add({ title: 'Last week', updatedAt: daysAgo(4) })
    it.add({ title: 'Day before', updatedAt: daysAgo(1) })
    it.add({ title: 'Kept', pinned: true, updatedAt: '2021-01-01T10:00:00.000Z' })
    mountModule(it)

    await expect.poll(links).toEqual(['Change', 'Kept', 'New', 'Day before', 'Last week', 'Old'])
    expect(
      list()
        .getByRole('heading')
        .elements()
        .map((heading) => heading.textContent),
    ).toEqual(['Waiting for you', 'Pinned', 'Today', 'Yesterday', 'Previous 7 days', 'Earlier'])
  })

  test('names below the title the page that a conversation was about, then its time', async () => {
    const it = stage()
    it.add({
      title: 'Shorten the first text',
      pageTitle: 'A page with a title that is far too long for the list',
    })
    it.add({ title: 'Opening hours' })
    mountModule(it)

    await expect
      .element(entry('Shorten the first text'))
      .toMatchTextContent(/^Shorten the first text ?A page with a title .* list \S/)
    const [about, time] = [...(entry('Shorten').element().querySelectorAll('small span') ?? [])]
    expect(about?.clientWidth).toBeLessThan(about?.scrollWidth ?? 0)
    expect(time?.clientWidth).toBe(time?.scrollWidth)
    await expect.element(entry('Opening hours')).not.toMatchTextContent('page')
  })

  test('opens a conversation, marks it, and tells the page', async () => {
    const it = stage()
    const id = it.add({ title: 'Prices' }, [{ role: 'user', content: 'How much?' }])
    const module = mountModule(it, { conversationHref: '/backend/chat/{id}' })
    const told: (string | null)[] = []
    module.addEventListener('ai-chat-conversation', (event) => told.push(event.detail.conversationId))
    await expect.element(entry('Prices')).toHaveAttribute('href', `/backend/chat/${id}`)

    await entry('Prices').click()

    await expect.element(log()).toMatchTextContent('How much?')
    await expect.element(entry('Prices')).toHaveAttribute('aria-current', 'true')
    expect(told).toEqual([id])
  })

  test.each(['before', 'after'])('names a conversation that is opened %s the list has come', async (when) => {
    const it = stage()
    const id = it.add({ title: 'Prices' }, [{ role: 'user', content: 'How much?' }])
    const gate = Promise.withResolvers<void>()
    it.held.set('/ai-chat/conversations/messages', gate.promise)
    mountModule(it, when === 'before' ? { conversationId: id } : {})
    await expect.poll(links).toEqual(['Prices'])
    if (when === 'after') await entry('Prices').click()

    await expect.element(page.getByRole('heading', { name: 'Prices', level: 2 })).toBeInTheDocument()
    await expect.element(page.getByRole('region', { name: 'Prices' })).toBeInTheDocument()
    expect(log().element().textContent).not.toContain('How much?')
    gate.resolve()
    await expect.element(log()).toMatchTextContent('How much?')
  })

  test('is filtered while one types', async () => {
    const it = stage()
    it.add({ title: 'Prices of lamps' })
    it.add({ title: 'Opening hours' })
    mountModule(it)
    await expect.poll(links).toHaveLength(2)
    const seen: number[] = []
    const count = () => seen.push(links().length)
    new MutationObserver(count).observe(list().element().parentElement as Element, {
      childList: true,
      subtree: true,
    })

    await page.getByRole('searchbox', { name: 'Search conversations' }).fill('lamps')
    await expect.poll(links).toEqual(['Prices of lamps'])
    expect(seen).not.toContain(0)
    await expect.element(list().getByRole('heading', { name: '1 found' })).toBeInTheDocument()
    expect(marks()).toEqual(['lamps'])

    await page.getByRole('searchbox', { name: 'Search conversations' }).fill('LAMP s. (')
    await expect.element(list()).toMatchTextContent('Nothing found for “LAMP s. (”.')
    await page.getByRole('searchbox', { name: 'Search conversations' }).fill('PRICES of')
    await expect.poll(marks).toEqual(['Prices', 'of'])
    expect(links()).toEqual(['Prices of lamps'])

    await page.getByRole('searchbox', { name: 'Search conversations' }).fill('nothing like it')
    await expect.element(list()).toMatchTextContent('Nothing found for “nothing like it”.')
  })

  test.each(['module', 'panel'])('is in its field where the list comes back in another %s', async (kind) => {
    await page.viewport(390, 740)
    onTestFinished(() => page.viewport(1280, 800))
    const it = stage()
    it.add({ title: 'Lamps' })
    it.add({ title: 'Prices' })
    const field = page.getByRole('searchbox', { name: 'Search conversations' })
    const panel = mountPanel(it, { open: true, hidden: true })
    const module = mountModule(it)
    await button('Show conversations').click()
    await field.fill('lamps')
    await expect.poll(links).toEqual(['Lamps'])

    module.remove()
    if (kind === 'module') mountModule(it)
    else panel.hidden = false
    await button('Show conversations').click()

    await expect.poll(links).toEqual(['Lamps'])
    await expect.element(field).toHaveValue('lamps')
  })

  test('keeps the filter that is chosen right after the last letter of a search', async () => {
    const it = stage()
    it.add({ title: 'Lamps' })
    it.add({ title: 'Old lamps', archived: true })
    mountModule(it)
    await expect.poll(links).toEqual(['Lamps'])

    const field = page.getByRole('searchbox', { name: 'Search conversations' }).element() as HTMLInputElement
    field.value = 'lamps'
    field.dispatchEvent(new InputEvent('input', { bubbles: true }))
    ;(button('Archived').element() as HTMLElement).click()

    const asked = () => it.to('/conversations').filter(({ query }) => query.has('search'))
    await expect.poll(() => asked().length).toBe(2)
    await expect.element(page.getByRole('button', { name: 'Archived', pressed: true })).toBeInTheDocument()
    await expect.poll(links).toEqual(['Old lamps'])
  })

  test('shows the archived ones on demand, from where they come back', async () => {
    const it = stage()
    it.add({ title: 'Active one' })
    it.add({ title: 'Put away', archived: true })
    mountModule(it)
    await expect.poll(links).toEqual(['Active one'])

    await button('Archived').click()
    await expect.poll(links).toEqual(['Put away'])
    await entry('Put away').click()
    await expect.element(page.getByText('This conversation is archived.')).toBeInTheDocument()
    await expect.element(message()).not.toBeInTheDocument()
    await button('Unarchive').click()

    await expect.element(message()).toBeInTheDocument()
    await button('Active').click()
    await expect.poll(() => links().sort()).toEqual(['Active one', 'Put away'])
  })

  test.each([
    ['read', 'link', async () => {}],
    ['ticked', 'checkbox', () => button('Select several').click()],
  ] as const)(
    'goes on behind its first page, and keeps what is loaded while it is %s',
    async (_, role, begin) => {
      const it = stage()
      const titles = Array.from({ length: 52 }, (_, at) => `Number ${at + 1}`)
      for (const [at, title] of titles.entries())
        it.add({ title, updatedAt: new Date(Date.now() - at * 1_000).toISOString() })
      const module = mountModule(it)
      await expect.poll(() => links().length).toBe(50)
      await begin()
      await button('More conversations').click()

      const rows = () => list().getByRole(role).elements()
      await expect.poll(() => rows().length).toBe(52)
      await expect.element(button('More conversations')).not.toBeInTheDocument()
      await expect.poll(focused).toMatch(/^Number 51/)
      if (role === 'checkbox') await userEvent.keyboard(' ')
      await module.store.refresh()
      expect(rows()).toHaveLength(52)
      expect(list().getByRole('checkbox', { checked: true }).elements()).toHaveLength(role === 'link' ? 0 : 1)
    },
  )

  test('shows on demand only what waits for the user', async () => {
    const it = stage()
    it.add({ title: 'Change', status: 'awaiting_approval' })
    it.add({ title: 'Prices' })
    mountModule(it)
    await expect.poll(() => links().sort()).toEqual(['Change', 'Prices'])

    await button('Waiting').click()
    await expect.poll(links).toEqual(['Change'])
    await button('Archived').click()
    await expect.element(list()).toMatchTextContent('Nothing is archived.')
  })

  test('says in words what is busy, waits or failed', async () => {
    const it = stage()
    it.add({ title: 'A', status: 'locked' })
    it.add({ title: 'B', status: 'awaiting_approval' })
    it.add({ title: 'C', status: 'failed' })
    mountModule(it)

    await expect.element(entry('A')).toMatchTextContent('Working')
    await expect.element(entry('B')).toMatchTextContent('Waiting for you')
    await expect.element(entry('C')).toMatchTextContent('Failed')
  })
})

describe('the actions of a conversation', () => {
  const open = async () => {
    const it = stage()
    const id = it.add({ title: 'Prices' }, [{ role: 'user', content: 'How much?' }])
    const module = mountModule(it, { conversationId: id })
    await expect.element(log()).toMatchTextContent('How much?')
    return Object.assign(it, { id, module, store: module.store })
  }

  test('have names as the language writes them', async () => {
    const it = stage()
    it.add({ title: 'Prix' }, [{ role: 'user', content: 'Combien ?' }])
    mountModule(it, { lang: 'fr' })

    await expect.element(page.getByRole('link', { name: /^Prix/ })).toBeInTheDocument()
    await expect.element(button('Archiver\u202f: Prix')).toBeInTheDocument()
  })

  test('rename in place: Enter stores', async () => {
    const it = await open()
    await choose('Rename')
    const field = page.getByRole('textbox', { name: 'Title' })
    await expect.element(field).toHaveValue('Prices')
    await field.fill('All prices')
    await userEvent.keyboard('{Enter}')

    await expect.element(page.getByRole('heading', { name: 'All prices' })).toBeInTheDocument()
    await expect.poll(links).toEqual(['All prices'])
    expect(focused()).toBe('More actions')
    await expect.element(page.getByRole('menu')).not.toBeInTheDocument()
    expect(it.to('/conversations/rename')[0]?.body).toMatchObject({ title: 'All prices' })
  })

  test.each([255, 300])('rename in place: %i characters, as the stage counts them', async (count) => {
    const it = await open()
    await choose('Rename')
    const field = page.getByRole('textbox', { name: 'Title' })
    await field.fill('😀'.repeat(count))
    await userEvent.keyboard('{Enter}')

    await expect.poll(() => it.to('/conversations/rename')[0]?.body.title).toBe('😀'.repeat(255))
  })

  test('rename in place: a title that comes from elsewhere leaves the typed one', async () => {
    const it = await open()
    await choose('Rename')
    const field = page.getByRole('textbox', { name: 'Title' })
    await field.fill('All prices')
    it.change(it.id, { title: 'Costs' })
    it.store.look(it.store.conversation(it.id))
    await expect.poll(links).toEqual(['Costs'])

    await expect.element(field).toHaveValue('All prices')
    await userEvent.keyboard('{Enter}')
    await expect.poll(links).toEqual(['All prices'])
  })

  test('rename in place: Escape leaves', async () => {
    const it = await open()
    await choose('Rename')
    await page.getByRole('textbox', { name: 'Title' }).fill('Other')
    await userEvent.keyboard('{Escape}')

    await expect.element(page.getByRole('heading', { name: 'Prices' })).toBeInTheDocument()
    expect(it.to('/conversations/rename')).toEqual([])
  })

  const full = { status: 503, code: 'service.unavailable', message: 'Try again soon.' }
  const reason = () => page.getByText('Try again soon.')
  /** A conversation with another title in the field that renames it. */
  const openRenamed = async () => {
    const it = await open()
    await choose('Rename')
    const field = page.getByRole('textbox', { name: 'Title' })
    await field.fill('All prices')
    return { it, field }
  }

  test('rename in place: a title that the stage refuses is in the field again, with the reason', async () => {
    const { it, field } = await openRenamed()
    it.refusals.set('/ai-chat/conversations/rename', full)
    await userEvent.keyboard('{Enter}')

    await expect.element(reason()).toBeVisible()
    await expect.element(field).toHaveValue('All prices')
    await expect.poll(focused).toBe('Title')
    await userEvent.keyboard('{Enter}')
    await expect.element(page.getByRole('heading', { name: 'All prices' })).toBeInTheDocument()
    await expect.poll(focused).toBe('More actions')

    await choose('Rename')
    await expect.element(field).toHaveValue('All prices')
    await field.fill('Other')
    it.refusals.set('/ai-chat/conversations/rename', full)
    await userEvent.keyboard('{Enter}')
    await expect.poll(focused).toBe('Title')
    await userEvent.keyboard('{Escape}')
    await choose('Rename')
    await expect.element(field).toHaveValue('All prices')
  })

  test('rename in place: a refusal does not take the focus from a field in which the user writes', async () => {
    const { it, field } = await openRenamed()
    it.refusals.set('/ai-chat/conversations/rename', full)
    await message().click()

    await expect.element(reason()).toBeVisible()
    await expect.element(field).toHaveValue('All prices')
    expect(focused()).toBe('Message')
  })

  test('rename in place: a refused title waits while another conversation is open', async () => {
    const { it, field } = await openRenamed()
    const other = it.add({ title: 'Other' })
    const answer = Promise.withResolvers<void>()
    it.held.set('/ai-chat/conversations/rename', answer.promise)
    it.refusals.set('/ai-chat/conversations/rename', full)
    await userEvent.keyboard('{Enter}')
    it.module.conversationId = other
    await expect.element(page.getByRole('heading', { name: 'Other' })).toBeInTheDocument()
    answer.resolve()
    await expect.poll(() => it.refusals.size).toBe(0)
    await expect.element(field).not.toBeInTheDocument()

    it.module.conversationId = it.id
    await expect.element(reason()).toBeVisible()
    await choose('Rename')
    await expect.element(field).toHaveValue('All prices')
  })

  test.each([
    ['a changed title, which is stored', 'All prices', ['All prices']],
    ['an empty field, which changes nothing', ' ', []],
  ])('rename in place: a click elsewhere gets the focus, with %s', async (_, title, stored) => {
    const it = await open()
    await choose('Rename')
    await page.getByRole('textbox', { name: 'Title' }).fill(title)
    await message().click()

    await expect.element(page.getByRole('heading', { name: stored[0] ?? 'Prices' })).toBeInTheDocument()
    expect(focused()).toBe('Message')
    expect(it.to('/conversations/rename').map(({ body }) => body.title)).toEqual(stored)
  })

  test('pin and unpin', async () => {
    await open()
    await choose('Pin')
    await expect.element(list().getByRole('heading', { name: 'Pinned' })).toBeInTheDocument()

    await choose('Unpin')

    await expect.element(list().getByRole('heading', { name: 'Today' })).toBeInTheDocument()
  })

  test('delete, and take it back for a while', async () => {
    const it = await open()
    await choose('Delete')
    await expect.poll(links).toEqual([])
    await expect.element(page.getByRole('heading', { name: 'New conversation' })).toBeInTheDocument()

    await button('Undo').click()

    await expect.poll(links).toEqual(['Prices'])
    await expect.element(log()).toMatchTextContent('How much?')
    expect(it.to('/conversations/delete').map(({ body }) => body.deleted)).toEqual([true, false])
  })

  test('delete in another tab, and take it back there: it opens again here', async () => {
    const it = await open()
    const gone = { status: 404, code: 'conversation.notFound', message: 'This conversation does not exist.' }
    it.refusals.set('/ai-chat/conversations/messages', gone)
    await it.store.refresh()
    await expect.element(page.getByRole('heading', { name: 'New conversation' })).toBeInTheDocument()

    await entry('Prices').click()

    await expect.element(log()).toMatchTextContent('How much?')
  })

  test.each([
    ['the menu', () => choose('Unarchive')],
    ['the bar in place of the field', () => button('Unarchive').click()],
    ['the offer to undo', () => button('Undo').click()],
  ])('archive, said once, and unarchive by %s', async (_, unarchive) => {
    const it = await open()
    await choose('Archive')
    await expect.poll(() => said().element().textContent).toContain('This conversation is archived.')
    await expect.element(button('Undo')).toBeInTheDocument()

    await unarchive()

    await expect.element(message()).toBeInTheDocument()
    await expect.poll(focused).toBe('Message')
    expect(button('Undo').elements()).toEqual([])
    expect(it.to('/conversations/archive').map(({ body }) => body.archived)).toEqual([true, false])
  })

  test('archive, and unarchive by the offer from another conversation', async () => {
    const it = await open()
    const [id] = it.conversations.keys()
    await choose('Archive')
    await button('New conversation').first().click()
    await expect.element(page.getByRole('heading', { name: 'New conversation' })).toBeInTheDocument()

    await button('Undo').click()

    await expect.poll(links).toEqual(['Prices'])
    expect(it.to('/conversations/archive').map(({ body }) => body)).toEqual([
      { conversationId: id, archived: true },
      { conversationId: id, archived: false },
    ])
  })

  test('notifications, which the browser may deny', async () => {
    const ask = vi.spyOn(Notification, 'requestPermission').mockResolvedValueOnce('denied')
    await open()
    await choose('Notify me when answers are ready')
    await expect
      .element(page.getByText('The browser does not allow notifications of this page.').first())
      .toBeInTheDocument()

    ask.mockResolvedValueOnce('granted')
    await choose('Notify me when answers are ready')
    await expect.poll(() => said().element().textContent).toContain('You are notified while')
    await choose('Stop notifying me')
    await expect.poll(() => said().element().textContent).toContain('You are no longer notified.')
    ask.mockRestore()
  })

  test('instructions, with words that they are active', async () => {
    const it = await open()
    await choose('Instructions')
    const dialog = page.getByRole('dialog', { name: 'Instructions' })
    await dialog.getByRole('textbox', { name: 'Your instructions' }).fill('Be brief.')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await expect.element(page.getByText('Instructions active')).toBeInTheDocument()
    await expect.element(dialog).not.toBeInTheDocument()

    await choose('Instructions')
    await expect.element(dialog.getByRole('textbox', { name: 'Your instructions' })).toHaveValue('Be brief.')
    await dialog.getByRole('button', { name: 'Remove' }).click()

    await expect.element(page.getByText('Instructions active')).not.toBeInTheDocument()
    expect(it.to('/conversations/system-prompt').map(({ body }) => body.systemPrompt)).toEqual([
      'Be brief.',
      '',
    ])
  })

  test('instructions stand below the house style of the stage, where it has one', async () => {
    const it = stage()
    it.houseStyle = 'Lamps have names, never numbers.'
    mountModule(it, { conversationId: it.add() })
    await button('Instructions').click()
    const dialog = page.getByRole('dialog', { name: 'Instructions' })
    await dialog.getByText('House style of the site').click()

    await expect.element(dialog.getByText('Lamps have names, never numbers.')).toBeVisible()
  })

  test('says what the assistant may do for this user, what it asks first, and why not the rest', async () => {
    const it = stage()
    it.status = {
      usage: { todayTokens: 1_200, dailyTokens: 50_000, stage: null },
      tools: overview(undefined, 'en')
        .filter(({ name }) =>
          ['get_page_tree', 'update_record', 'fetch_logs', 'list_backend_users'].includes(name),
        )
        .map((tool) => ({
          ...tool,
          available: !['fetch_logs', 'list_backend_users'].includes(tool.name),
          reason: 'Only administrators may use it.',
        })),
    }
    mountModule(it, { conversationId: it.add() })
    await button('More actions').click()
    await page.getByRole('menuitem', { name: 'What can it do for me?' }).click()
    const dialog = page.getByRole('dialog', { name: 'What can it do for me?' })

    const share = dialog.getByRole('meter', { name: 'Used today: 1,200 of 50,000 tokens' })
    await expect.element(share).toHaveAttribute('max', '50000')
    expect((share.element() as HTMLMeterElement).value).toBe(1_200)
    expect(
      dialog
        .getByRole('heading', { level: 3 })
        .elements()
        .map((one) => one.parentElement?.innerText.split('\n')),
    ).toEqual([
      ['By itself, without changing anything', 'Page tree'],
      ['After you approve', 'Change a record'],
      ['Not for you', 'Only administrators may use it.', 'Log', 'Backend users'],
    ])
  })

  test('says nothing of tokens where a model counts none', async () => {
    const it = stage()
    it.status = { usage: { todayTokens: 0, dailyTokens: null, stage: null } }
    mountModule(it, { conversationId: it.add() })
    await button('More actions').click()
    await page.getByRole('menuitem', { name: 'What can it do for me?' }).click()

    await expect.element(page.getByText(/^It has your rights/)).toBeVisible()
    await expect.element(page.getByRole('dialog').getByText(/today/i)).not.toBeInTheDocument()
  })

  describe('shows the own last 30 days', () => {
    const sum = { failed: 0, calls: 2, cacheRead: 0, cacheWrite: 0 }
    const one = { ...sum, turns: 1, input: 1_000, output: 200, dollars: 0.02 }
    const other = { ...sum, turns: 2, input: 4_000, output: 1_000, dollars: 0.1 }
    const usage = {
      from: '2026-10-25',
      to: '2026-11-23',
      since: '2026-10-25',
      total: { ...sum, turns: 3, input: 5_000, output: 1_200, dollars: 0.12 },
      budget: { stage: null, user: 10_000 },
      unpriced: [],
      byModel: [{ ...other, key: 'claude', name: 'claude' }],
      byDay: [
        { ...one, key: '2026-11-02', name: null },
        { ...other, key: '2026-11-20', name: null },
      ],
    }
    const none = { ...sum, turns: 0, calls: 0, input: 0, output: 0, dollars: null }
    const shown = async (over: Stage['usage']) => {
      const it = stage()
      it.usage = over
      mountModule(it, { conversationId: it.add() })
      await button('More actions').click()
      await page.getByRole('menuitem', { name: 'What can it do for me?' }).click()
      await expect.poll(() => it.to('/usage')).toHaveLength(1)
      return it
    }
    const heading = page.getByRole('heading', { name: 'Your last 30 days' })
    const cells = () =>
      page
        .getByRole('dialog')
        .getByRole('row')
        .elements()
        .map((row) => [...row.children].map((cell) => cell.textContent))

    test('as a chart against the budget, with models, a table, and a file by the keyboard', async () => {
      const it = await shown(usage)

      const words = 'Tokens by day; most on 20 Nov: 5,000, 50% of your day’s budget.'
      const chart = page.getByRole('img', { name: words })
      await expect.element(chart).toBeVisible()
      const bars = [...chart.element().querySelectorAll('rect')].map((bar) => bar.getAttribute('height'))
      expect(bars).toHaveLength(30)
      expect(bars.filter((height) => height !== '0')).toEqual(['12', '50'])
      await expect.element(page.getByText('Answered by claude.')).toBeVisible()
      expect(cells()).toEqual([
        ['Day (UTC)', 'Turns', 'Tokens', 'Cost'],
        ['20 Nov', '2', '5,000', '$0.10'],
        ['2 Nov', '1', '1,200', '$0.02'],
        ['Total', '3', '6,200', '$0.12'],
      ])
      const { query } = it.to('/usage')[0] as { query: URLSearchParams }
      expect(Date.parse(query.get('to') ?? '') - Date.parse(query.get('from') ?? '')).toBe(29 * 86_400_000)

      ;(button('Save as CSV').element() as HTMLElement).focus()
      await userEvent.keyboard('{Enter}')
      await expect.poll(() => it.to('/usage/export')).toHaveLength(1)
    })

    test('by turns where no model counts tokens', async () => {
      const counted = { ...none, turns: 2, calls: 2 }
      await shown({ ...usage, total: counted, byDay: [{ ...counted, key: '2026-11-02', name: null }] })

      await expect.element(page.getByRole('img', { name: 'Turns by day; most on 2 Nov: 2.' })).toBeVisible()
      expect(cells()[0]).toEqual(['Day (UTC)', 'Turns'])
    })

    test('in words where there are no figures yet, and not at all where the settings show none', async () => {
      await shown({ ...usage, total: none, byModel: [], byDay: [] })
      await expect.element(heading).toBeVisible()
      await expect.element(page.getByText('No figures yet.')).toBeVisible()

      clear()
      await shown(null)
      await expect.element(page.getByRole('dialog')).toBeVisible()
      await expect.element(heading).not.toBeInTheDocument()
    })
  })

  test('instructions that are written but not stored: Escape keeps them, Cancel discards them', async () => {
    await open()
    await choose('Instructions')
    const dialog = page.getByRole('dialog', { name: 'Instructions' })
    const field = dialog.getByRole('textbox', { name: 'Your instructions' })
    await field.fill('Be brief.')
    await userEvent.keyboard('{Escape}')
    await userEvent.keyboard('{Escape}')
    // As the back gesture of a phone does.
    ;(dialog.element() as HTMLDialogElement).requestClose()
    await expect.element(field).toHaveValue('Be brief.')

    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await expect.element(dialog).not.toBeInTheDocument()
    await choose('Instructions')
    await expect.element(field).toHaveValue('')
    await userEvent.keyboard('{Escape}')
    await expect.element(dialog).not.toBeInTheDocument()
  })

  test('instructions that get no answer say that they may not be stored', async () => {
    const it = await open()
    await choose('Instructions')
    const dialog = page.getByRole('dialog', { name: 'Instructions' })
    await dialog.getByRole('textbox', { name: 'Your instructions' }).fill('Be brief.')
    it.isOffline = true
    await dialog.getByRole('button', { name: 'Save' }).click()

    await expect
      .element(dialog.getByRole('alert'))
      .toHaveTextContent('No answer came. Check whether it was done before you try again.')
  })

  test('instructions in two tabs, of which each is stored for itself', async () => {
    const it = await open()
    await choose('Instructions')
    const dialog = page.getByRole('dialog', { name: 'Instructions' })
    const tab = (name: string) => dialog.getByRole('tab', { name })
    await expect.element(tab('This conversation')).toHaveAttribute('aria-selected', 'true')
    await dialog.getByRole('textbox', { name: 'Your instructions' }).fill('Be brief.')
    await tab('This conversation').click()
    await userEvent.keyboard('{ArrowRight}')
    await expect.poll(focused).toBe('All conversations')
    await expect.element(dialog.getByRole('textbox', { name: 'Your instructions' })).not.toBeInTheDocument()
    await dialog.getByRole('textbox', { name: 'For all your conversations' }).fill('Call me Kim.')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await expect.element(dialog).not.toBeInTheDocument()
    expect([
      it.instructions,
      it.to('/conversations/system-prompt').map(({ body }) => body.systemPrompt),
    ]).toEqual(['Call me Kim.', ['Be brief.']])

    await choose('Instructions')
    await tab('All conversations').click()
    await dialog.getByRole('button', { name: 'Remove' }).click()
    await expect.element(dialog).not.toBeInTheDocument()
    expect(it.instructions).toBe('')
    await expect.element(page.getByText('Instructions active')).toBeInTheDocument()
  })

  test('say that the window of the model is nearly full, and nothing before', async () => {
    const it = stage()
    const add = (title: string) => it.add({ title }, [{ role: 'user', content: title }])
    const [half, full] = [add('Half'), add('Full')]
    it.change(half, {}, { windowPercent: 50 })
    it.change(full, {}, { windowPercent: 83 })
    const module = mountModule(it, { conversationId: half })
    const notes = async (title: string) => {
      await expect.element(log()).toMatchTextContent(title)
      await button('More actions').click()
      await expect.element(page.getByRole('menuitem', { name: 'Rename' })).toBeInTheDocument()
      const items = page.getByRole('menuitem', { name: /^(?:Nearly|Model)/ }).elements()
      await userEvent.keyboard('{Escape}')
      return items.map((item) => item.textContent?.trim())
    }
    expect(await notes('Half')).toEqual(['Model: claude'])

    module.conversationId = full
    expect(await notes('Full')).toEqual(['Model: claude', 'Nearly full: 83% of the model’s memory is used'])
  })

  test.each([
    [{ tokens: 1_200, dollars: null }, 'Used: 1,200 tokens'],
    [{ tokens: 1_200, dollars: 0.0523, unpriced: false }, 'Used: 1,200 tokens, about $0.05'],
    [{ tokens: 1_200, dollars: null, unpriced: true }, 'Used: 1,200 tokens, no prices'],
  ])('say of a usage of %j: %s', async (usage, said) => {
    const it = stage()
    const id = it.add({}, [{ role: 'user', content: 'Hello' }])
    it.change(id, {}, { usage })
    mountModule(it, { conversationId: id })
    await expect.element(log()).toMatchTextContent('Hello')

    await button('More actions').click()

    await expect.element(page.getByRole('menuitem', { name: said, exact: true })).toBeInTheDocument()
  })

  test('are a menu for the keyboard', async () => {
    await open()
    await button('More actions').click()
    await expect.poll(focused).toBe('Rename')
    await userEvent.keyboard('{ArrowDown}{ArrowDown}')
    expect(focused()).toBe('Archive')
    await userEvent.keyboard('{End}')
    expect(focused()).toBe('Model: claude')
    await userEvent.keyboard('{ArrowUp}')
    expect(focused()).toBe('Delete')
    await userEvent.keyboard('e')
    expect(focused()).toBe('Export')

    await userEvent.keyboard('{Escape}')

    expect(focused()).toBe('More actions')
    await expect.element(page.getByRole('menu')).not.toBeInTheDocument()
  })
})

describe('a long conversation', () => {
  const long = (it: ReturnType<typeof stage>) =>
    it.add(
      {},
      Array.from({ length: 500 }, (_, turn) => [
        { role: 'user' as const, content: `Question ${turn}` },
        { role: 'assistant' as const, content: `Answer ${turn}`, runId: `run-${turn}` },
      ]).flat(),
    )
  const articles = () => page.getByRole('article').elements().length

  test('opens at its end with a window of it, and gives more on demand', async () => {
    const it = stage()
    mountModule(it, { conversationId: long(it) })
    await expect.element(log()).toMatchTextContent('Answer 499')
    expect(articles()).toBe(60)
    const pane = log().element()
    await expect.poll(() => pane.scrollHeight - pane.scrollTop - pane.clientHeight).toBeLessThan(2)

    await button('Earlier messages').click()

    await expect.poll(articles).toBe(120)
    await expect.element(log()).toMatchTextContent('Question 440')
    expect(it.to('/conversations/messages').at(-1)?.query.get('before')).toBe('940')
  })

  test('keeps its place when older messages come after the window has changed its size', async () => {
    onTestFinished(() => page.viewport(1280, 800))
    const it = stage()
    mountModule(it, { conversationId: long(it) })
    await expect.poll(articles).toBe(60)
    const oldest = page.getByText('Question 470', { exact: true })
    await scrolled(toTop, () => oldest.elements().length).toBe(1)
    const gate = Promise.withResolvers<void>()
    it.held.set('/ai-chat/conversations/messages', gate.promise)
    await button('Earlier messages').click()
    const height = log().element().scrollHeight
    await page.viewport(1280, 500)
    const pad = document.createElement('style')
    pad.textContent = '.bubble { padding-block: 40px !important }'
    document.querySelector('ai-chat-module')?.shadowRoot?.append(pad)
    await page.viewport(1280, 520)
    await expect.poll(() => log().element().scrollHeight).toBeGreaterThan(height)
    await new Promise(requestAnimationFrame)
    const place = () =>
      Math.abs(oldest.element().getBoundingClientRect().top - log().element().getBoundingClientRect().top)
    expect(place()).toBeLessThan(400)
    gate.resolve()

    await expect.poll(articles).toBe(120)
    await expect.poll(place).toBeLessThan(400)
  })

  test('has its old rows as text alone, and whole when they come near', async () => {
    const it = stage()
    mountModule(it, { conversationId: long(it) })
    await button('Earlier messages').click()
    await expect.poll(articles).toBe(120)
    const edits = () => page.getByRole('button', { name: 'Edit message' }).elements().length
    const before = edits()

    await scrolled(toTop, edits).toBeGreaterThan(before)
    await expect
      .element(
        page
          .getByRole('article')
          .filter({ hasText: 'Question 440' })
          .getByRole('button', { name: 'Edit message' }),
      )
      .toBeInTheDocument()
  })

  test('opens where its reader was, also beyond the first window', async () => {
    const it = stage()
    const id = long(it)
    const anchor = { conversationId: id, sequence: 800, offset: 10 }
    localStorage.setItem(`aic:v1:${it.uid}`, JSON.stringify({ anchor }))
    mountModule(it, { conversationId: id })

    await expect.element(page.getByText('Question 400', { exact: true })).toBeInTheDocument()
    const top = () =>
      page.getByText('Question 400', { exact: true }).element().closest('article')?.getBoundingClientRect()
        .top ?? 0
    await expect.poll(() => Math.round(top() - log().element().getBoundingClientRect().top)).toBe(10)
  })

  test('lets a long answer be read to its end', async () => {
    const it = stage()
    const id = it.add({ status: 'locked' }, [{ role: 'user', content: 'Tell me' }])
    const module = mountModule(it, { conversationId: id })
    await expect.element(log()).toMatchTextContent('Tell me')
    it.finish(id, `Begin\n\n${'A line of it.\n\n'.repeat(60)}End`)
    await expect.element(log()).toMatchTextContent('End')
    const element = log().element()
    const below = () => element.scrollHeight - element.scrollTop - element.clientHeight
    await expect.poll(below).toBeGreaterThan(200)

    let hasEnded = false
    element.addEventListener('scrollend', () => {
      hasEnded ||= below() < 2
    })
    await scrolled(
      () => {
        element.scrollTop = element.scrollHeight
      },
      () => hasEnded,
    ).toBe(true)
    await expect.poll(below).toBeLessThan(2)
    module.requestUpdate()
    await module.updateComplete
    expect(below()).toBeLessThan(2)

    await message().fill('One\nTwo\nThree\nFour')
    await expect.poll(below).toBeLessThan(2)

    const other = it.add({ title: 'Other' })
    module.show(other)
    await expect.element(log()).not.toMatchTextContent('End')
    module.show(id)
    await expect.element(log()).toMatchTextContent('End')
    await module.updateComplete
    module.requestUpdate()
    await module.updateComplete
    const reopened = log().element()
    expect(reopened.scrollHeight - reopened.scrollTop - reopened.clientHeight).toBeLessThan(2)
  })

  test('ends with the last line of an answer of which only the line above it has no room', async () => {
    const answer = 'A line of it.\n\n'.repeat(12)
    const it = stage()
    const [known, next] = [it.add({}, [{ role: 'assistant', content: answer }]), it.add({ status: 'locked' })]
    const module = mountModule(it, { conversationId: known })
    const last = () => page.getByRole('article').last().element() as HTMLElement
    await expect.element(page.getByRole('button', { name: 'Copy answer' })).toBeInTheDocument()
    const { innerWidth, innerHeight } = window
    onTestFinished(() => page.viewport(innerWidth, innerHeight))
    const below = () => log().element().getBoundingClientRect().bottom - last().getBoundingClientRect().bottom
    const hiddenPx = 20
    const restPx = Number.parseFloat(getComputedStyle(last().parentElement as Element).paddingBlockEnd)
    const tooMuch = log().element().clientHeight - last().offsetHeight - restPx + hiddenPx
    await page.viewport(innerWidth, Math.round(innerHeight - tooMuch))
    it.say(next, { role: 'user', content: 'Question' })
    module.show(next)
    await expect.element(log()).toMatchTextContent('Question')

    it.finish(next, answer)

    await expect.element(page.getByRole('button', { name: 'Copy answer' })).toBeInTheDocument()
    const fadePx = 20
    await expect.poll(below).toBeGreaterThanOrEqual(fadePx)
  })

  test('stays at its end when the window gets narrower, and wider', async () => {
    const it = stage()
    const answers = Array.from({ length: 6 }, () => 'A line that has words enough to break. '.repeat(8))
    const id = it.add(
      {},
      answers.flatMap((content, turn) => [
        { role: 'user' as const, content: `Question ${turn}` },
        { role: 'assistant' as const, content, runId: `run-${turn}` },
      ]),
    )
    mountModule(it, { conversationId: id })
    await expect.element(log()).toMatchTextContent('Question 5')
    const pane = log().element()
    const below = () => pane.scrollHeight - pane.scrollTop - pane.clientHeight
    await expect.poll(below).toBeLessThan(2)
    const { innerWidth, innerHeight } = window
    onTestFinished(() => page.viewport(innerWidth, innerHeight))
    const height = pane.scrollHeight

    await page.viewport(390, innerHeight)

    await expect.poll(() => pane.scrollHeight).toBeGreaterThan(height)
    await expect.poll(below).toBeLessThan(2)
    // Rows away from the screen have their own height only once they were near it.
    const narrow = pane.scrollHeight
    await page.viewport(innerWidth, innerHeight)
    await expect.poll(() => pane.scrollHeight).toBeLessThan(narrow)
    await expect.poll(below).toBeLessThan(2)
  })

  test('stays at its end when it scrolled in the moment in which it gets narrower', async () => {
    const it = stage()
    const rows = Array.from({ length: 6 }, (_, at) => [
      { role: 'user' as const, content: `Question ${at}` },
      { role: 'assistant' as const, content: 'A line that has words enough to break. '.repeat(8) },
    ])
    const module = mountModule(it, { conversationId: it.add({}, rows.flat()) })
    await expect.element(log()).toMatchTextContent('Question 5')
    const pane = log().element()
    const below = () => pane.scrollHeight - pane.scrollTop - pane.clientHeight
    await expect.poll(below).toBeLessThan(2)

    module.style.setProperty('display', 'block')
    module.style.setProperty('width', '390px')
    expect(below()).toBeGreaterThan(100)
    pane.dispatchEvent(new Event('scroll'))

    await expect.poll(below).toBeLessThan(2)
  })

  test('keeps its place while more comes in, and says how much', async () => {
    const it = stage()
    const id = long(it)
    it.change(id, { status: 'locked' })
    mountModule(it, { conversationId: id })
    await expect.element(log()).toMatchTextContent('Answer 499')
    const pane = log().element()
    await scrolled(
      () => {
        pane.scrollTop = 200
      },
      () => button('To the newest message').query(),
    ).not.toBeNull()
    const read = page.getByText('Question 472', { exact: true }).element()
    read.scrollIntoView({ block: 'center' })
    const place = () => read.getBoundingClientRect().top
    // Rows get their real height when they come into view, with the next frame or the one after it.
    const frame = () => new Promise(requestAnimationFrame)
    let before = 0
    await expect
      .poll(async () => {
        await frame()
        await frame()
        const isStill = place() === before
        before = place()
        return isStill
      })
      .toBe(true)

    it.say(id, { role: 'user', content: 'Late question' })
    it.finish(id, 'Late answer')

    await expect.element(button('2 new messages')).toBeInTheDocument()
    expect(Math.abs(place() - before)).toBeLessThan(4)
    await button('2 new messages').click()
    await expect.element(button('2 new messages')).not.toBeInTheDocument()
  })
})
