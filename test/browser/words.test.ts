import { expect, test } from 'vitest'
import { arrive, chatIn, hasFocus, listen, toolbarButton } from '../support/chat.ts'
import { scriptedScene } from '../support/scene.ts'

const { enter, api, titled } = scriptedScene()

async function opened(path = '/backend/chat') {
  const { page } = await enter('editor', undefined, { permissions: ['clipboard-read', 'clipboard-write'] })
  await arrive(page, path)
  const module = chatIn(page, 'module')
  await module.log.waitFor()
  return { page, module }
}

test('instructions of a conversation are written, marked, sent and removed', async () => {
  const { page, module } = await opened(`/backend/chat/${await titled('With instructions')}`)
  const dialog = module.root.getByRole('dialog', { name: 'Instructions' })
  const field = dialog.getByRole('textbox', { name: 'Your instructions' })
  await module.root.getByRole('heading', { name: 'With instructions' }).waitFor()
  await module.more('Instructions')
  await expect.poll(() => hasFocus(field)).toBe(true)
  await expect.poll(() => dialog.getByRole('button', { name: 'Remove' }).count()).toBe(0)
  await field.fill('Answer in one word.')
  await dialog.getByText('19 of 10000 characters').or(dialog.getByText('19 of 10,000 characters')).waitFor()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'detached' })
  await module.root.getByText('Instructions active').waitFor()
  api().reply({ text: 'Blue.' })
  await module.ask('Which colour?')
  await module.answer('Blue.').waitFor()
  expect(JSON.stringify(api().requests.at(-1)?.body.system)).toContain('Answer in one word.')

  await page.reload()
  await module.root.getByText('Instructions active').waitFor()
  await module.button('Instructions').click()
  await expect.poll(() => field.inputValue()).toBe('Answer in one word.')
  await field.fill('Something else')
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await module.button('Instructions').click()
  await expect.poll(() => field.inputValue()).toBe('Answer in one word.')
  await dialog.getByRole('button', { name: 'Remove' }).click()
  await module.root.getByText('Instructions active').waitFor({ state: 'detached' })
})

test('instructions for all conversations are written, there after a reload, and sent behind those of the site', async () => {
  const { page, module } = await opened()
  const dialog = module.root.getByRole('dialog', { name: 'Instructions' })
  const field = dialog.getByRole('textbox', { name: 'For all your conversations' })
  const tab = dialog.getByRole('tab', { name: 'All conversations' })
  await module.button('Instructions').click()
  await tab.click()
  await field.fill('Call me Kim.')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'detached' })

  await page.reload()
  await module.button('Instructions').click()
  await tab.click()
  await expect.poll(() => field.inputValue()).toBe('Call me Kim.')
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  api().reply({ text: 'Hello Kim.' })
  await module.ask('Hello')
  await module.answer('Hello Kim.').waitFor()

  const system = api()
    .requests.at(-1)
    ?.body.system?.map(({ text }) => text)
  expect(system?.at(-1)).toMatch(/<own_instructions>\nCall me Kim\.\n<\/own_instructions>$/)
  expect(system?.join()).not.toContain('user_instructions>\n')

  await module.button('Instructions').click()
  await tab.click()
  await field.fill('')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'detached' })
})

test('what happens is said once, in order, to who does not see it', async () => {
  const { module } = await opened()
  const said = await listen(module)
  api().reply({ text: `**Yes**, it is. ${'x'.repeat(300)}`, delayMs: 1_500 })
  await module.ask('Is it so?')
  await module.answer('Yes, it is.').waitFor()

  await expect
    .poll(said)
    .toEqual(['Sent', 'The assistant is working…', expect.stringMatching(/^Answer ready: Yes, it is\. x+$/)])
  expect((await said()).at(-1)).toHaveLength('Answer ready: '.length + 200)
  await module.button('Copy answer').click()
  await expect.poll(said).toContain('Copied')
})

test('an answer is said as it reads, also where what reads it comes late', async () => {
  const { page, module } = await opened()
  const held = Promise.withResolvers<void>()
  await page.route('**/assets/markdown-*.js', async (route) => {
    await held.promise
    await route.continue()
  })
  await page.reload()
  await module.message.waitFor()
  const said = await listen(module)
  api().reply({ text: 'It is **quite** cheap.' })
  await module.ask('How much is the lamp?')
  await module.button('Send').waitFor()
  held.resolve()

  await expect.poll(said).toContain('Answer ready: It is quite cheap.')
  expect((await said()).join()).not.toContain('**')
})

