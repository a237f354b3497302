import { expect, test } from 'vitest'
import { arrive, chatIn, goTo, hasFocus, toolbarButton } from '../support/chat.ts'
import { isOver } from '../support/http.ts'
import { scriptedScene } from '../support/scene.ts'

const { enter, api, client, titled } = scriptedScene()

/** The panel open over the page of the Aurora lamp. */
async function opened({ clock = false } = {}) {
  const { page } = await enter('editor')
  if (clock) await page.clock.install()
  await arrive(page, '/backend/page/3')
  await toolbarButton(page).click()
  const panel = chatIn(page, 'panel')
  await panel.message.waitFor()
  return { page, panel }
}

const long = Array.from({ length: 60 }, (_, n) => `Paragraph ${n + 1} of the answer.`).join('\n\n')

test('it takes the focus when it opens, and Escape closes it and gives the focus back', async () => {
  const { page, panel } = await opened()
  await expect.poll(() => hasFocus(panel.message)).toBe(true)

  await page.keyboard.press('Escape')

  await panel.region.waitFor({ state: 'detached' })
  await expect.poll(() => hasFocus(toolbarButton(page))).toBe(true)
})

test('it is bar, half and full, and says which of them the buttons lead to', async () => {
  const { panel } = await opened()
  await panel.button('Full height').click()
  await panel.button('Half height').click()
  await panel.button('Full height').waitFor()

  await panel.button('Collapse').click()
  await expect.poll(() => panel.message.count()).toBe(0)
  await expect.poll(() => panel.region.count()).toBe(1)

  await panel.button('Open panel').click()
  await expect.poll(() => hasFocus(panel.message)).toBe(true)
})

test('its edge is moved with the keyboard, between a fifth and all of the work area', async () => {
  const { page, panel } = await opened()
  const value = () => panel.separator.getAttribute('aria-valuenow')
  const seen = [await value()]
  await panel.separator.focus()
  for (const key of ['ArrowUp', 'ArrowDown', 'PageUp', 'PageDown', 'End', 'ArrowUp', 'Home', 'ArrowDown']) {
    await page.keyboard.press(key)
    seen.push(await value())
  }

  expect(seen).toEqual(['50', '55', '50', '70', '50', '100', '100', '20', '20'])
})

test('its edge is dragged with the pointer', async () => {
  const { page, panel } = await opened()
  const box = await panel.separator.boundingBox()
  if (!box) throw new Error('The separator is not on the screen')
  const before = (await panel.root.boundingBox())?.height ?? 0

  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2)
  await page.mouse.down()
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2 - 120, { steps: 4 })
  await page.mouse.up()

  await expect.poll(async () => ((await panel.root.boundingBox())?.height ?? 0) - before).toBe(120)
})

test('it survives navigation and a reload, with size, conversation, draft and place in the log', async () => {
  const { page, panel } = await opened()
  api().reply({ text: long })
  await panel.ask('Tell me a long story')
  await panel.answer('Paragraph 60').waitFor()
  await panel.message.fill('Half a thought')
  await panel.separator.press('PageUp')
  // A log that gets another height in the same moment goes to where it was once more.
  const isInPlace = () =>
    panel.log.getByText('Paragraph 20 of the answer.').evaluate(async (it) => {
      it.scrollIntoView({ block: 'start' })
      const place = it.getBoundingClientRect().top
      for (let frame = 0; frame < 3; frame++) await new Promise(requestAnimationFrame)
      return it.getBoundingClientRect().top === place
    })
  await expect.poll(isInPlace).toBe(true)
  const inSight = () => panel.log.getByText('Paragraph 21 of the answer.').isVisible()
  const top = async () =>
    Math.round((await panel.log.getByText('Paragraph 20 of the answer.').boundingBox())?.y ?? -1)
  const stood = await top()

  await goTo(page, 'Log')
  await page.getByRole('heading', { level: 1 }).waitFor()
  await expect.poll(() => inSight()).toBe(true)
  await goTo(page, 'Page')
  await page.reload()

  await panel.answer('Paragraph 60').waitFor()
  await expect.poll(() => panel.message.inputValue()).toBe('Half a thought')
  await expect.poll(() => panel.separator.getAttribute('aria-valuenow')).toBe('70')
  await expect.poll(top).toBe(stood)
})

