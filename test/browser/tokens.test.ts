import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { expect, test } from 'vitest'
import { chatIn, decide } from '../support/chat.ts'
import { scriptedScene } from '../support/scene.ts'

const { enter, api } = scriptedScene({ settings: { accessTokens: { trustZone: 'internal' } } })

test('a user makes a token, another assistant proposes with it, and the user approves and revokes it', async () => {
  const { page } = await enter('editor', '/backend/chat')
  const module = chatIn(page, 'module')
  await module.more('Access for programs')
  const dialog = page.getByRole('dialog', { name: 'Access for programs' })
  await dialog.getByLabel('Name of the program').fill('Laptop')
  await dialog.getByRole('button', { name: 'Make a token' }).click()
  const token = await dialog.getByLabel(/Your new token/).inputValue()
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
  await expect(client.listTools()).rejects.toThrow()
})
