import { expect, test } from 'vitest'
import { chatIn, decide } from '../support/chat.ts'
import { elsewhere } from '../support/elsewhere.ts'
import { oauthProgram } from '../support/program.ts'

/** How the CMS elsewhere stands: who is logged in, how many statements it made, and whether they are signed. */
const cms = { isLoggedIn: true, statements: 0, isSigning: true }
/** A statement that each page comes with; empty: none. */
let first = ''

/** What a host allows: the stage's scripts and API, and nothing inline. */
const strict = (origin: string) =>
  `default-src 'none'; script-src ${origin}; connect-src 'self' ${origin}; img-src ${origin}`

const { look, stage, address, statement } = elsewhere(async (request, response) => {
  if (request.method === 'POST') {
    cms.statements += 1
    // As CMSs do whose own REST layer takes JSON alone.
    const isJson = request.headers['content-type'] === 'application/json'
    response.writeHead(!isJson ? 415 : cms.isLoggedIn ? 200 : 401, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ token: cms.isSigning ? await statement(2) : 'unsigned' }))
    return
  }
  response.setHeader('content-type', 'text/html; charset=utf-8')
  if (request.url === '/button') {
    const { origin } = stage()
    response.setHeader('content-security-policy', strict(origin))
    return response.end(`<!doctype html><html lang="en"><head><title>Another backend</title></head><body><main></main>
      <script type="module" src="${origin}/backend/embed.js" data-session-url="/statement" data-lang="en"
        data-toggle=".chat" data-page="2" data-table="news" data-title="Autumn"></script></body></html>`)
  }
  if (request.url?.startsWith('/admin')) {
    return response.end(`<!doctype html><html lang="en"><head><title>Admin</title></head><body><h1 class="title">Pages</h1>
      <button type="button" class="chat">AI chat</button>
      <script type="module" src="${stage().origin}/backend/embed.js" data-session-url="/statement" data-lang="en" data-toggle=".chat"
        data-record-href="/admin/{table}/{uid}" data-follow=".title" data-pages="pages"></script></body></html>`)
  }
  if (request.url === '/around') {
    response.setHeader('permissions-policy', 'clipboard-write=(), clipboard-read=()')
    return response.end(`<!doctype html><html lang="en" dir="rtl"><head><title>Around</title></head><body>
      <textarea aria-label="Notes"></textarea><iframe title="Backend" src="${address()}/" width="1200" height="700"></iframe></body></html>`)
  }
  if (request.url === '/left') return response.end('<!doctype html><title>Logged out</title>')
  response.end(`<!doctype html><html lang="en"><head><title>Another backend</title></head><body><h1>Another backend</h1>
    <script type="module" src="${stage().origin}/backend/embed.js" data-session-url="/statement" data-statement="${first}" data-lang="en"
      data-inset="40px 0px 0px 160px"></script></body></html>`)
})

test('a button of the host opens and closes the panel by an attribute, also when it is drawn later', async () => {
  cms.isLoggedIn = true
  const { page } = await look()
  await page.goto(`${address()}/button`)
  await page.locator('ai-chat-panel').waitFor({ state: 'attached' })
  await page.locator('main').evaluate((main) => {
    const button = Object.assign(document.createElement('button'), { className: 'chat' })
    button.append(Object.assign(document.createElement('span'), { textContent: 'AI chat' }))
    main.append(button)
  })
  const button = (expanded: boolean) => page.getByRole('button', { name: 'AI chat', exact: true, expanded })
  const panel = chatIn(page, 'panel')

  await button(false).click()
  await button(true).waitFor()
  await panel.message.waitFor()
  await page.getByText('News: Autumn [2]').waitFor()
  await panel.message.press('Escape')
  await button(false).waitFor()
})

