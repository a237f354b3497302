import { describe, expect, test } from 'vitest'
import { joinStage } from '../../infra/local/environment.ts'
import { chatIn, hasFocus, requestsTo } from '../support/chat.ts'
import { isOver } from '../support/http.ts'
import { scriptedScene } from '../support/scene.ts'
import { storedWith } from '../support/seeded.ts'

const { enter, api, client, stage } = scriptedScene()

async function opened(path = '/backend/chat') {
  const { page } = await enter('editor', path, { permissions: ['clipboard-read', 'clipboard-write'] })
  const module = chatIn(page, 'module')
  await module.message.waitFor()
  return { page, module, clipboard: () => page.evaluate(() => navigator.clipboard.readText()) }
}

/** An answer that waits until the test says so. */
function held(text: string) {
  const gate = Promise.withResolvers<void>()
  api().reply(async () => {
    await gate.promise
    return { text }
  })
  return gate.resolve
}

const isInSight = (it: Element) => {
  const { top } = it.getBoundingClientRect()
  return top > 0 && top < innerHeight
}

const reading = { calls: [{ name: 'get_page_content', arguments: { page: 3 } }] }

describe('in the background', () => {
  /** Pages that write down what the browser would show, and that say when they are out of view. */
  const watched = `
    window.shown = []
    window.Notification = class {
      static requestPermission = async () => 'granted'
      constructor(title, { body, tag }) { window.shown.push({ title, body, tag, of: this }) }
      close() {}
    }
    window.hide = (isHidden) => {
      Object.defineProperty(document, 'visibilityState', { get: () => isHidden ? 'hidden' : 'visible', configurable: true })
      document.dispatchEvent(new Event('visibilitychange'))
    }
    window.told = () => window.shown.map(({ title, body }) => [title, body])`

  test('a browser that lets no page notify, as on Android, says so by the menu, and nothing breaks', async () => {
    const { page, complaints } = await enter('editor', '/backend/chat')
    const module = chatIn(page, 'module')
    await page.addInitScript(`${watched}
      window.Notification = class {
        static requestPermission = async () => 'granted'
        constructor() { throw new TypeError('Illegal constructor. Use ServiceWorkerRegistration.showNotification() instead.') }
      }`)
    await page.reload()
    await module.more('Notify me when answers are ready')
    const answer = held('Done.')
    await module.ask('What do lamps cost?')
    await module.button('Stop').waitFor()
    await page.evaluate('hide(true)')
    answer()
    const id = () => new URL(page.url()).pathname.split('/').at(-1) ?? ''
    await (await client('editor')).until(id(), isOver)
    await page.evaluate(() => dispatchEvent(new Event('online')))

    const stored = () => page.evaluate(() => localStorage.getItem('aic:v1:2') ?? '')
    await expect.poll(stored).toContain('"notifies":false')
    expect(complaints).toEqual([])
  })

  test('the browser notifies of the end of a turn once, without a word of it, and leads to the conversation', async () => {
    const { page, module } = await opened()
    const second = await page.context().newPage()
    for (const it of [page, second]) await it.addInitScript(watched)
    await page.reload()
    await module.more('Notify me when answers are ready')
    await expect.poll(() => module.root.getByText('You are notified').count()).toBe(1)
    const answer = held('A secret answer.')
    await module.ask('What do lamps cost?')
    await module.button('Stop').waitFor()
    await page.waitForURL(/\/chat\/\d/)
    const address = page.url()
    await second.goto(address)
    await chatIn(second, 'module').button('Stop').waitFor()
    for (const it of [page, second]) await it.evaluate('hide(true)')

    answer()
    await (await client('editor')).until(address.split('/').at(-1) ?? '', isOver)
    // Sooner than a page that is out of view asks by itself.
    for (const it of [page, second]) await it.evaluate(() => dispatchEvent(new Event('online')))
    const told = async () => (await Promise.all([page, second].map((it) => it.evaluate('told()')))).flat()
    await expect.poll(told).toEqual([['What do lamps cost?', 'The answer is ready.']])

    const teller = (await page.evaluate('shown.length')) === 1 ? page : second
    const chat = chatIn(teller, 'module')
    await teller.evaluate('hide(false)')
    await chat.history.getByRole('button', { name: 'New conversation' }).click()
    await expect.poll(() => teller.url()).not.toBe(address)
    await teller.evaluate('shown[0].of.onclick()')
    await expect.poll(() => teller.url()).toBe(address)
    await chat.answer('A secret answer.').waitFor()
    expect(await told()).toHaveLength(1)

    const gate = Promise.withResolvers<void>()
    api().reply(async () => {
      await gate.promise
      return {
        calls: [{ name: 'update_record', arguments: { table: 'news', uid: 2, fields: { title: 'New' } } }],
      }
    })
    await chat.ask('Change the news')
    await chat.button('Stop').waitFor()
    for (const it of [page, second]) await it.evaluate('hide(true)')
    gate.resolve()
    const waits = (poll: { conversation: { status: string } }) =>
      poll.conversation.status === 'awaiting_approval'
    await (await client('editor')).until(address.split('/').at(-1) ?? '', waits)
    for (const it of [page, second]) await it.evaluate(() => dispatchEvent(new Event('online')))
    const waiting = ['What do lamps cost?', 'It waits for you.']
    await expect.poll(told).toContainEqual(waiting)
    expect(await told()).toHaveLength(2)
    await second.close()
  })
})

