import type { Locator } from 'playwright'
import { expect, test } from 'vitest'
import { scene } from '../support/scene.ts'

/** A German editor tries what a fresh installation offers: the chat, the demo and the tools speak German. */

const { enter } = scene()

/** Words of English sentences; names of the seeded site are English too, and stand in quotes or brackets. */
const english = /\b(?:The|This|Stored|Nothing|changed|record|records|says|has been|was made|may not)\b/

const textOf = async (part: Locator) =>
  (await part.innerText()).replace(/[„“«»"][^„“«»"]*[“”"»]|\[[^\]]*\]/g, '')

test('each offered prompt is clicked, answered or proposed, decided and told in German', async () => {
  const { page } = await enter('redakteurin', '/backend/chat')
  const chat = page.locator('ai-chat-module')
  const message = chat.getByRole('textbox', { name: 'Nachricht', exact: true })
  const offers = chat.locator('.prompts').getByRole('button')
  await offers.first().waitFor()
  const offered = await offers.allTextContents()
  expect(offered).toHaveLength(4)

  for (const words of offered.map((text) => text.trim())) {
    await chat.getByRole('button', { name: 'Neue Unterhaltung' }).first().click()
    await offers.filter({ hasText: words }).click()
    expect(await message.inputValue()).toBe(words)
    await message.press('Enter')
    const approve = chat.getByRole('button', { name: 'Zustimmen' })
    const copy = chat.getByRole('button', { name: 'Antwort kopieren' })
    await approve.or(copy).waitFor()
    if (await approve.isVisible()) {
      expect(await textOf(chat.locator('.approval-head'))).not.toMatch(english)
      await expect.poll(() => approve.getAttribute('aria-disabled')).toBe('false')
      await approve.click()
      await chat.getByText(/^Die Änderung ist gemacht[:.]$/).waitFor()
      await copy.waitFor()
    }
    expect(await textOf(chat.getByRole('article', { name: /^Assistent, / }))).not.toMatch(english)
  }
})

test('a wrong password after the end of a session is told in German, whatever the browser speaks', async () => {
  const { page } = await enter('redakteurin', '/backend/page/3')
  const list = page.getByRole('link', { name: 'Liste', exact: true })
  // Until the shell is drawn, a page without cookies shows the login page in place of the dialog.
  await list.waitFor()
  await page.context().clearCookies()
  // The chat's own request can bring the dialog first, which then lies over the link.
  await list.dispatchEvent('click')
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Passwort').fill('wrong')
  await dialog.getByLabel('Passwort').press('Enter')

  await expect
    .poll(() => dialog.getByRole('alert').innerText())
    .toBe('Benutzername oder Passwort ist falsch.')
})
