import type { Browser } from 'playwright'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { form, launch, topbar, type Visit, visit } from '../support/browser.ts'
import { type Stage, startStage } from '../support/stage.ts'

let stage: Stage
let browser: Browser
let it: Visit

beforeAll(async () => {
  const starting = Promise.all([startStage(), launch()])
  ;[stage, browser] = await starting
})
afterAll(async () => {
  await browser?.close()
  await stage?.remove()
})
beforeEach(async () => {
  it = await visit(browser, stage.origin)
})
afterEach(async () => {
  const { complaints } = it
  await it.close()
  expect(complaints).toEqual([])
})

/** Opens an address as a user of the seeded site. */
async function openAs(username: string, path = '/backend'): Promise<void> {
  await it.open(path)
  await it.logIn(username)
  await topbar(it.page).waitFor()
}

describe('login', () => {
  test('leads to the address that was asked for', async () => {
    await openAs('editor', '/backend/list/content/1')

    await expect.poll(() => new URL(it.page.url()).pathname).toBe('/backend/list/content/1')
    await it.page.getByRole('textbox', { name: 'Header', exact: true }).waitFor()
  })

  test('refuses a wrong password with an alert, and keeps the name', async () => {
    await it.open('/backend')
    await it.logIn('editor', 'wrong')

    await expect
      .poll(() => it.page.getByRole('alert').textContent())
      .toContain('Username or password is wrong.')
    await expect.poll(() => form(it.page).username.inputValue()).toBe('editor')
    await expect.poll(() => form(it.page).password.inputValue()).toBe('')
  })

  test('is one click for a demo user', async () => {
    await it.open('/backend')
    await it.page.getByRole('button', { name: /^editor/ }).click()

    await it.page.getByRole('button', { name: /editor$/ }).waitFor()
    await it.page.waitForFunction(() => document.title === 'Page: Home, Northlight')
  })

  test('speaks the language of the browser, and then that of the user', async () => {
    await it.close()
    it = await visit(browser, stage.origin, { locale: 'de-DE' })
    await it.open('/backend')
    await expect.poll(() => it.page.locator('html').getAttribute('lang')).toBe('de')
    await expect.poll(() => it.page.title()).toBe('Anmelden, Northlight')

    await it.logIn('editor')
    await it.page.getByRole('navigation', { name: 'Modules' }).waitFor()
    await expect.poll(() => it.page.locator('html').getAttribute('lang')).toBe('en')
  })

  test('mirrors for a language that is written from right to left', async () => {
    await it.close()
    it = await visit(browser, stage.origin, { locale: 'ar-EG' })
    await it.open('/backend')

    await expect.poll(() => it.page.locator('html').getAttribute('dir')).toBe('rtl')
  })

  test('lasts over a reload and ends with Log out, which leaves nothing behind', async () => {
    await openAs('editor', '/backend/page/3')
    await it.page.reload()
    await topbar(it.page).waitFor()
    await it.page.evaluate(() => localStorage.setItem('aic:v1:2', '{"drafts":{"":"secret"}}'))

    await it.page.getByRole('button', { name: /editor$/ }).click()
    await it.page.getByRole('menuitem', { name: 'Log out' }).click()

    await form(it.page).username.waitFor()
    await expect.poll(() => new URL(it.page.url()).pathname).toBe('/backend')
    const kept = await it.page.evaluate(() =>
      Object.keys(localStorage).filter((key) => key.startsWith('aic:')),
    )
    expect(kept).toEqual([])
  })

  test('of one tab that ends, ends in the other', async () => {
    await openAs('editor')
    const other = await it.page.context().newPage()
    await other.goto('/backend/log')
    await topbar(other).waitFor()

    await it.page.getByRole('button', { name: /editor$/ }).click()
    await it.page.getByRole('menuitem', { name: 'Log out' }).click()

    await form(other).username.waitFor()
  })
})