describe('while a turn runs', () => {
  test('its steps are listed in words, and afterwards they are behind a button', async () => {
    const { module } = await opened()
    api().reply(reading)
    const answer = held('It is a lamp.')
    await module.ask('What is page 3 about?')

    const steps = module.steps.getByRole('listitem')
    await steps.filter({ hasText: 'Planning the next step' }).waitFor()
    await steps.filter({ hasText: 'Read page content' }).waitFor()
    await expect
      .poll(async () => (await steps.locator('.what').allTextContents()).map((text) => text.trim()))
      .toEqual([
        'Planned the next step',
        expect.stringMatching(/^Read page content\s+Aurora lamp \[3\]$/),
        'Planning the next step',
      ])
    answer()
    await module.answer('It is a lamp.').waitFor()
    await expect.poll(() => module.steps.count()).toBe(0)

    await module.button(/^3 steps, \d+ s$/).click()
    await expect.poll(() => steps.count()).toBe(3)
    await module.steps.getByText('Read page content').click()
    await module.steps.getByText('get_page_content', { exact: true }).waitFor()
    await module.steps.getByText('{ "page": 3 }').waitFor()
  })

  test('Stop ends it, and what was done is kept', async () => {
    const { module } = await opened()
    api().reply(reading)
    held('This is never shown.')
    await module.ask('Take long')
    await module.steps.getByText('Read page content').waitFor()
    await module.button('Stop').click()

    await module.log.getByText('Stopped. What was done until then is kept.').waitFor()
    await module.button('Send').waitFor()
    await expect.poll(() => hasFocus(module.message)).toBe(true)
    expect(await module.root.getByText('This is never shown.').count()).toBe(0)
  })

  test('a reload loses nothing of it', async () => {
    const { page, module } = await opened()
    api().reply(reading)
    const answer = held('Here I am again.')
    await module.ask('Will you survive?')
    await module.steps.getByText('Read page content').waitFor()
    await page.reload()

    await module.steps.getByText('Read page content').waitFor()
    await module.button('Stop').waitFor()
    answer()
    await module.answer('Here I am again.').waitFor()
    await expect.poll(() => module.own.count()).toBe(1)
  })

  test('its answer goes to its own conversation, whatever is shown meanwhile', async () => {
    const { module } = await opened()
    const answer = held('Meant for the first.')
    await module.ask('The first question')
    await api().received(1)
    await module.history.getByRole('button', { name: 'New conversation' }).click()
    await module.conversation('The first question').getByText('Working').waitFor()
    api().reply({ text: 'Meant for the second.' })
    await module.ask('The second question')
    await module.answer('Meant for the second.').waitFor()
    answer()

    await module.conversation('The first question').click()
    await module.answer('Meant for the first.').waitFor()
    // What was said of the second one may still be in the live region.
    expect(await module.log.getByText('Meant for the second.').count()).toBe(0)
  })

  test('the next message can be written, and is sent when the turn is over', async () => {
    const { module } = await opened()
    const answer = held('One.')
    await module.ask('First')
    // Until the stage has the first message, a second one is not taken.
    await module.button('Stop').waitFor()
    await module.ask('Second')
    const waiting = module.root.getByRole('group', { name: 'Next' }).getByRole('textbox')
    expect([await waiting.inputValue(), await module.message.inputValue(), await module.own.count()]).toEqual(
      ['Second', '', 1],
    )
    api().reply({ text: 'Two.' })

    answer()

    await module.answer('One.').waitFor()
    await module.answer('Two.').waitFor()
    await expect.poll(() => module.own.count()).toBe(2)
  })
})

