import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { button, clear, message, mountModule, stage } from './mount.ts'

afterEach(clear)

const lost = () => page.getByText(/^No connection/).first()
const unsent = () => page.getByRole('article', { name: 'You, not sent' })
const own = (text: string) => page.getByRole('article', { name: /^You, \d/ }).filter({ hasText: text })

describe('without a connection', () => {
  test('a message stays as not sent, and goes out once by itself when there is one again', async () => {
    const it = stage()
    mountModule(it)
    await expect.element(page.getByText('What would you like to know?')).toBeInTheDocument()
    it.isOffline = true
    await message().fill('Hello')
    await userEvent.keyboard('{Enter}')
    await expect.element(unsent()).toMatchTextContent('Hello')
    await expect.element(lost()).toBeInTheDocument()

    await message().fill('Half a sentence')
    it.isOffline = false
    dispatchEvent(new Event('online'))

    await expect.element(own('Hello')).toBeInTheDocument()
    await expect.element(lost()).not.toBeInTheDocument()
    await expect.element(message()).toHaveValue('Half a sentence')
    const keys = it.to('/conversations/send').map(({ key }) => key)
    expect(new Set(keys).size).toBe(1)
    expect(it.conversations.size).toBe(1)
  })

  test('messages stay together: the second waits for the turn of the first, in the same conversation', async () => {
    const it = stage()
    mountModule(it)
    await expect.element(page.getByText('What would you like to know?')).toBeInTheDocument()
    it.isOffline = true
    for (const [at, words] of ['First', 'Second'].entries()) {
      await message().fill(words)
      await userEvent.keyboard('{Enter}')
      await expect.element(unsent().nth(at)).toMatchTextContent(words)
    }

    it.isOffline = false
    dispatchEvent(new Event('online'))

    await expect.element(own('First')).toBeInTheDocument()
    await expect.element(page.getByRole('textbox', { name: 'Next message 1' })).toHaveValue('Second')
    expect(unsent().elements()).toEqual([])
    expect(it.conversations.size).toBe(1)
  })

  test('to the chat alone, attempts become fewer as without any', async () => {
    const it = stage()
    const id = it.add({ status: 'locked' }, [{ role: 'user', content: 'Hello' }])
    mountModule(it, { conversationId: id })
    await expect.element(own('Hello')).toBeInTheDocument()
    it.isChatDown = true
    const before = it.asked.length
    await expect.element(lost()).toBeInTheDocument()
    const failed = () => it.asked.slice(before).filter(({ path }) => path.startsWith('/ai-chat')).length

    await expect.poll(() => it.to('/status').length).toBeGreaterThanOrEqual(4)

    // One question of the poll, then one for each attempt.
    expect(failed()).toBeLessThanOrEqual(6)
    it.isChatDown = false
    button('Try now').element().dispatchEvent(new Event('click'))
    await expect.element(lost()).not.toBeInTheDocument()
  })

  test('the next attempt can be made at once', async () => {
    const it = stage()
    mountModule(it)
    await expect.element(page.getByText('What would you like to know?')).toBeInTheDocument()
    it.isOffline = true
    dispatchEvent(new Event('offline'))
    await expect.element(button('Try now')).toBeInTheDocument()

    it.isOffline = false
    const now = button('Try now').element() as HTMLElement
    now.click()

    await expect.element(button('Try now')).not.toBeInTheDocument()
  })

  test('what a message from before names has its kind and number as words, and its title once the stage answers', async () => {
    const it = stage()
    it.isChatDown = true
    it.site = [{ kind: 'page', table: 'pages', uid: 3, title: 'Aurora lamp' }]
    const body = { content: 'Shorten', mentions: [{ kind: 'page', table: 'pages', uid: 3 }] }
    const before = { key: crypto.randomUUID(), conversationId: null, body, at: Date.now() }
    localStorage.setItem(`aic:v1:${it.uid}`, JSON.stringify({ unsent: [before] }))
    mountModule(it)
    await unsent().getByRole('button', { name: 'Edit message' }).click()

    await expect.element(button('Leave out Page [3]')).toBeInTheDocument()

    it.isChatDown = false
    ;(button('Try now').element() as HTMLElement).click()
    await expect.element(button('Leave out Aurora lamp')).toBeInTheDocument()
    expect(it.to('/mentions')).toHaveLength(1)
  })

  test('the file of a message from before has its number, and its name once the stage answers', async () => {
    const it = stage()
    it.isChatDown = true
    const url = `${it.origin}/files/7`
    it.files.set(7, { fileUid: 7, name: 'guide.pdf', mimeType: 'application/pdf', size: 2_048, url })
    const body = { content: 'Read this', fileUid: 7 }
    const before = { key: crypto.randomUUID(), conversationId: null, body, at: Date.now() }
    localStorage.setItem(`aic:v1:${it.uid}`, JSON.stringify({ unsent: [before] }))
    mountModule(it)
    await unsent().getByRole('button', { name: 'Edit message' }).click()
    await expect.element(button('Remove 7')).toBeInTheDocument()

    it.isChatDown = false
    ;(button('Try now').element() as HTMLElement).click()

    await expect.element(button('Remove guide.pdf')).toBeInTheDocument()
    const file = page.getByRole('group', { name: 'Attachments' }).getByRole('listitem')
    await expect.element(file).toMatchTextContent('guide.pdf PDF')
    expect(it.to('/file-info')).toHaveLength(1)
  })

  test('what a draft names has its titles, when the first requests for them failed', async () => {
    const it = stage()
    it.site = [{ kind: 'page', table: 'pages', uid: 3, title: 'Aurora lamp' }]
    const url = `${it.origin}/files/7`
    it.files.set(7, { fileUid: 7, name: 'guide.pdf', mimeType: 'application/pdf', size: 2_048, url })
    const draft = { fileUid: 7, mentions: [{ kind: 'page', table: 'pages', uid: 3 }] }
    localStorage.setItem(`aic:v1:${it.uid}`, JSON.stringify({ attached: { new: draft } }))
    const failure = { status: 503, code: 'service.unavailable', message: 'Later.' }
    for (const path of ['/mentions', '/file-info']) it.refusals.set(`/ai-chat${path}`, failure)

    mountModule(it)

    await expect.element(button('Leave out Aurora lamp')).toBeInTheDocument()
    await expect.element(button('Remove guide.pdf')).toBeInTheDocument()
  })

  test('a message that was on its way when the page was left goes out with the next page', async () => {
    const it = stage()
    const key = 'b9c3a1d2-0000-4000-8000-000000000000'
    const unsentBefore = [{ key, conversationId: null, body: { content: 'From before' }, at: Date.now() }]
    localStorage.setItem(`aic:v1:${it.uid}`, JSON.stringify({ unsent: unsentBefore }))
    mountModule(it)

    await expect.element(own('From before')).toBeInTheDocument()
    await expect
      .poll(() => it.to('/conversations/send')[0])
      .toMatchObject({ key, body: { content: 'From before' } })
  })
})