describe('another user who logs in', () => {
  test('in one tab is the user of the other tab, too, where nothing of the earlier user stays', async () => {
    await openAs('editor', '/backend/list/pages/6')
    await it.page.getByRole('textbox', { name: 'Keywords' }).fill('opening hours')
    await it.page.context().clearCookies()
    const other = await it.page.context().newPage()
    await other.goto('/backend')
    await form(other).username.fill('admin')
    await form(other).password.fill('demo')
    await form(other).submit.click()

    await it.page.getByRole('button', { name: /admin$/ }).waitFor()
    const keywords = it.page.getByRole('textbox', { name: 'Keywords' })
    await expect.poll(() => keywords.inputValue()).not.toBe('opening hours')
  })

  test('over the page of the earlier user finds nothing of that user, and saves nothing', async () => {
    await openAs('editor', '/backend/list/pages/6')
    await it.page.getByRole('textbox', { name: 'Keywords' }).fill('opening hours')
    await it.page.evaluate(() => localStorage.setItem('aic:v1:2', '{"drafts":{"":"secret"}}'))
    await it.page.context().clearCookies()
    const saves: (number | undefined)[] = []
    it.page.on('requestfinished', async (request) => {
      if (request.method() !== 'POST' || !request.url().endsWith('/records/pages/6')) return
      saves.push((await request.response())?.status())
    })
    await it.page.getByRole('button', { name: 'Save' }).click()
    const dialog = it.page.getByRole('dialog', { name: 'Log in again' })
    await form(dialog).username.fill('admin')
    await form(dialog).password.fill('demo')
    await form(dialog).submit.click()

    await it.page.getByRole('button', { name: /admin$/ }).waitFor()
    const keywords = it.page.getByRole('textbox', { name: 'Keywords' })
    await expect.poll(() => keywords.inputValue()).not.toBe('opening hours')
    expect(await it.page.evaluate(() => localStorage.getItem('aic:v1:2'))).toBeNull()
    expect(saves).toEqual([401])
  })
})