describe('a failed turn', () => {
  test('says what happened, with a reference to copy, and goes on with Retry', async () => {
    const { module, clipboard } = await opened()
    api().reply(reading, { fault: 'status', status: 400, message: 'no' })
    await module.ask('Please fail')
    await module.root
      .getByRole('heading', { name: 'The language model did not accept the request' })
      .waitFor()
    await module.steps.getByText('Read page content').waitFor()
    await module.history.getByText(/^Failed, /).waitFor()
    const reference = await module.root.getByText('Reference').getByRole('code').textContent()
    await module.button('Copy reference').click()
    await expect.poll(clipboard).toBe(reference)

    api().reply({ text: 'Better now.' })
    await module.button('Retry').click()

    await module.answer('Better now.').waitFor()
    await expect.poll(() => module.button('Retry').count()).toBe(0)
    await expect.poll(() => module.own.count()).toBe(1)
  })

  test('is asked in other words with Edit message', async () => {
    const { module } = await opened()
    api().reply({ fault: 'status', status: 401, message: 'invalid x-api-key' })
    await module.ask('A question')
    const card = module.root.getByRole('region', {
      name: 'The language model denied this installation access',
    })
    await card.getByRole('button', { name: 'Edit message' }).click()
    api().reply({ text: 'An answer.' })
    await module.root.getByRole('textbox', { name: 'Edit message' }).fill('A better question')
    await module.button('Save and send').click()

    await module.answer('An answer.').waitFor()
    await expect
      .poll(() => module.own.allTextContents())
      .toEqual([expect.stringContaining('A better question')])
    await expect.poll(() => card.count()).toBe(0)
  })
})

describe('an own message', () => {
  test('is edited in place: Cancel leaves it, Save and send leaves what followed as a version', async () => {
    const { module } = await opened()
    api().reply({ text: 'Blue.' }, { text: 'Deep blue.' })
    await module.ask('Which colour?')
    await module.answer('Blue.').waitFor()
    await module.ask('More exactly?')
    await module.answer('Deep blue.').waitFor()

    const first = module.own.first()
    const field = module.root.getByRole('textbox', { name: 'Edit message' })
    await first.getByRole('button', { name: 'Edit message' }).click()
    await expect.poll(() => hasFocus(field)).toBe(true)
    await field.fill('Something else')
    await first.getByRole('button', { name: 'Cancel' }).click()
    await expect.poll(() => first.textContent()).toContain('Which colour?')

    await first.getByRole('button', { name: 'Edit message' }).click()
    await field.fill('Which shape?')
    api().reply({ text: 'Round.' })
    await first.getByRole('button', { name: 'Save and send' }).click()

    await module.answer('Round.').waitFor()
    await expect.poll(() => module.own.count()).toBe(1)
    await expect.poll(() => module.answers.count()).toBe(1)

    await first.getByRole('button', { name: 'Version before' }).press('Enter')
    await module.answer('Deep blue.').waitFor()
    await expect.poll(() => module.own.count()).toBe(2)
    await first.getByText('1 of 2').waitFor()
    await expect.poll(() => hasFocus(first.getByRole('button', { name: 'Version before' }))).toBe(true)
  })

  test('is still there as it was being edited after a reload, until Cancel', async () => {
    const { module, page } = await opened()
    api().reply({ text: 'Blue.' })
    await module.ask('Which colour?')
    await module.answer('Blue.').waitFor()
    const field = module.root.getByRole('textbox', { name: 'Edit message' })
    await module.button('Edit message').click()
    await field.fill('Which shape, and what does it')
    await page.reload()
    await module.answer('Blue.').waitFor()

    await module.button('Edit message').click()
    await expect.poll(() => field.inputValue()).toBe('Which shape, and what does it')
    await module.button('Cancel').click()
    await module.button('Edit message').click()
    await expect.poll(() => field.inputValue()).toBe('Which colour?')
  })

  test('is asked again with Try again, and each answer stays, also over a reload', async () => {
    const { module, page } = await opened()
    api().reply({ text: 'Blue.' }, { text: 'Green.' })
    await module.ask('Which colour?')
    await module.answer('Blue.').getByRole('button', { name: 'Try again' }).press('Enter')
    await module.answer('Green.').waitFor()
    await page.reload()

    await module.answer('Green.').waitFor()
    const versions = module.root.getByRole('group', { name: 'Versions' })
    await versions.getByText('2 of 2').waitFor()
    await versions.getByRole('button', { name: 'Version before' }).press('Enter')
    await module.answer('Blue.').waitFor()
    await versions.getByRole('button', { name: 'Next version' }).press('Enter')
    await module.answer('Green.').waitFor()
  })
})

test('a long conversation opens at its end with at most 100 articles, and shows earlier ones on demand', async () => {
  process.env.AI_CHAT_DATA = stage().folder
  joinStage()
  const { id } = await storedWith(Array.from({ length: 150 }, (_, n) => `Entry ${n}.`))
  const { module } = await opened(`/backend/chat/${id}`)
  const articles = () => module.log.getByRole('article').count()
  await module.root.getByText('Entry 149.').waitFor()
  await expect.poll(() => articles()).toBeLessThanOrEqual(100)
  await expect.poll(() => module.root.getByText('Entry 149.').isVisible()).toBe(true)
  await expect.poll(() => module.root.getByText('Entry 0.', { exact: true }).count()).toBe(0)

  const first = module.log.getByRole('article').first()
  await first.scrollIntoViewIfNeeded()
  await first.evaluate((it) => it.setAttribute('data-was-first', ''))
  const before = await articles()
  await module.button('Earlier messages').click()
  await expect.poll(articles).toBeGreaterThan(before)
  await expect.poll(() => module.log.locator('[data-was-first]').evaluate(isInSight)).toBe(true)
  await module.button('Earlier messages').click()

  await module.root.getByText('Entry 0.', { exact: true }).waitFor({ state: 'attached' })
  await expect.poll(() => articles()).toBe(150)
})

