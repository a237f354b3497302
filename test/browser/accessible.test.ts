import type { Browser } from 'playwright'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { launch, topbar, violations, visit } from '../support/browser.ts'
import { type Stage, startStage } from '../support/stage.ts'

let stage: Stage
let browser: Browser

beforeAll(async () => {
  ;[stage, browser] = await Promise.all([startStage(), launch()])
})
afterAll(async () => {
  await browser?.close()
  await stage?.remove()
})

const wide = { width: 1440, height: 900 }
const narrow = { width: 320, height: 640 }
const addresses = [
  '/backend/page/3',
  '/backend/page/3/edit',
  '/backend/list?page=3',
  '/backend/list/content',
  '/backend/log',
  '/backend/usage',
]

test.each([
  ['light', wide],
  ['dark', wide],
  ['light', narrow],
  ['dark', narrow],
] as const)('axe finds nothing in any module, %s and at %j', async (colorScheme, viewport) => {
  const { page, open, logIn, close } = await visit(browser, stage.origin, { colorScheme, viewport })
  await open('/backend')
  await page.getByRole('button', { name: /^admin/ }).waitFor()
  const found: Record<string, string[]> = { login: await violations(page) }
  await logIn('admin')
  await topbar(page).waitFor()

  for (const address of addresses) {
    await open(address)
    await page.locator('main h1').first().waitFor()
    found[address] = await violations(page)
    expect([address, await page.evaluate(() => document.documentElement.scrollWidth)]).toEqual([
      address,
      viewport.width,
    ])
  }
  await close()

  expect(found).toEqual({ login: [], ...Object.fromEntries(addresses.map((address) => [address, []])) })
})

test('axe finds nothing where the page is mirrored', async () => {
  const { page, open, logIn, close } = await visit(browser, stage.origin, { viewport: wide })
  await open('/backend/page/3')
  await logIn('editor')
  await page.getByRole('heading', { name: 'Aurora lamp', level: 1 }).waitFor()
  await page.evaluate(() => {
    document.documentElement.dir = 'rtl'
  })

  expect(await violations(page)).toEqual([])
  await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(wide.width)
  await close()
})