test.each([true, false])('the page learns whether the user may use the chat: %s', async (allowed) => {
  const it = stage()
  it.isDenied = !allowed
  const heard: boolean[] = []
  const hear = ({ detail }: CustomEvent<{ allowed: boolean }>) => heard.push(detail.allowed)
  document.body.addEventListener('ai-chat-access', hear)
  mountModule(it)

  await expect.poll(() => heard).toEqual([allowed])
  document.body.removeEventListener('ai-chat-access', hear)
})

describe('when the session has ended', () => {
  test('the page learns of it, and after a new login what waited goes out', async () => {
    const it = stage()
    const module = mountModule(it)
    await expect.element(page.getByText('What would you like to know?')).toBeInTheDocument()
    let told = 0
    module.addEventListener('ai-chat-session-expired', () => told++)
    it.isExpired = true
    await message().fill('Hello')
    await userEvent.keyboard('{Enter}')
    await expect.element(unsent()).toMatchTextContent('Hello')
    await expect.element(page.getByText(/^Your session has ended/)).toBeInTheDocument()
    expect(told).toBe(1)

    it.isExpired = false
    await module.resume()

    await expect.element(own('Hello')).toBeInTheDocument()
    expect(it.conversations.size).toBe(1)
  })

  test('because another user logged in, a page that comes back loads nothing of that user', async () => {
    const it = stage()
    mountModule(it)
    await expect.element(page.getByText('No conversations yet.')).toBeInTheDocument()
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60_000 })
    onTestFinished(() => void vi.useRealTimers())
    it.uid++
    const before = it.asked.length
    dispatchEvent(new Event('focus'))

    await expect.element(page.getByText(/^Your session has ended/)).toBeInTheDocument()
    expect(it.asked.slice(before).map(({ path }) => path)).toEqual(['/backend/session'])
  })
})

test('what is written before the session is known stays, and is sent with it', async () => {
  const it = stage()
  const known = it.add({ title: 'Shown last' })
  localStorage.setItem(`aic:v1:${it.uid}`, JSON.stringify({ conversationId: known }))
  it.isOffline = true
  mountModule(it)
  await message().fill('Early')
  await userEvent.keyboard('{Enter}')
  await expect.element(unsent()).toMatchTextContent('Early')

  it.isOffline = false
  dispatchEvent(new Event('online'))

  await expect.element(own('Early')).toBeInTheDocument()
})

describe('polling', () => {
  test('rests while nothing runs, and goes on when something does', async () => {
    const it = stage()
    const id = it.add({}, [{ role: 'user', content: 'Hello' }])
    mountModule(it, { conversationId: id })
    await expect.element(own('Hello')).toBeInTheDocument()
    const polls = () => it.to('/conversations/messages').length
    const before = polls()
    await new Promise((resolve) => setTimeout(resolve, 2_500))
    expect(polls()).toBe(before)

    it.change(id, { status: 'processing' })
    dispatchEvent(new Event('focus'))
    await expect.element(button('Stop')).toBeInTheDocument()
    const running = polls()

    await expect.poll(polls).toBeGreaterThan(running + 1)
  })

  test('asks once for a conversation that two views show', async () => {
    const it = stage()
    const id = it.add({ status: 'locked' }, [{ role: 'user', content: 'Hello' }])
    mountModule(it, { conversationId: id })
    mountModule(it, { conversationId: id })
    await expect.poll(() => own('Hello').elements()).toHaveLength(2)

    const polls = () => it.to('/conversations/messages').length
    const startedAt = performance.now()
    const before = polls()
    await expect.poll(polls).toBeGreaterThanOrEqual(before + 5)

    // Once a second, and once where the second view came; two views that both ask would take half the time.
    expect(polls() - before).toBeLessThanOrEqual(2 + (performance.now() - startedAt) / 1_000)
  })
})
