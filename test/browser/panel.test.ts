import type { Browser, Page } from 'playwright'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { form, launch, topbar, underWay, type Visit, visit } from '../support/browser.ts'
import { chatIn, decide } from '../support/chat.ts'
import { type Stage, startStage } from '../support/stage.ts'

let stage: Stage
let browser: Browser
let it: Visit
let page: Page
let waiting: () => number

beforeAll(async () => {
  ;[stage, browser] = await Promise.all([startStage(), launch()])
})
afterAll(async () => {
  await browser?.close()
  await stage?.remove()
})
beforeEach(async () => {
  it = await visit(browser, stage.origin)
  page = it.page
  waiting = underWay(page)
  await it.open('/backend/page/3')
  await it.logIn('editor')
  await topbar(page).waitFor()
})
afterEach(async () => {
  const { complaints } = it
  await it.close()
  expect(complaints).toEqual([])
})

const button = () => page.getByRole('button', { name: 'AI Chat', exact: true })
const panel = () => page.getByRole('region', { name: 'AI Chat' })
const message = () => page.getByRole('textbox', { name: 'Message' })
const answer = () => page.getByRole('article', { name: /^Assistant/ })
const go = (module: string) =>
  page.getByRole('navigation', { name: 'Modules' }).getByRole('link', { name: module }).click()

test('there is one panel from login to logout, open or not, whatever module is shown', async () => {
  await page.locator('ai-chat-panel').evaluate((element) => element.setAttribute('data-first', ''))
  await expect.poll(() => panel().count()).toBe(0)

  await button().click()
  // The module of the chat shows the same conversation: the panel folds itself away there.
  for (const [module, open] of [
    ['List', 1],
    ['Log', 1],
    ['Page', 1],
    ['AI Chat', 0],
    ['Page', 1],
  ] as const) {
    await go(module)
    await expect.poll(() => page.locator('ai-chat-panel').count()).toBe(1)
    await expect.poll(() => page.locator('ai-chat-panel[data-first]').count()).toBe(1)
    await expect.poll(() => panel().count()).toBe(open)
  }

  await page.getByRole('button', { name: /editor$/ }).click()
  await page.getByRole('menuitem', { name: 'Log out' }).click()
  await form(page).username.waitFor()
  await expect.poll(() => page.locator('ai-chat-panel').count()).toBe(0)
})

test('an open panel stays out of the full page, however the user came there, and is open beside the next module', async () => {
  await button().click()
  await message().waitFor()
  await go('AI Chat')
  await page.waitForURL('**/backend/chat')
  await page.reload()
  await page.locator('ai-chat-module').getByRole('textbox', { name: 'Message' }).waitFor()
  await expect.poll(() => button().getAttribute('aria-expanded')).toBe('false')
  expect(await panel().count()).toBe(0)

  await button().click()
  await expect.poll(() => message().evaluate((element) => element.matches(':focus'))).toBe(true)
  expect(await panel().count()).toBe(0)

  await go('Page')
  await panel().waitFor()
  await expect.poll(() => button().getAttribute('aria-expanded')).toBe('true')
})

test('the toolbar button opens it and takes the focus back when it closes', async () => {
  await expect.poll(() => button().getAttribute('aria-expanded')).toBe('false')
  await button().click()
  await message().waitFor()
  await expect.poll(() => button().getAttribute('aria-expanded')).toBe('true')

  await panel().getByRole('button', { name: 'Close' }).click()

  await panel().waitFor({ state: 'detached' })
  await expect.poll(() => button().getAttribute('aria-expanded')).toBe('false')
  await expect.poll(() => button().evaluate((element) => element === document.activeElement)).toBe(true)
})

test('a question goes out with the page of the address, also while that page still loads', async () => {
  await button().click()
  await message().waitFor()
  let goOn = () => {}
  const held = new Promise<void>((done) => {
    goOn = done
  })
  await page.route('**/backend/pages/4', async (route) => {
    await held
    await route.continue()
  })
  await page.getByRole('treeitem', { name: /Borealis desk/ }).click()
  await page.waitForURL('**/backend/page/4')

  await message().fill('What is on this page?')
  const sent = page.waitForRequest('**/ai-chat/conversations/send')
  await page.keyboard.press('Enter')

  expect((await sent).postDataJSON()).toMatchObject({ viewContext: { pageId: 4, module: 'page' } })
  goOn()
})

