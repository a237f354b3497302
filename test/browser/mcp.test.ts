import { afterAll, expect, test } from 'vitest'
import { chatIn, decide } from '../support/chat.ts'
import { shop, startGranted } from '../support/grants.ts'
import { scriptedScene } from '../support/scene.ts'

const granted = await startGranted()
afterAll(() => granted.stop())

const { enter, api } = scriptedScene({ settings: { mcpServers: [shop(granted.url)] } })

test('a user connects a server in a window of its own, approves a call there, and disconnects', async () => {
  const { page } = await enter('editor', '/backend/chat')
  const module = chatIn(page, 'module')
  await module.more('Connections')
  const dialog = page.getByRole('dialog', { name: 'Connections' })
  await dialog.getByText('Not connected').waitFor()

  const popup = page.waitForEvent('popup')
  await dialog.getByRole('button', { name: 'Connect shop' }).click()
  const window = await popup
  // The pages of the server of grants.
  await window.getByPlaceholder('Enter any login').fill('erika')
  await window.getByPlaceholder('and password').fill('any')
  await window.getByRole('button', { name: 'Sign-in' }).click()
  await window.getByRole('button', { name: 'Continue' }).click()
  await window.getByText('“shop” is connected. You can close this window.').waitFor()
  await window.close()
  await dialog.getByText('Connected', { exact: true }).waitFor()
  await dialog.getByRole('button', { name: 'Close' }).click()

  api().reply(
    { calls: [{ name: 'mcp__shop__order', arguments: { item: 'Light of the north' } }] },
    { text: 'It is ordered.' },
  )
  await module.ask('Order a lamp')
  const card = module.root.getByRole('region', { name: /Call “order” of the server “shop”/ })
  await card.getByRole('cell', { name: 'Light of the north' }).waitFor()
  expect(granted.called).toEqual([])
  await decide(module, 'Approve', async () => granted.called.length > 0)
  expect(granted.called).toEqual([{ tool: 'order', account: 'erika' }])
  await module.answer('It is ordered.').waitFor()

  await module.more('Connections')
  await dialog.getByRole('button', { name: 'Disconnect shop' }).click()
  await dialog.getByText('Not connected').waitFor()
})