test('a backend that draws its pages without loading them is followed, and loaded again after a change', async () => {
  cms.isLoggedIn = true
  const { page } = await look()
  await page.goto(`${address()}/admin`)
  await page.getByRole('button', { name: 'AI chat', exact: true }).click()
  const panel = chatIn(page, 'panel')
  await panel.message.waitFor()
  await page.evaluate(() => {
    history.pushState(null, '', '/admin/pages/4')
    document.querySelector('.title')?.replaceChildren('About us')
    document.documentElement.dataset.theme = 'dark'
  })
  await page.getByText('Page: About us [4]').waitFor()
  await page.locator('ai-chat-panel[data-theme="dark"]').waitFor()

  await panel.ask('Change the title of this page to Who we are')
  await panel.button('Approve').waitFor()
  const loaded = page.waitForEvent('load')
  await decide(panel, 'Approve', () => panel.button('Undo').isVisible())
  await loaded
  await panel.button('Undo').waitFor()
})

test('in a frame of another site, which may not write to the clipboard, the chat answers and copies', async () => {
  cms.isLoggedIn = true
  const { page, complaints } = await look()
  await page.setViewportSize({ width: 1280, height: 860 })
  await page.goto(`${address().replace('localhost', '127.0.0.1')}/around`)
  const frame = page.frameLocator('iframe')
  const message = frame.getByRole('textbox', { name: 'Message', exact: true })
  await frame.locator('ai-chat-panel').evaluate((panel) => Object.assign(panel, { open: true }))
  await message.fill('Hello')
  await message.press('Enter')
  await frame.getByRole('button', { name: 'Copy answer' }).click()
  await frame.getByRole('status').getByText('Copied').waitFor()
  await page.getByRole('textbox', { name: 'Notes' }).press('Control+V')

  await expect.poll(() => page.getByRole('textbox', { name: 'Notes' }).inputValue()).not.toBe('')
  // The browser says itself that the chat asked it in vain.
  expect(complaints.splice(0)).toEqual([
    expect.stringMatching(/^Permissions policy violation: The Clipboard API/),
  ])
})

test('one script tag shows the panel, keeps it over a reload and clear of the bars; a logout empties every tab', async () => {
  cms.statements = 0
  const { page } = await look()
  await page.goto(address())
  const element = page.locator('ai-chat-panel')
  await element.evaluate((panel) => Object.assign(panel, { open: true }))
  const panel = chatIn(page, 'panel')
  await panel.ask('What does the Aurora lamp cost?')
  await panel.answer('149 EUR').waitFor()
  expect(cms.statements).toBe(1)

  await page.getByRole('button', { name: 'Full height' }).click()
  await page.waitForFunction(
    () => (document.querySelector('ai-chat-panel')?.getBoundingClientRect().top ?? 0) < 60,
  )
  await expect.poll(() => element.boundingBox()).toMatchObject({ x: 168, y: 48 })

  await expect.poll(() => panel.button('Open in module').count()).toBe(0)

  await page.reload()
  await panel.answer('149 EUR').waitFor()
  expect(cms.statements).toBe(2)

  const other = await page.context().newPage()
  await other.goto(address())
  await chatIn(other, 'panel').answer('149 EUR').waitFor()

  cms.isLoggedIn = false
  await other.goto(`${address()}/left`)
  await other.evaluate(() => {
    for (const key of Object.keys(localStorage)) if (key.startsWith('aic:')) localStorage.removeItem(key)
  })
  await page.getByText('Your session has ended.').waitFor()
  await page.goto(`${address()}/left`)
  expect(await page.evaluate(() => Object.keys(localStorage))).toEqual([])

  await page.goto(address())
  await element.evaluate((panel) => Object.assign(panel, { open: true }))
  await page.getByText('Your session has ended.').waitFor()
})

test('every tab of the user hears once of each change that the chat made, and of its undo', async () => {
  cms.isLoggedIn = true
  const { page } = await look()
  const other = await page.context().newPage()
  const tabs = [page, other]
  for (const tab of tabs) {
    await tab.goto(address())
    await tab.evaluate(() => {
      const heard: unknown[] = []
      document.addEventListener('ai-chat-changed', (event) =>
        heard.push((event as CustomEvent).detail.records),
      )
      Object.assign(window, { heard })
    })
    await tab.waitForFunction(() => document.querySelector('ai-chat-panel')?.store?.phase === 'ready')
  }
  const heard = () => Promise.all(tabs.map((tab) => tab.evaluate(() => Reflect.get(window, 'heard'))))
  await page.locator('ai-chat-panel').evaluate((panel) => Object.assign(panel, { open: true }))
  const panel = chatIn(page, 'panel')
  const change = [{ table: 'pages', uid: 3 }]

  await panel.ask('Rename page 3 to Aurora lamp, new')
  await panel.button('Approve').waitFor()
  await decide(panel, 'Approve', () => panel.button('Undo').isVisible())
  await expect.poll(heard).toEqual([[change], [change]])

  // The stage refuses an undo while the turn is running.
  await panel.answer('The change was made').waitFor()
  await panel.button('Undo').click()
  await expect.poll(heard).toEqual([
    [change, change],
    [change, change],
  ])
})

