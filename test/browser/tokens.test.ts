import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import type { Locator } from 'playwright'
import { expect, test } from 'vitest'
import { chatIn, decide } from '../support/chat.ts'
import { listen } from '../support/mcp.ts'
import { oauthProgram } from '../support/program.ts'
import { scriptedScene } from '../support/scene.ts'

const { enter, look, api, stage } = scriptedScene({ settings: { accessTokens: { trustZone: 'internal' } } })

test('a user makes a token, another assistant proposes with it, and the user approves and revokes it', async () => {
  const { page } = await enter('editor', '/backend/chat')
  const module = chatIn(page, 'module')
  await module.more('Access for programs')
  const dialog = page.getByRole('dialog', { name: 'Access for programs' })
  const hasFocus = (part: Locator) => part.evaluate((element) => element.matches(':focus'))
  await dialog.getByLabel('Name of the program').fill('Laptop')
  await dialog.getByRole('button', { name: 'Make a token' }).click()
  const token = await dialog.getByLabel(/Your new token/).inputValue()
  await expect.poll(() => hasFocus(dialog.getByLabel(/Your new token/))).toBe(true)
  const url = await dialog.getByLabel('Address (MCP)').inputValue()
  await dialog.getByText('Not used yet.').waitFor()
  await dialog.getByRole('button', { name: 'Close' }).click()

  const client = new Client({ name: 'another assistant', version: '1.0.0' })
  const headers = { authorization: `Bearer ${token}` }
  const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } })
  await client.connect(transport)
  const fields = { title: 'A title of another assistant' }
  const asked = await client.callTool({
    name: 'update_record',
    arguments: { table: 'pages', uid: 3, fields },
  })
  const [id] = /2-[0-9a-z]{26}/.exec(JSON.stringify(asked.content)) ?? []

  await page.goto(new URL(`/backend/chat/${id}`, url).href)
  await page.getByRole('heading', { name: /A program proposes over the access token “Laptop”/ }).waitFor()
  api().reply({ text: 'It is changed.' })
  const title = async () => {
    const read = await client.callTool({ name: 'get_record', arguments: { table: 'pages', uid: 3 } })
    return JSON.stringify(read.content).includes(fields.title)
  }
  expect(await title()).toBe(false)
  await decide(module, 'Approve', () => module.answer('It is changed.').isVisible())
  expect(await title()).toBe(true)

  await module.more('Access for programs')
  await dialog.getByRole('button', { name: 'Revoke Laptop' }).click()
  await dialog.getByRole('heading', { name: 'Laptop' }).waitFor({ state: 'detached' })
  await expect.poll(() => hasFocus(dialog.getByLabel('Name of the program'))).toBe(true)
  await expect(client.listTools()).rejects.toThrow()
})

test('an assistant on another site asks for access, and the user logs in, allows it, and sees it in the chat', async () => {
  const site = await listen((_, response) => response.writeHead(200).end('The assistant'))
  // Another site than the stage's, so that its strict cookie does not come along.
  const callback = new URL('/callback', site.url.replace('127.0.0.1', 'localhost')).href
  const tools = `${stage().origin}/ai-chat/mcp`
  const assistant = oauthProgram('Web assistant', callback)
  await expect(assistant.connect(tools)).rejects.toThrow()

  const { page } = await look()
  await page.goto(callback)
  await page.evaluate((url) => location.assign(url), assistant.kept.url?.href ?? '')
  await page.getByRole('link', { name: 'Log in' }).click()
  await page.getByRole('button', { name: /^admin/ }).click()
  await page.getByRole('heading', { name: 'Allow access?' }).waitFor()
  await page
    .getByText('“Web assistant” wants to work with the content of this site in your name, as “admin”')
    .waitFor()
  await page.getByRole('button', { name: 'Allow' }).click()
  await page.waitForURL((url) => url.href.startsWith(callback))
  await assistant.comeBack(tools, new URL(page.url()).searchParams)
  const client = await assistant.connect(tools)
  expect((await client.listTools()).tools.length).toBeGreaterThan(20)

  await page.goto(`${stage().origin}/backend/chat`)
  await chatIn(page, 'module').more('Access for programs')
  const dialog = page.getByRole('dialog', { name: 'Access for programs' })
  await dialog.getByText(`program at ${new URL(callback).host}`).waitFor()
  await dialog.getByRole('button', { name: 'Revoke Web assistant' }).click()
  await dialog.getByRole('heading', { name: 'Web assistant' }).waitFor({ state: 'detached' })
  await expect(client.listTools()).rejects.toThrow()
  site.stop()
})