describe('the shell', () => {
  test('names the modules by group, and says which is open', async () => {
    await openAs('editor')
    const menu = it.page.getByRole('navigation', { name: 'Modules' })

    for (const [group, links] of Object.entries({
      Web: ['Page', 'List'],
      System: ['Log'],
      'Admin Tools': ['AI Chat'],
    }))
      await expect
        .poll(() => menu.getByRole('list', { name: group }).getByRole('link').allTextContents())
        .toEqual(links)

    await menu.getByRole('link', { name: 'List' }).click()
    await expect
      .poll(() => menu.getByRole('link', { name: 'List' }).getAttribute('aria-current'))
      .toBe('page')
    await expect.poll(() => menu.locator('[aria-current]').count()).toBe(1)
  })

  test.each([
    ['Page', 'Page: Home, Northlight', '/backend/page/1'],
    ['List', 'List: Home, Northlight', '/backend/list?page=1'],
    ['Log', 'Log, Northlight', '/backend/log'],
    ['Usage', 'Usage, Northlight', '/backend/usage'],
  ])('titles the window for %s and puts it in the address', async (module, title, address) => {
    await openAs('admin')
    await it.page.getByRole('navigation', { name: 'Modules' }).getByRole('link', { name: module }).click()

    await it.page.waitForFunction((wanted) => document.title === wanted, title)
    await expect.poll(() => it.page.url()).toBe(`${stage.origin}${address}`)
  })

  test('keeps the menu open that was opened while the first page of the tree was still looked for', async () => {
    let goOn = () => {}
    const held = new Promise<void>((done) => {
      goOn = done
    })
    await it.page.setViewportSize({ width: 360, height: 740 })
    await it.page.route('**/backend/pages', async (route) => {
      await held
      await route.continue()
    })
    await openAs('admin', '/backend')
    await it.page.getByRole('button', { name: 'Menu', exact: true }).click()
    goOn()
    await it.page.waitForURL('**/backend/page/1')
    await it.page.getByRole('heading', { name: 'Home', level: 1 }).waitFor()

    await expect.poll(() => it.page.getByRole('navigation', { name: 'Modules' }).isVisible()).toBe(true)
  })

  test('stays where the user has gone while the first page of the tree was still looked for', async () => {
    let goOn = () => {}
    const held = new Promise<void>((done) => {
      goOn = done
    })
    await it.page.route('**/backend/pages', async (route) => {
      await held
      await route.continue()
    })
    await openAs('admin', '/backend')
    await it.page.getByRole('navigation', { name: 'Modules' }).getByRole('link', { name: 'Log' }).click()
    await it.page.waitForURL('**/backend/log')

    const answered = it.page.waitForResponse('**/backend/pages')
    goOn()
    await (await answered).finished()
    await it.page.waitForFunction(() => document.title === 'Log, Northlight')

    await expect.poll(() => it.page.url()).toBe(`${stage.origin}/backend/log`)
  })

  test('keeps the title of the open page when the answer of an earlier page arrives late', async () => {
    const held = Promise.withResolvers<void>()
    await it.page.route('**/backend/pages/2', async (route) => {
      await held.promise
      await route.continue()
    })
    await openAs('editor', '/backend/page/3')
    await it.page.getByRole('treeitem', { name: 'Products', exact: true }).click()
    await it.page.getByRole('treeitem', { name: 'About us', exact: true }).click()
    await it.page.waitForFunction(() => document.title === 'Page: About us, Northlight')

    const answered = it.page.waitForResponse('**/backend/pages/2')
    held.resolve()
    await (await answered).finished()
    await it.page.evaluate(
      () => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))),
    )

    expect(await it.page.title()).toBe('Page: About us, Northlight')
  })

  test('goes back and forward with the browser', async () => {
    await openAs('editor', '/backend/page/3')
    await it.page.getByRole('heading', { name: 'Aurora lamp', level: 1 }).waitFor()
    await it.page.getByRole('link', { name: 'Products' }).click()
    await it.page.getByRole('heading', { name: 'Products', level: 1 }).waitFor()

    await it.page.goBack()

    await it.page.getByRole('heading', { name: 'Aurora lamp', level: 1 }).waitFor()
  })

  test('speaks German with a German user', async () => {
    await openAs('autorin', '/backend/page/3')
    const menu = it.page.getByRole('navigation', { name: 'Module' })

    await expect
      .poll(() => menu.getByRole('link').allTextContents())
      .toEqual(['Seite', 'Liste', 'Protokoll', 'KI-Chat'])
    await expect.poll(() => menu.getByRole('list', { name: 'Administration' }).count()).toBe(1)
    await expect.poll(() => it.page.locator('html').getAttribute('lang')).toBe('de')
    await it.page.waitForFunction(() => document.title === 'Seite: Aurora lamp, Northlight')
  })

  test('offers no chat to users who may not use it', async () => {
    await openAs('guest')
    await it.page.getByRole('navigation', { name: 'Modules' }).waitFor()

    await expect.poll(() => it.page.getByText('AI Chat').count()).toBe(0)
    await expect.poll(() => it.page.locator('ai-chat-panel').count()).toBe(0)
  })

  test('stops at each button of the bar, and first at the skip link', async () => {
    await openAs('editor')
    await it.page.evaluate(() => (document.activeElement as HTMLElement).blur())
    const stops: (string | null)[] = []
    for (let n = 0; n < 4; n++) {
      await it.page.keyboard.press('Tab')
      stops.push(
        await it.page.evaluate(
          () =>
            (document.activeElement as HTMLElement | null)?.innerText.trim() ||
            document.activeElement?.ariaLabel ||
            null,
        ),
      )
    }

    expect(stops).toEqual(['Skip to the module', 'AI Chat', 'Switch theme', expect.stringMatching(/editor$/)])
  })

  test('gives the focus back when Escape closes the user menu', async () => {
    await openAs('editor')
    const button = it.page.getByRole('button', { name: /editor$/ })
    await button.click()
    const item = it.page.getByRole('menuitem', { name: 'Log out' })
    await expect.poll(() => item.evaluate((element) => element === document.activeElement)).toBe(true)

    await it.page.keyboard.press('Escape')

    await expect.poll(() => button.evaluate((element) => element === document.activeElement)).toBe(true)
    await expect.poll(() => button.getAttribute('aria-expanded')).toBe('false')
  })

  test('follows the system’s theme until its button is used, and then remembers', async () => {
    const ground = () => it.page.evaluate(() => getComputedStyle(document.body).backgroundColor)
    await openAs('editor')
    const light = await ground()
    await it.page.emulateMedia({ colorScheme: 'dark' })
    const dark = await ground()
    expect(dark).not.toBe(light)

    await it.page.getByRole('button', { name: 'Switch theme' }).click()
    await expect.poll(() => ground()).toBe(light)
    await it.page.reload()
    await topbar(it.page).waitFor()
    await expect.poll(() => ground()).toBe(light)
  })

  test('keeps menu and tree in drawers on a narrow screen', async () => {
    await it.page.setViewportSize({ width: 360, height: 740 })
    await openAs('editor', '/backend/page/3')
    await expect.poll(() => it.page.getByRole('navigation', { name: 'Modules' }).count()).toBe(0)

    await it.page.getByRole('button', { name: 'Page tree' }).click()
    await it.page.getByRole('treeitem', { name: 'Borealis desk' }).click()
    await it.page.getByRole('heading', { name: 'Borealis desk', level: 1 }).waitFor()
    await expect.poll(() => it.page.getByRole('tree').count()).toBe(0)

    await it.page.getByRole('button', { name: 'Menu', exact: true }).click()
    await it.page.getByRole('link', { name: 'Log' }).click()
    await it.page.getByText('Only administrators may read the log.').waitFor()
    await expect.poll(() => it.page.evaluate(() => document.documentElement.scrollWidth)).toBe(360)
  })
})

