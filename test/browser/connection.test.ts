import { expect, test } from 'vitest'
import { form, underWay } from '../support/browser.ts'
import { arrive, chatIn, decide, goTo, requestsTo, toolbarButton } from '../support/chat.ts'
import { scriptedScene } from '../support/scene.ts'

const { enter, api, client } = scriptedScene()

async function opened() {
  const { page } = await enter('editor')
  await arrive(page, '/backend/chat')
  const module = chatIn(page, 'module')
  await module.message.waitFor()
  return { page, module }
}

test('without a connection a message waits, and goes out once by itself when it is back', async () => {
  const { page, module } = await opened()
  api().always({ text: 'Here again.' })
  await page.context().setOffline(true)
  await module.ask('Are you there?')

  await module.unsent.getByText('Are you there?').waitFor()
  await module.unsent.getByRole('button', { name: 'Send again' }).waitFor()
  await module.root
    .getByText(/No connection/)
    .first()
    .waitFor()
  await module.message.fill('And this too')
  const sent = requestsTo(page, '/conversations/send')
  await page.context().setOffline(false)

  await module.own.waitFor()
  await module.answer('Here again.').waitFor()
  await expect.poll(() => module.unsent.count()).toBe(0)
  expect(sent.length).toBe(1)
  await expect.poll(() => module.message.inputValue()).toBe('And this too')
  await module.root
    .getByText(/No connection/)
    .first()
    .waitFor({ state: 'detached' })
})

test('an answer that got lost on the way does not send the message twice', async () => {
  const { page, module } = await opened()
  api().always({ text: 'Once.' })
  let lost = 0
  await page.route('**/conversations/send', async (route) => {
    // The stage has it, only the browser does not hear of it.
    if (lost++ === 0) await route.fetch().then(() => route.abort('connectionreset'))
    else await route.continue()
  })
  await module.ask('Only once, please')
  await module.answer('Once.').waitFor()

  expect(lost).toBe(2)
  await expect.poll(() => module.own.count()).toBe(1)
  const { body } = await (await client('editor')).get<{ conversations: { title: string }[] }>(
    '/ai-chat/conversations',
  )
  expect(body.conversations.filter(({ title }) => title === 'Only once, please').length).toBe(1)
})

test('a message that did not go out survives a reload', async () => {
  const { page, module } = await opened()
  api().always({ text: 'Finally.' })
  await page.route('**/conversations/send', (route) => route.abort('connectionrefused'))
  await module.ask('Keep this')
  await module.unsent.waitFor()
  await page.unroute('**/conversations/send')
  await page.reload()

  await module.answer('Finally.').waitFor()
  await expect.poll(() => module.own.count()).toBe(1)
})

test('a turn goes on while the browser is away, and its answer is there when it is back', async () => {
  const { page, module } = await opened()
  const gate = Promise.withResolvers<void>()
  api().reply(async () => {
    await gate.promise
    return { text: 'Meanwhile.' }
  })
  await module.ask('Go on without me')
  await api().received(1)
  await module.own.waitFor()
  await page.context().setOffline(true)
  await module.root
    .getByText(/No connection/)
    .first()
    .waitFor()
  gate.resolve()
  await page.context().setOffline(false)

  await module.answer('Meanwhile.').waitFor()
})

test('a part that does not come is no error of the page, and is fetched again when it is needed', async () => {
  const { page, module } = await opened()
  const parts = /\/assets\/(notify)-/
  const lost = new Set<string | undefined>()
  await page.route(parts, (route) => {
    lost.add(parts.exec(route.request().url())?.[1])
    return route.abort()
  })
  await module.root.evaluate((host) => {
    host.addEventListener('ai-chat-changed', () => host.setAttribute('data-heard', ''))
  })
  const fields = { title: 'Table' }
  api().reply(
    { calls: [{ name: 'update_record', arguments: { table: 'pages', uid: 4, fields } }] },
    { text: 'Renamed.' },
  )
  await module.ask('Call it a table')
  await module.button('Approve').waitFor()
  await expect.poll(() => [...lost].sort()).toEqual(['notify'])

  await page.unroute(parts)
  await decide(module, 'Approve', () => module.button('Undo').isVisible())

  await module.answer('Renamed.').waitFor()
  await expect.poll(() => module.root.getAttribute('data-heard')).toBe('')
})

test('what the stage refuses says why, and can be written again', async () => {
  const { page, module } = await opened()
  const editor = await client('editor')
  api().always(() => new Promise(() => undefined))
  for (const n of [1, 2, 3]) await editor.send(`Occupied ${n}`)
  await module.ask('The fourth at once')

  await module.unsent.getByText(/^Not sent\. .+/).waitFor()
  await module.unsent.getByRole('button', { name: 'Edit message' }).click()
  await expect.poll(() => module.message.inputValue()).toBe('The fourth at once')
  await expect.poll(() => module.unsent.count()).toBe(0)
  const running = async () => {
    const { body } = await editor.get<{ conversations: { id: string; status: string }[] }>(
      '/ai-chat/conversations',
    )
    return body.conversations.filter(({ status }) => status !== 'idle')
  }
  for (const { id } of await running())
    await editor.post('/ai-chat/conversations/cancel', { conversationId: id })
  // A turn that has not ended yet would occupy a place of the next test.
  await expect.poll(running).toEqual([])
  await expect.poll(() => new URL(page.url()).pathname).toBe('/backend/chat')
})

test('an ended session asks to log in over the page, and nothing typed is lost', async () => {
  const { page, open } = await enter('editor')
  const waiting = underWay(page)
  await open('/backend/list/content/1')
  const header = page.getByRole('textbox', { name: 'Header', exact: true })
  await header.fill('A header that is not saved yet')
  const listed = page.waitForResponse(/\/ai-chat\/conversations\?/)
  await toolbarButton(page).click()
  const panel = chatIn(page, 'panel')
  await panel.message.waitFor()
  api().always({ text: 'Welcome back.' })
  // A request that the panel still makes would open the dialog before the message is sent.
  await listed
  await expect.poll(waiting).toBe(0)
  await page.context().clearCookies()
  await panel.ask('Still me')

  const dialog = page.getByRole('dialog', { name: 'Log in again' })
  await form(dialog).password.fill('demo')
  await form(dialog).submit.click()
  await dialog.waitFor({ state: 'detached' })

  await panel.answer('Welcome back.').waitFor()
  await expect.poll(() => panel.own.count()).toBe(1)
  await expect.poll(() => header.inputValue()).toBe('A header that is not saved yet')
})

test('Log out wipes drafts and what the panel remembers', async () => {
  const { page, module } = await opened()
  await module.message.fill('A secret thought')
  await goTo(page, 'Page')
  await toolbarButton(page).click()
  await chatIn(page, 'panel').button('Full height').click()
  await expect.poll(() => page.evaluate(() => JSON.stringify(localStorage))).toContain('A secret thought')
  await page.getByRole('button', { name: /editor$/ }).click()
  await page.getByRole('menuitem', { name: 'Log out' }).click()
  await form(page).username.waitFor()

  expect(await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }))).not.toContain(
    'secret',
  )
  await form(page).username.fill('editor')
  await form(page).password.fill('demo')
  await form(page).submit.click()
  await page.getByRole('banner').waitFor()
  await expect.poll(() => chatIn(page, 'panel').region.count()).toBe(0)
  await goTo(page, 'AI Chat')
  await expect.poll(() => module.message.inputValue()).toBe('')
})