test('the frame makes room for it at every height, and nothing is covered', async () => {
  await button().click()
  const edges = async () => {
    const frame = await page.getByRole('main').boundingBox()
    const box = await page.locator('ai-chat-panel').boundingBox()
    if (!frame || !box) throw new Error(`Not there: frame ${frame}, panel ${box}`)
    return {
      gap: box.y - (frame.y + frame.height),
      left: box.x,
      right: box.x + box.width,
      bottom: box.y + box.height,
    }
  }
  await message().waitFor()
  await expect.poll(() => edges()).toEqual({ gap: 8, left: 200, right: 1432, bottom: 892 })

  await panel().getByRole('button', { name: 'Collapse' }).click()
  await panel().getByRole('button', { name: 'Open panel' }).waitFor()
  await expect.poll(() => edges()).toEqual({ gap: 8, left: 200, right: 1432, bottom: 892 })

  await panel().getByRole('button', { name: 'Open panel' }).click()
  await panel().getByRole('button', { name: 'Full height' }).click()
  await panel().getByRole('button', { name: 'Half height' }).waitFor()
  await expect
    .poll(() => page.getByRole('heading', { name: 'Aurora lamp', level: 1 }).isVisible())
    .toBe(false)
})

test('a question asked from it is answered while the user moves on, in panel and module alike', async () => {
  await button().click()
  await message().fill('What does the Aurora lamp cost?')
  await message().press('Enter')
  await page.getByRole('article', { name: /^You/ }).waitFor()
  await go('Log')

  await answer().filter({ hasText: '149 EUR' }).waitFor()
  await expect.poll(() => page.title()).toBe('Log, Northlight')
  await panel().getByRole('button', { name: 'Open in module' }).click()

  await page.waitForURL(/\/backend\/chat\/2-[0-9a-z]{26}$/)
  await expect.poll(() => page.title()).toBe('AI Chat, Northlight')
  await page
    .locator('ai-chat-module')
    .getByRole('article', { name: /^Assistant/ })
    .filter({ hasText: '149 EUR' })
    .waitFor()
  await expect.poll(() => panel().count()).toBe(0)

  await page.reload()
  await page
    .locator('ai-chat-module')
    .getByRole('article', { name: /^Assistant/ })
    .filter({ hasText: '149 EUR' })
    .waitFor()
})

test('the number of busy conversations describes the toolbar button, and only then', async () => {
  const described = () => button().getAttribute('aria-describedby')
  await expect.poll(() => described()).toBe(null)
  await button().click()
  const held = Promise.withResolvers<void>()
  await page.route('**/ai-chat/conversations/messages?*', async (route) => {
    await held.promise
    await route.continue()
  })
  await message().fill('What does the Borealis desk cost?')
  await message().press('Enter')

  await page.waitForFunction(() => document.querySelector('#chat-busy')?.textContent === '1 working')
  await expect.poll(() => described()).toBe('chat-busy')
  held.resolve()
  await page.waitForFunction(() => !document.querySelector('#chat-busy'))
  await expect.poll(() => described()).toBe(null)
})

test('it knows what is open beside it', async () => {
  await button().click()
  await panel().getByText('Page: Aurora lamp [3]').waitFor()

  await page.getByRole('treeitem', { name: 'Borealis desk' }).click()

  await panel().getByText('Page: Borealis desk [4]').waitFor()
})

test('a record that it names opens in the frame', async () => {
  await button().click()
  await message().fill('What does the Aurora lamp cost?')
  await message().press('Enter')
  await answer().filter({ hasText: '149 EUR' }).waitFor()
  await page
    .getByRole('link', { name: /^Content:.*\[\d+\]$/ })
    .first()
    .click()

  await page.waitForURL(/\/backend\/list\/content\/\d+$/)
  await expect.poll(() => panel().count()).toBe(1)
})

test('what the assistant changed, and what is taken back, is shown in the frame', async () => {
  await page.getByRole('treeitem', { name: 'Borealis desk' }).click()
  await page.getByRole('heading', { name: 'Borealis desk', level: 1 }).waitFor()
  await button().click()
  await message().fill('Rename page 4 to Borealis table')
  await message().press('Enter')
  const approve = page.getByRole('button', { name: 'Approve' })
  await approve.waitFor()
  const renamed = page.getByRole('heading', { name: 'Borealis table', level: 1 })
  await decide(chatIn(page, 'panel'), 'Approve', () => renamed.isVisible())

  await page.getByRole('heading', { name: 'Borealis table', level: 1 }).waitFor()
  await page.getByRole('treeitem', { name: 'Borealis table' }).waitFor()
  await panel().getByRole('button', { name: 'Undo' }).click()

  await page.getByRole('heading', { name: 'Borealis desk', level: 1 }).waitFor()
})

test('a session that ends while something is typed costs none of it', async () => {
  const listed = page.waitForResponse(/\/ai-chat\/conversations\?/)
  await button().click()
  await panel().getByText('Demo mode: a fixed script, not an AI').waitFor()
  await message().fill('How many pages are there?')
  // A request that the page still makes would open the dialog before the message is sent.
  await listed
  await expect.poll(waiting).toBe(0)
  await page.context().clearCookies()
  await message().press('Enter')

  const dialog = page.getByRole('dialog', { name: 'Log in again' })
  await form(dialog).password.fill('demo')
  await form(dialog).submit.click()

  await dialog.waitFor({ state: 'detached' })
  await page
    .getByRole('article', { name: /^You, \d/ })
    .filter({ hasText: 'How many pages are there?' })
    .waitFor()
  await answer().first().waitFor()
})