describe('the page tree', () => {
  const item = (name: string) => it.page.getByRole('treeitem', { name, exact: true })
  const focused = () =>
    it.page.evaluate(() => document.activeElement?.querySelector('.node-title')?.textContent?.trim())

  test('opens, closes and chooses with the keyboard', async () => {
    await openAs('editor', '/backend/page/2')
    await item('Products').focus()
    await expect.poll(() => item('Products').getAttribute('aria-expanded')).toBe('false')

    await it.page.keyboard.press('ArrowRight')
    await item('Aurora lamp').waitFor()
    await it.page.keyboard.press('a')
    await expect.poll(() => focused()).toBe('Aurora lamp')
    await it.page.keyboard.press('Enter')
    await it.page.getByRole('heading', { name: 'Aurora lamp', level: 1 }).waitFor()
    await expect.poll(() => item('Aurora lamp').getAttribute('aria-selected')).toBe('true')

    await it.page.keyboard.press('ArrowLeft')
    await expect.poll(() => focused()).toBe('Products')
    await it.page.keyboard.press('ArrowLeft')
    await expect.poll(() => item('Aurora lamp').count()).toBe(0)
    await it.page.keyboard.press('Home')
    await expect.poll(() => focused()).toBe('Home')
  })

  test('is one stop for the Tab key', async () => {
    await openAs('editor', '/backend/page/3')
    await item('Aurora lamp').waitFor()

    await expect.poll(() => it.page.locator('[role=treeitem][tabindex="0"]').count()).toBe(1)
  })

  test('filters to what matches and what is above it', async () => {
    await openAs('editor', '/backend/page/1')
    await it.page.getByRole('searchbox', { name: 'Filter pages' }).fill('borealis')

    await expect
      .poll(() => it.page.getByRole('treeitem').locator('.node-title').allTextContents())
      .toEqual(['Home', 'Products', 'Borealis desk'])
  })

  test('does not show what the user may not see', async () => {
    await openAs('editor')
    await item('Home').waitFor()

    await expect.poll(() => item('Management').count()).toBe(0)
  })
})