test('a proposal and a failure are said too', async () => {
  const { module } = await opened()
  const said = await listen(module)
  api().reply({
    calls: [{ name: 'update_record', arguments: { table: 'pages', uid: 4, fields: { title: 'Table' } } }],
  })
  await module.ask('Rename it')
  await expect.poll(said).toContainEqual(expect.stringMatching(/^Waiting for your approval: .+/))
  await expect.poll(() => hasFocus(module.message)).toBe(true)
  api().reply({ fault: 'status', status: 400, message: 'no' })
  await module.ask('Fail')

  await expect.poll(said).toContainEqual('Failed: The language model did not accept the request')
})

test('the log is no live region, and each element has one status', async () => {
  const { module } = await opened()

  await expect.poll(() => module.log.getAttribute('aria-live')).toBe('off')
  expect(
    await module.root
      .locator('[role=status], [aria-live=polite], [aria-live=assertive], [role=alert]')
      .count(),
  ).toBe(1)
})

test('the keyboard reaches everything, and a list says how', async () => {
  const { page } = await enter('editor', '/backend/page/3')
  const panel = chatIn(page, 'panel')
  await toolbarButton(page).waitFor()
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.keyboard.press('Control+Alt+k')
  await panel.message.waitFor()
  await page.keyboard.press('Control+Alt+h')
  const dialog = panel.root.getByRole('dialog', { name: 'Keyboard shortcuts' })
  await dialog.getByText('Open or close the panel').waitFor()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await expect.poll(() => panel.region.count()).toBe(1)

  api().reply({ text: 'One.' })
  await panel.ask('First')
  await panel.answer('One.').waitFor()
  await page.keyboard.press('Alt+ArrowUp')
  await expect.poll(() => hasFocus(panel.answers)).toBe(true)
  await page.keyboard.press('Alt+ArrowUp')
  await expect.poll(() => hasFocus(panel.own)).toBe(true)
  await page.keyboard.press('Control+Alt+k')
  await panel.region.waitFor({ state: 'detached' })
})

test('it speaks German with a German user', async () => {
  const { page } = await enter('autorin', '/backend/chat')
  const module = page.locator('ai-chat-module')
  const message = module.getByRole('textbox', { name: 'Nachricht' })
  api().reply({ text: 'Ja.' })
  await message.fill('Ist das so?')
  await module.getByRole('button', { name: 'Senden' }).click()
  await module
    .getByRole('article', { name: /^Assistent.*, \d/ })
    .filter({ hasText: 'Ja.' })
    .waitFor()
  await expect.poll(() => page.title()).toBe('KI-Chat, Northlight')
  await expect.poll(() => page.locator('html').getAttribute('lang')).toBe('de')

  for (const name of ['Neue Unterhaltung', 'Datei anhängen', 'Anweisungen', 'Aktiv'])
    expect([name, await module.getByRole('button', { name, exact: true }).count()]).toEqual([name, 1])
  await module.getByRole('list', { name: 'Unterhaltungen' }).waitFor()
  await module.getByRole('log', { name: 'Unterhaltung' }).waitFor()
  await module.getByRole('searchbox', { name: 'Unterhaltungen durchsuchen' }).waitFor()
  await module.getByRole('button', { name: 'Weitere Aktionen' }).click()
  const items = async () => (await module.getByRole('menuitem').allTextContents()).map((text) => text.trim())
  await expect
    .poll(items)
    .toEqual([
      'Umbenennen',
      'Anheften',
      'Archivieren',
      'Anweisungen',
      'Exportieren',
      'Benachrichtigen, wenn Antworten fertig sind',
      'Was kann er für mich tun?',
      'Tastenkürzel',
      'Löschen',
      'Modell: claude-sonnet-5-5',
      expect.stringMatching(/^Verbraucht: 120 Token, etwa 0,0004\s\$$/),
    ])
})

test('it takes the theme of the page, and keeps the direction of its own words', async () => {
  const { page, module } = await opened()
  const ground = () =>
    module.message.evaluate((it) => getComputedStyle(it.closest('.module') ?? it).colorScheme)
  const ink = () => module.message.evaluate((it) => getComputedStyle(it).color)
  const light = await ink()
  await page.getByRole('button', { name: 'Switch theme' }).click()
  await expect.poll(ink).not.toBe(light)
  await expect.poll(() => ground()).toContain('dark')

  await page.evaluate(() => {
    document.documentElement.dir = 'rtl'
  })
  const [list, conversation] = await Promise.all([module.history.boundingBox(), module.log.boundingBox()])
  expect((list?.x ?? 0) < (conversation?.x ?? 0)).toBe(true)
})
