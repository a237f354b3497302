import { expect, test } from 'vitest'
import { form, topbar } from '../support/browser.ts'
import { chatIn, goTo, toolbarButton } from '../support/chat.ts'
import { scene } from '../support/scene.ts'

const { look } = scene()

test('an editor asks about the open page, goes on working while it is answered, and finds the answer in panel and module', async () => {
  const { page, open, logIn } = await look()
  const panel = chatIn(page, 'panel')
  const module = chatIn(page, 'module')

  await open('/backend/page/3')
  await logIn('editor')
  await topbar(page).waitFor()
  await toolbarButton(page).click()
  await panel.root.getByText('Page: Aurora lamp [3]').waitFor()
  await panel.ask('What does the Aurora lamp cost?')
  await panel.own.waitFor()
  await goTo(page, 'List')
  await page.waitForFunction(() => document.title.startsWith('List'))

  await panel.answer('149 EUR').waitFor()
  await expect
    .poll(() => panel.own.allTextContents())
    .toEqual([expect.stringContaining('What does the Aurora lamp cost?')])
  await expect.poll(() => panel.answer('149 EUR').textContent()).toContain('Demo, not an AI')
  await panel.button(/^\d+ steps, \d+ s$/).click()
  await panel.steps.getByRole('listitem').filter({ hasText: 'Searched records' }).waitFor()
  await panel.root
    .getByRole('group', { name: 'Sources' })
    .getByRole('link', { name: /Aurora lamp/ })
    .first()
    .waitFor()

  await goTo(page, 'AI Chat')
  await module.answer('149 EUR').waitFor()
  await expect.poll(() => page.title()).toBe('AI Chat, Northlight')
  await expect.poll(() => page.url()).toMatch(/\/backend\/chat\/2-[0-9a-z]{26}$/)
  await expect
    .poll(() => module.conversation('What does the Aurora lamp cost').getAttribute('aria-current'))
    .toBe('true')
})

test('a turn outlives the window in which it was started', async () => {
  const first = await look()
  await first.open('/backend/page/4')
  await first.logIn('editor')
  await toolbarButton(first.page).click()
  // The message is shown before the stage has it.
  const sent = first.page.waitForResponse((it) => it.url().endsWith('/conversations/send') && it.ok())
  await chatIn(first.page, 'panel').ask('What does the Borealis desk cost?')
  await sent
  await first.page.context().clearCookies()
  await first.page.goto('about:blank')

  const second = await look()
  await second.open('/backend/chat')
  await form(second.page).username.waitFor()
  await second.logIn('editor')
  const module = chatIn(second.page, 'module')
  await module.conversation('What does the Borealis desk cost').click()

  await module.answer('Borealis desk').waitFor()
})