describe('a record', () => {
  test('is edited in its form, and its history says so', async () => {
    await openAs('editor', '/backend/page/4')
    await it.page.getByRole('link', { name: 'Edit page' }).click()
    const description = it.page.getByRole('textbox', { name: 'Description' })
    await description.fill('A desk of northern ash.')
    await it.page.getByRole('button', { name: 'Save' }).click()

    await it.page.getByRole('status').filter({ hasText: 'Saved' }).waitFor()
    await it.page.locator('summary', { hasText: 'editor changed' }).first().click()
    await it.page.locator('dd', { hasText: 'A desk of northern ash.' }).waitFor()
  })

  test('with a bad value is not sent, and the field says why and has the focus', async () => {
    await openAs('editor', '/backend/list/pages/4')
    const title = it.page.getByRole('textbox', { name: 'Title', exact: true })
    await title.fill('')
    await it.page.getByRole('button', { name: 'Save' }).click()

    await it.page.getByRole('alert').waitFor()
    await expect.poll(() => title.getAttribute('aria-invalid')).toBe('true')
    await expect.poll(() => title.evaluate((element) => element === document.activeElement)).toBe(true)
    const reason = await title.getAttribute('aria-describedby')
    await expect.poll(() => it.page.locator(`#${reason}`).textContent()).toBe('Required')
  })

  test('keeps what was typed while one looks elsewhere', async () => {
    await openAs('editor', '/backend/list/pages/5')
    const keywords = it.page.getByRole('textbox', { name: 'Keywords' })
    await keywords.fill('workshop, people')
    await it.page.getByRole('link', { name: 'Close' }).click()
    await it.page.getByRole('table').first().waitFor()

    await it.page.goBack()

    await expect.poll(() => keywords.inputValue()).toBe('workshop, people')
    await it.page.getByRole('button', { name: 'Discard changes' }).click()
    await it.page.waitForFunction(
      () => !document.querySelector('.frame-head')?.textContent?.includes('Discard'),
    )
  })

  test('that another user changed meanwhile is not written over', async () => {
    await openAs('editor', '/backend/list/pages/7')
    await it.page.getByRole('textbox', { name: 'Keywords' }).fill('mine')
    const other = await visit(browser, stage.origin)
    await other.open('/backend/list/pages/7')
    await other.logIn('admin')
    await other.page.getByRole('textbox', { name: 'Keywords' }).fill('theirs')
    await other.page.getByRole('button', { name: 'Save' }).click()
    await other.page.getByRole('status').filter({ hasText: 'Saved' }).waitFor()
    await other.close()

    await it.page.getByRole('button', { name: 'Save' }).click()

    await expect
      .poll(() => it.page.getByRole('alert').textContent())
      .toContain('The record has changed meanwhile.')
    await it.page.getByRole('button', { name: 'Show the current record' }).click()
    await it.page.waitForFunction(
      () => document.querySelector<HTMLInputElement>('#field-keywords')?.value === 'theirs',
    )
  })

  test('may be read without the right to change it', async () => {
    await openAs('autorin', '/backend/list/pages/4')

    await it.page.getByText('Sie dürfen diesen Datensatz lesen, aber nicht ändern.').waitFor()
    await expect.poll(() => it.page.getByRole('button', { name: 'Speichern' }).count()).toBe(0)
    await expect
      .poll(() => it.page.getByRole('textbox', { name: 'Titel', exact: true }).isEditable())
      .toBe(false)
  })

  test('that is not there is an alert with a way to try again', async () => {
    await openAs('editor', '/backend/page/11')

    await expect
      .poll(() => it.page.getByRole('alert').textContent())
      .toContain('This record does not exist, or you may not see it.')
  })

  test('is added to a page, hidden, and opens in its form', async () => {
    await openAs('editor', '/backend/page/4')
    await it.page.getByRole('button', { name: 'Add content' }).click()
    await it.page.waitForURL(/\/backend\/list\/content\/\d+$/)
    await it.page.getByRole('textbox', { name: 'Header', exact: true }).fill('Made by hand')
    await expect.poll(() => it.page.getByRole('checkbox', { name: 'Hidden' }).isChecked()).toBe(true)
    await it.page.getByRole('button', { name: 'Save' }).click()
    await it.page.getByRole('status').filter({ hasText: 'Saved' }).waitFor()

    await it.open('/backend/page/4')
    const element = it.page.getByRole('article').filter({ hasText: 'Made by hand' })
    await expect.poll(() => element.textContent()).toContain('Hidden')
  })

  test('is hidden and shown on its page', async () => {
    await openAs('editor', '/backend/page/4')
    await it.page.getByRole('button', { name: 'Hide page' }).click()
    await it.page.getByRole('button', { name: 'Show page' }).click()
    await it.page.getByRole('button', { name: 'Hide page' }).waitFor()
  })
})

describe('lists and log', () => {
  test('a table is listed on a page or on all, in parts', async () => {
    await openAs('admin', '/backend/list?page=3')
    await it.page.getByRole('combobox', { name: 'Table' }).selectOption('content')
    await it.page.waitForURL('**/backend/list/content?page=3')

    await it.page.getByRole('button', { name: 'All pages' }).click()
    await it.page.getByText(/^1 to 50 of \d+$/).waitFor()
    await it.page.getByRole('link', { name: 'Next' }).click()
    await it.page.getByText(/^51 to 100 of \d+$/).waitFor()
  })

  test('the log is filtered by level and by words, and shows a trace', async () => {
    await openAs('admin', '/backend/log')
    await it.page.getByRole('combobox', { name: 'Level' }).selectOption('critical')
    await it.page.waitForFunction(() =>
      [...document.querySelectorAll('.level')].every((level) => level.textContent === 'Critical'),
    )
    await it.page.locator('summary').first().click()
    await expect.poll(() => it.page.locator('pre').first().isVisible()).toBe(true)

    await it.page.getByRole('searchbox', { name: 'Filter entries' }).fill('no entry says this')
    await it.page.getByRole('status').filter({ hasText: 'No entry matches.' }).waitFor()
  })
})

test('an ended session asks for a new login over the page, and then goes on where it was', async () => {
  await openAs('editor', '/backend/list/pages/6')
  const keywords = it.page.getByRole('textbox', { name: 'Keywords' })
  await keywords.fill('opening hours')
  await it.page.context().clearCookies()
  await it.page.getByRole('button', { name: 'Save' }).click()

  const dialog = it.page.getByRole('dialog', { name: 'Log in again' })
  await dialog.waitFor()
  await expect.poll(() => form(dialog).username.inputValue()).toBe('editor')
  await form(dialog).password.fill('demo')
  await form(dialog).submit.click()

  await it.page.getByRole('status').filter({ hasText: 'Saved' }).waitFor()
  await expect.poll(() => keywords.inputValue()).toBe('opening hours')
  await expect.poll(() => dialog.count()).toBe(0)
})