test('it stands where it was before anything else of the page is there', async () => {
  const { page, panel } = await opened()
  await panel.button('Full height').click()
  await page.addInitScript(() => {
    const heights: number[] = []
    Object.assign(globalThis, { heights })
    const look = () => {
      const panel = document.querySelector('ai-chat-panel')
      if (panel?.shadowRoot?.querySelector('section')) heights.push(panel.getBoundingClientRect().height)
      requestAnimationFrame(look)
    }
    requestAnimationFrame(look)
  })
  await page.reload()
  await panel.button('Half height').waitFor()
  const heights = await page.evaluate(() => (globalThis as unknown as { heights: number[] }).heights)

  expect(heights.length).toBeGreaterThan(0)
  expect(new Set(heights.map(Math.round)).size).toBe(1)
})

test('it goes into the module and back with the same conversation', async () => {
  const { page, panel } = await opened()
  api().reply({ text: 'There are two of them.' })
  await panel.ask('How many lamps are there?')
  await panel.answer('two of them').waitFor()

  await panel.button('Open in module').click()
  await page.waitForURL(/\/backend\/chat\/2-[0-9a-z]{26}$/)
  const module = chatIn(page, 'module')
  await module.answer('two of them').waitFor()
  await expect.poll(() => panel.region.count()).toBe(0)
  await goTo(page, 'Page')
  await toolbarButton(page).click()

  await panel.answer('two of them').waitFor()
})

test('its title switches between conversations, and Escape gives the focus back', async () => {
  await titled('About desks')
  await titled('About lamps')
  const { page, panel } = await opened()
  const title = panel.root.getByRole('heading').getByRole('button')
  await title.click()
  const menu = panel.root.getByRole('menu', { name: 'Conversations' })
  await menu.waitFor()
  await page.keyboard.press('Escape')
  await expect.poll(() => menu.count()).toBe(0)
  await expect.poll(() => hasFocus(title)).toBe(true)

  await title.click()
  await menu.getByRole('menuitem', { name: 'About desks' }).click()
  await panel.root.getByRole('button', { name: 'About desks' }).waitFor()
})

test('collapsed it tells in one phrase how things stand', async () => {
  const { panel } = await opened()
  const gate = Promise.withResolvers<void>()
  api().reply(async () => {
    await gate.promise
    return { text: 'Here it is.' }
  })
  await panel.ask('Say something')
  await panel.own.waitFor()
  await panel.button('Collapse').click()

  await panel.region.getByText(/^Working, \d+ s$/).waitFor()
  gate.resolve()
  await panel.region.getByText(/^Answer ready, \d\d:\d\d$/).waitFor()
})

test('the badge counts what runs, also while no view shows it', async () => {
  const { page, panel } = await opened({ clock: true })
  const editor = await client('editor')
  const described = () =>
    toolbarButton(page).evaluate(
      (it) => document.getElementById(it.getAttribute('aria-describedby') ?? '')?.textContent ?? null,
    )
  await expect.poll(() => described()).toBe(null)
  const answered = Promise.withResolvers<void>()
  api().reply(async () => {
    await answered.promise
    return { text: 'Done.' }
  })
  await panel.ask('Take your time')
  await expect.poll(described).toBe('1 working')
  await api().received(1)
  const { body } = await editor.get<{ conversations: { id: string }[] }>('/ai-chat/conversations')
  await panel.button('Close').click()
  answered.resolve()
  await editor.until(body.conversations[0]?.id ?? '', isOver)
  await expect.poll(() => described()).toBe('1 working')
  await page.clock.fastForward(31_000)

  await expect.poll(described).toBe(null)
})

test('below 896 px it is a dialog over everything', async () => {
  const { page } = await enter('editor', '/backend/page/3', { viewport: { width: 360, height: 740 } })
  await toolbarButton(page).click()
  const dialog = page.getByRole('dialog', { name: 'AI Chat' })
  await dialog.getByRole('textbox', { name: 'Message' }).waitFor()
  await expect.poll(() => dialog.boundingBox()).toEqual({ x: 0, y: 0, width: 360, height: 740 })

  await dialog.getByRole('button', { name: 'Show conversations' }).click()
  await dialog.getByRole('searchbox', { name: 'Search conversations' }).waitFor()
  await page.keyboard.press('Escape')

  await dialog.waitFor({ state: 'detached' })
  await expect.poll(() => hasFocus(toolbarButton(page))).toBe(true)
})