test('a page that comes with a statement asks for another one only when that is used', async () => {
  cms.isLoggedIn = true
  cms.statements = 0
  first = await statement(2)
  const { page } = await look()
  const usable = async () => {
    await page.goto(address())
    await page.locator('ai-chat-panel').evaluate((panel) => Object.assign(panel, { open: true }))
    await chatIn(page, 'panel').message.waitFor()
    await page.waitForFunction(() => localStorage.getItem('aic:v1:user') !== null)
  }
  try {
    await usable()
    expect(cms.statements).toBe(0)

    await page.evaluate(() => localStorage.clear())
    await usable()
    // The page before may have stored its user again when it was left, so the key does not show that this one is ready.
    await expect.poll(() => cms.statements).toBe(1)
  } finally {
    first = ''
  }
})

test('a refused session is renewed by itself, and the question goes on', async () => {
  cms.isLoggedIn = true
  cms.statements = 0
  const { page } = await look()
  await page.goto(address())
  await page.locator('ai-chat-panel').evaluate((panel) => Object.assign(panel, { open: true }))
  await page.getByRole('button', { name: 'Send' }).waitFor()
  await page.waitForFunction(() => localStorage.getItem('aic:v1:user') !== null)
  const first = cms.statements
  const refused: string[] = []
  await page.route('**/ai-chat/**', async (route) => {
    const authorization = (await route.request().allHeaders()).authorization
    if (!authorization) return route.continue()
    refused[0] ??= authorization
    if (authorization !== refused[0]) return route.continue()
    const headers = { 'access-control-allow-origin': address(), 'content-type': 'application/json' }
    return route.fulfill({ status: 401, headers, body: '{"error":{"code":"session.expired","message":""}}' })
  })
  const panel = chatIn(page, 'panel')
  await panel.ask('What does the Aurora lamp cost?')

  await panel.answer('149 EUR').waitFor()
  expect(cms.statements).toBe(first + 1)
})

test('a page whose first statement is refused says that the user is not known, and not that a session ended', async () => {
  cms.isSigning = false
  try {
    const { page } = await look()
    await page.goto(address())
    await page.locator('ai-chat-panel').evaluate((panel) => Object.assign(panel, { open: true }))

    await page.getByText('The chat could not verify who you are. Ask your administrator.').waitFor()
  } finally {
    cms.isSigning = true
  }
})

test('a user confirms the browser in the chat of the host, and decides on the page of the stage', async () => {
  cms.isLoggedIn = true
  const assistant = oauthProgram('Web assistant', 'https://assistant.example/callback')
  await expect(assistant.connect(`${stage().origin}/ai-chat/mcp`)).rejects.toThrow()
  const { page } = await look()
  await page.goto(`${address()}/admin`)
  await page.getByRole('button', { name: 'AI chat', exact: true }).click()
  await chatIn(page, 'panel').more('Access for programs')
  const opened = page.context().waitForEvent('page')
  await page.getByRole('button', { name: 'Confirm this browser' }).click()
  const confirmed = await opened
  await confirmed.getByRole('heading', { name: 'This browser is confirmed' }).waitFor()
  await confirmed.getByText('“editor” for ten minutes').waitFor()

  await confirmed.goto(assistant.kept.url?.href ?? '')
  await confirmed
    .getByText('“Web assistant” wants to work with the content of this site in your name, as “editor”')
    .waitFor()
  await confirmed.getByText('assistant.example', { exact: true }).waitFor()
})
