import { expect, test } from 'vitest'
import { chatIn } from '../support/chat.ts'
import { elsewhere } from '../support/elsewhere.ts'

/** The pages of a backend elsewhere, by their address. */
const pages = new Map<string, string>()

const { look, stage, address, statement } = elsewhere((request, response) => {
  response.writeHead(200, {
    'content-type': 'text/html; charset=utf-8',
    // As strict as a backend can be: no sink of HTML may be used, the page has no inline style or script.
    'content-security-policy': `default-src 'none'; script-src ${stage().origin}; connect-src ${stage().origin}; require-trusted-types-for 'script'; trusted-types lit-html`,
  })
  response.end(pages.get(request.url ?? '') ?? '')
})

const html = (body: string) => `<!doctype html><html lang="en"><head><title>Another backend</title>
  <script type="module" src="${stage().origin}/backend/chat.js"></script></head><body><h1>Another backend</h1>${body}</body></html>`

test('a page of another backend shows the panel to its own user, with a Bearer token and no cookie', async () => {
  pages.set('/', html(`<ai-chat-panel api="${stage().origin}" lang="en" open></ai-chat-panel>`))
  const { page } = await look()
  const credentials: (string | undefined)[] = []
  page.on('request', async (request) => {
    if (!request.url().includes('/ai-chat/')) return
    const headers = await request.allHeaders()
    credentials.push(headers.cookie ? 'cookie' : headers.authorization?.split(' ')[0])
  })
  await page.goto(address())
  const token = await page.evaluate(
    async ({ origin, signed }) => {
      const answer = await fetch(`${origin}/backend/exchange`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ token: signed }),
      })
      return ((await answer.json()) as { token: string }).token
    },
    { origin: stage().origin, signed: await statement(2) },
  )
  await page
    .locator('ai-chat-panel')
    .evaluate((panel, bearer) => Object.assign(panel, { token: bearer }), token)
  const panel = chatIn(page, 'panel')
  await panel.ask('What does the Aurora lamp cost?')

  await panel.answer('149 EUR').waitFor()
  expect(new Set(credentials.filter((it) => it !== undefined))).toEqual(new Set(['Bearer']))
  expect(await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }))).not.toContain(
    token,
  )
})

test('the script defines both elements and changes nothing else of the page', async () => {
  pages.set('/plain', html('<p>Nothing of the chat</p>'))
  const { page } = await look()
  await page.goto(`${address()}/plain`)
  await page.waitForFunction(
    () => customElements.get('ai-chat-panel') && customElements.get('ai-chat-module'),
  )

  expect(
    await page.evaluate(() => ({
      sheets: document.styleSheets.length + document.adoptedStyleSheets.length,
      body: document.body.children.length,
      globals: Object.keys(globalThis).filter((name) => /chat|aic/i.test(name)),
    })),
  ).toEqual({ sheets: 0, body: 2, globals: [] })
})

test('it tells the page around what it wants of it', async () => {
  pages.set('/events', html(`<ai-chat-panel api="${stage().origin}" lang="en"></ai-chat-panel>`))
  const { page } = await look()
  await page.goto(`${address()}/events`)
  await page.waitForFunction(() => customElements.get('ai-chat-panel'))
  const told = await page.evaluate(
    () =>
      new Promise<unknown>((done) => {
        document.addEventListener('ai-chat-toggle', (event) => done((event as CustomEvent).detail))
        document.querySelector('ai-chat-panel')?.toggleAttribute('open', true)
      }),
  )

  expect(told).toEqual({ open: true, height: expect.any(Number), size: 'half' })
})
