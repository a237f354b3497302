import { afterEach, expect, test, vi } from 'vitest'
import { page } from 'vitest/browser'
import { button, clear, mountModule, stage } from './mount.ts'

afterEach(() => {
  vi.restoreAllMocks()
  clear()
})

test('a server is connected in one window, however often its button is pressed', async () => {
  const it = stage()
  it.status = { connections: true }
  it.connections = [{ server: 'shop', title: 'shop', auth: 'oauth', state: 'none', since: null, issue: null }]
  const begun = Promise.withResolvers<void>()
  it.held.set('/ai-chat/connections/begin', begun.promise)
  const module = mountModule(it)
  // A browser that opens no window for the page.
  const opened = vi.spyOn(window, 'open').mockReturnValue(null)
  await button('More actions').click()
  await page.getByRole('menuitem', { name: 'Connections' }).click()
  await expect.element(button('Connect shop')).toBeEnabled()
  const connect = button('Connect shop').element() as HTMLButtonElement

  connect.click()
  expect(opened).toHaveBeenCalledTimes(1)
  await module.updateComplete
  connect.click()
  expect(opened).toHaveBeenCalledTimes(1)

  begun.resolve()
  const link = page.getByRole('link', { name: 'Open the page of the server' })
  await expect.element(link).toHaveAttribute('href', `${it.origin}/grant`)
  await expect.element(button('Connect shop')).toBeEnabled()
})
