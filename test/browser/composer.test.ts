import { describe, expect, test } from 'vitest'
import { chatIn, goTo, hasFocus, requestsTo, toolbarButton } from '../support/chat.ts'
import { scriptedScene } from '../support/scene.ts'

/** That of this machine, which the browser has too. */
const { timeZone } = new Intl.DateTimeFormat().resolvedOptions()

const { enter, api, titled } = scriptedScene({ settings: { maxMessageLength: 200 } })

async function opened(path = '/backend/chat') {
  const { page } = await enter('editor', path)
  const module = chatIn(page, 'module')
  await module.message.waitFor()
  return { page, module, sent: requestsTo(page, '/conversations/send') }
}

async function beside(path: string, username = 'editor') {
  const { page } = await enter(username, path)
  await toolbarButton(page).click()
  const panel = chatIn(page, 'panel')
  await panel.message.waitFor()
  return { page, panel, sent: requestsTo(page, '/conversations/send') }
}

test('Enter ends the work of an input method, and does not send', async () => {
  const { page, module, sent } = await opened()
  await module.message.focus()
  const input = await page.context().newCDPSession(page)
  await input.send('Input.imeSetComposition', { text: 'にほん', selectionStart: 3, selectionEnd: 3 })
  await module.message.evaluate((field) =>
    field.dispatchEvent(
      new KeyboardEvent('keydown', { key: 'Enter', isComposing: true, bubbles: true, composed: true }),
    ),
  )
  await input.send('Input.insertText', { text: '日本' })

  await expect.poll(() => module.message.inputValue()).toBe('日本')
  expect(sent).toEqual([])
})

test('what is too long says by how much, and is not sent', async () => {
  const { module, sent } = await opened()
  await module.message.fill('x'.repeat(190))
  await module.root.getByText('10 characters left').waitFor()
  await module.message.fill(`${'x'.repeat(200)}𝒳`)
  await module.root.getByText('1 character too long').first().waitFor()
  await module.message.press('Enter')

  expect(sent).toEqual([])
})

test('each conversation keeps its own draft, over a reload too', async () => {
  const [first, second] = [await titled('The first draft'), await titled('The second draft')]
  const { page, module } = await opened(`/backend/chat/${first}`)
  await module.root.getByRole('heading', { name: 'The first draft' }).waitFor()
  await module.message.fill('Of the first')
  await module.conversation('The second draft').click()
  await page.waitForURL(`**/${second}`)
  await expect.poll(() => module.message.inputValue()).toBe('')
  await module.message.fill('Of the second')
  await module.conversation('The first draft').click()
  await expect.poll(() => module.message.inputValue()).toBe('Of the first')
  await page.reload()
  await module.conversation('The second draft').click()

  await expect.poll(() => module.message.inputValue()).toBe('Of the second')
})

describe('the place beside the chat', () => {
  test('goes with the message, and is named', async () => {
    const { panel, sent } = await beside('/backend/page/3')
    await panel.root.getByText('Page: Aurora lamp [3]').waitFor()
    api().reply({ text: 'Yes.' })
    await panel.ask('What is this?')
    await panel.answer('Yes.').waitFor()

    expect(sent.map(({ body }) => body.viewContext)).toEqual([{ pageId: 3, module: 'page', timeZone }])
  })

  test('does not go with it once its chip is removed', async () => {
    const { panel, sent } = await beside('/backend/page/3')
    await panel.button('Leave this page out').click()
    await expect.poll(() => panel.root.getByText('Page: Aurora lamp [3]').count()).toBe(0)
    await expect.poll(() => hasFocus(panel.message)).toBe(true)
    api().reply({ text: 'Yes.' })
    await panel.ask('What is this?')
    await panel.answer('Yes.').waitFor()

    expect(sent.map(({ body }) => 'viewContext' in body)).toEqual([false])
  })

  test('is none in the module of the chat itself', async () => {
    const { module, sent } = await opened()
    await expect.poll(() => module.root.getByRole('button', { name: /^Leave this .* out$/ }).count()).toBe(0)
    api().reply({ text: 'Yes.' })
    await module.ask('What is this?')
    await module.answer('Yes.').waitFor()

    expect(sent.map(({ body }) => 'viewContext' in body)).toEqual([false])
  })

  test('decides what is suggested; a suggestion fills the field and is not sent', async () => {
    const { page, panel, sent } = await beside('/backend/page/3')
    await panel.root.getByRole('heading', { name: 'Ask about Aurora lamp' }).waitFor()
    await panel.button('Summarise “Aurora lamp” in three sentences').click()

    await expect.poll(() => panel.message.inputValue()).toBe('Summarise “Aurora lamp” in three sentences')
    await expect.poll(() => hasFocus(panel.message)).toBe(true)
    await panel.message.fill('')
    await goTo(page, 'AI Chat')
    expect(sent).toEqual([])
  })

  test('suggests only what the user’s tools can do', async () => {
    const { panel } = await beside('/backend/log', 'admin')
    await panel.button('Explain the last exception').waitFor()
    const other = await beside('/backend/log')

    await other.panel.button('Give me an overview of the pages of this site').waitFor()
    await expect.poll(() => other.panel.button('Explain the last exception').count()).toBe(0)
  })
})

test('the button of an element on the page opens the chat with the element named in the message', async () => {
  const { page } = await enter('editor', '/backend/page/3')
  await page.getByRole('button', { name: 'Ask about “Facts”' }).click()
  const panel = chatIn(page, 'panel')
  await panel.root.getByRole('button', { name: 'Leave out Facts' }).waitFor()
  await expect.poll(() => hasFocus(panel.message)).toBe(true)
  const sent = requestsTo(page, '/conversations/send')
  api().always({ text: 'Facts it is.' })
  await page.keyboard.type('Shorten it')
  await page.keyboard.press('Enter')

  await panel.root.getByRole('link', { name: 'Facts [2]' }).waitFor()
  await panel.root.getByText('Facts it is.').waitFor()
  expect(sent).toHaveLength(1)
  expect(JSON.stringify(api().requests.at(-1)?.body.messages)).toContain('content [2] Facts')
})
