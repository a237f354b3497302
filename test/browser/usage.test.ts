import { readFile } from 'node:fs/promises'
import type { Browser, Page } from 'playwright'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { launch, topbar, visit } from '../support/browser.ts'
import { chatIn, goTo } from '../support/chat.ts'
import { type MessagesApi, startMessagesApi } from '../support/messages-api.ts'
import { type Stage, startStage } from '../support/stage.ts'

/** What the chat has used, as its users see it and as administrators do. */

let api: MessagesApi
let stage: Stage
let browser: Browser

beforeAll(async () => {
  api = await startMessagesApi()
  api.always({ text: 'It costs 149 EUR.' })
  const env = {
    ANTHROPIC_API_KEY: api.key,
    ANTHROPIC_BASE_URL: api.url,
    ANTHROPIC_MODEL: 'claude-sonnet-5-5',
  }
  const settings = { dailyTokens: 1_200, dailyTokensPerUser: 10_000 }
  ;[stage, browser] = await Promise.all([startStage({ env, settings }), launch()])
})
afterAll(async () => {
  await browser?.close()
  await stage?.remove()
  await api?.stop()
})

const rowNames = (page: Page) => page.getByRole('rowheader').allTextContents()

test('a conversation shows in its menu what it has used; only administrators see all sums', async () => {
  const { page, open, logIn, close } = await visit(browser, stage.origin)
  await open('/backend/chat')
  await logIn('admin')
  const chat = chatIn(page, 'module')
  await chat.ask('What does the Aurora lamp cost?')
  await chat.answer('149').waitFor()
  await chat.button('More actions').click()
  const used = chat.menu.getByRole('menuitem', { name: /^Used: / })
  expect(await used.textContent()).toBe('Used: 120 tokens, about $0.0004')
  expect(await used.getAttribute('aria-disabled')).toBe('true')
  await page.keyboard.press('End')
  expect(await used.evaluate((it) => it.matches(':focus'))).toBe(true)
  await page.keyboard.press('Escape')

  await goTo(page, 'Usage')
  await page.getByRole('row', { name: /^admin / }).waitFor()
  expect(await rowNames(page)).toEqual(['admin', 'Total'])
  const last = (name: RegExp) => page.getByRole('row', { name }).getByRole('cell').last().textContent()
  expect(await last(/^admin /)).toBe('0.04%')
  await page
    .getByRole('img', { name: /^Tokens by day; most on .*: 120, 10% of the day’s budget\.$/ })
    .waitFor()
  await page.setViewportSize({ width: 1280, height: 300 })
  await page.getByRole('row', { name: /^Total/ }).scrollIntoViewIfNeeded()
  expect(await page.locator('.frame-body').evaluate((it) => it.scrollTop)).toBeGreaterThan(0)
  await page.setViewportSize({ width: 1280, height: 720 })
  const by = page.getByRole('group', { name: 'Sums by' })
  await by.getByRole('button', { name: 'Day' }).click()
  expect(await last(/^\d+ \w+ \d{4}/)).toBe('10%')
  await by.getByRole('button', { name: 'Model' }).click()
  expect(await rowNames(page)).toEqual(['claude-sonnet-5-5', 'Total'])
  const cells = page.getByRole('row', { name: /^claude/ }).getByRole('cell')
  expect(await cells.allTextContents()).toEqual(['1', '0', '1', '100', '0', '20', '$0.0004'])

  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export' }).click(),
  ])
  const text = await readFile(await file.path(), 'utf8')
  expect(file.suggestedFilename()).toMatch(/^usage-.*\.csv$/)
  expect(text.split('\r\n')[1]).toMatch(/^\d{4}-\d\d-\d\d,1,admin,.*,claude-sonnet-5-5,1,0,1,100,20,/)

  await page.getByLabel('To', { exact: true }).fill('2026-01-31')
  await page.getByText('Nothing was used on these days.').waitFor()
  expect(await page.getByLabel('From', { exact: true }).inputValue()).toBe('2026-01-31')
  await close()

  const editor = await visit(browser, stage.origin)
  await editor.open('/backend/usage')
  await editor.logIn('editor')
  await topbar(editor.page).waitFor()
  await editor.page.getByText('Only administrators may read what was used.').waitFor()
  expect(await editor.page.getByRole('link', { name: 'Usage' }).count()).toBe(0)
  await editor.close()
})