test('that ends while the page is hidden marks the title until the user looks, and is announced then', async () => {
  const { page, open } = await enter('editor')
  await page.clock.install()
  await open('/backend/chat')
  const module = chatIn(page, 'module')
  await module.message.waitFor()
  const answer = held('Done meanwhile.')
  await module.ask('Take your time')
  await module.steps.waitFor()
  const id = new URL(page.url()).pathname.split('/').at(-1) ?? ''
  const turn = async (visibility: 'hidden' | 'visible') =>
    page.evaluate((state) => {
      Object.defineProperty(document, 'visibilityState', { value: state, configurable: true })
      Object.defineProperty(document, 'hidden', { value: state === 'hidden', configurable: true })
      document.dispatchEvent(new Event('visibilitychange'))
    }, visibility)
  await turn('hidden')
  answer()
  await (await client('editor')).until(id, isOver)
  const polls = requestsTo(page, '/conversations/messages')

  await page.clock.fastForward(31_000)
  await expect.poll(() => page.title()).toBe('AI Chat (1), Northlight')
  expect(polls).toEqual([])

  await page.clock.fastForward(3_000)
  await turn('visible')
  await expect.poll(() => page.title()).toBe('AI Chat, Northlight')
  await module.answer('Done meanwhile.').waitFor()
  await module.root.getByRole('status').filter({ hasText: 'Answer ready: Done meanwhile.' }).waitFor()
})

test('when it is over, nothing is asked any more', async () => {
  const { page, open } = await enter('editor')
  await page.clock.install()
  await open('/backend/chat')
  const module = chatIn(page, 'module')
  api().reply({ text: 'Done.' })
  await module.ask('Short one')
  await module.answer('Done.').waitFor()
  const id = new URL(page.url()).pathname.split('/').at(-1) ?? ''
  await (await client('editor')).until(id, isOver)
  await page.waitForLoadState('networkidle')
  const asked: string[] = []
  page.on('request', (request) => {
    // Parts of the page that come ahead of their use are scripts; only the service is asked by fetch.
    if (request.resourceType() === 'fetch') asked.push(request.url())
  })

  await page.clock.fastForward(120_000)

  await page.waitForLoadState('networkidle')
  expect(asked).toEqual([])
})

test('a page that is made ready takes one approval, says its date in the zone of the user, and one undo', async () => {
  const from = `${new Date(Date.now() + 7 * 86_400_000).toISOString().slice(0, 10)}T02:30:00Z`
  const call = (id: string, name: string, args: object) => ({ id, name, arguments: args })
  const calls = [
    call('make', 'create_page_draft', { parent: 3, title: 'Lantern walk' }),
    call('text', 'create_content_draft', { page: 'new:1', type: 'text', header: 'Come along' }),
    call('german', 'translate_record', {
      ...{ table: 'pages', uid: 'new:1', locale: 'de', fields: { title: 'Laternenumzug' } },
    }),
    call('plan', 'set_state', { table: 'pages', uid: 'new:1', state: 'scheduled', from }),
  ]
  api().reply({ calls }, { text: 'The walk is ready.' })
  const { page } = await enter('editor', '/backend/chat', { timezoneId: 'Asia/Kolkata' })
  const module = chatIn(page, 'module')
  await module.message.waitFor()
  await module.ask('Get the lantern walk ready')

  const card = module.root.getByRole('region', { name: '4 changes' })
  await card.getByRole('heading', { name: '4. Plan when visitors see “Lantern walk”' }).waitFor()
  await card.getByText(/Visitors see it from .* at 08:00 \S+, in [67] days\./).waitFor()
  await card.getByText('stays hidden until it is published itself').waitFor()
  await module.root.getByRole('checkbox', { name: /^Include: Create hidden content/ }).uncheck()
  await module.button('Approve 3 of 4').click()
  await module.answer('The walk is ready.').waitFor()

  const row = module.log.locator('[data-outcome]')
  await row.getByText('3 of 4 records were changed.').waitFor()
  await row.getByRole('button', { name: 'Undo', exact: true }).first().click()
  await row.getByText('Undone.').waitFor()
  const { body } = await (await client('editor')).get('/backend/pages', { root: 3 })
  expect(JSON.stringify(body)).not.toContain('Lantern walk')
})
