import type { BrowserContextOptions, Page } from 'playwright'
import { expect, test } from 'vitest'
import { violations } from '../support/browser.ts'
import { chatIn, toolbarButton } from '../support/chat.ts'
import { scriptedScene } from '../support/scene.ts'

const { enter, api, client } = scriptedScene()

const wide = { width: 1440, height: 900 }
const looks: [string, BrowserContextOptions, 'ltr' | 'rtl'][] = [
  ['light', { viewport: wide, colorScheme: 'light' }, 'ltr'],
  ['dark', { viewport: wide, colorScheme: 'dark' }, 'ltr'],
  ['mirrored', { viewport: wide, colorScheme: 'light' }, 'rtl'],
  ['narrow', { viewport: { width: 360, height: 740 }, colorScheme: 'dark' }, 'ltr'],
]

const answer = `## Lamps

The **Aurora lamp** [pages:3] costs 149 EUR, see [the site](https://example.com).

1. One
2. Two

> Quoted, with \`code\`

| Name | Price |
|:---|---:|
| Aurora | 149 EUR |

\`\`\`ts
const price: number = 149 // EUR
\`\`\`

| Name | Stock |
|:---|---:|
| Aurora | 12 |

\`\`\`ts
const stock: number = 12
\`\`\``

/** Conversations of the editor in every state that a person can be shown. */
async function prepared() {
  const editor = await client('editor')
  api().reply({ calls: [{ name: 'get_page_content', arguments: { page: 3 } }] }, { text: answer })
  const answered = await editor.ask('What does the lamp cost?')
  const changes = {
    calls: [{ name: 'update_record', arguments: { table: 'pages', uid: 4, fields: { title: 'Table' } } }],
  }
  api().reply(changes)
  const waiting = await editor.ask('Rename the desk')
  api().reply({ fault: 'status', status: 400, message: 'no' })
  const failed = await editor.ask('Fail')
  return {
    answered: answered.conversation.id,
    waiting: waiting.conversation.id,
    failed: failed.conversation.id,
  }
}

let ids: Promise<Awaited<ReturnType<typeof prepared>>> | undefined

test.each(looks)('axe finds nothing in module and panel, %s', async (_, options, dir) => {
  ids ??= prepared()
  const { answered, waiting, failed } = await ids
  const { page } = await enter('editor', undefined, options)
  const found: Record<string, string[]> = {}
  const look = async (name: string) => {
    await page.evaluate((direction) => document.documentElement.setAttribute('dir', direction), dir)
    const sideways = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
    found[name] = [...(await violations(page)), ...(sideways > 0 ? [`sideways by ${sideways}`] : [])]
  }
  const isNarrow = (options.viewport?.width ?? 0) < 896

  await inModule(page, isNarrow, { answered, waiting, failed }, look)
  await inPanel(page, isNarrow, answered, look)

  expect(found).toEqual(Object.fromEntries(Object.keys(found).map((name) => [name, []])))
})

type Ids = Awaited<ReturnType<typeof prepared>>

async function inModule(page: Page, isNarrow: boolean, ids: Ids, look: (name: string) => Promise<void>) {
  const module = chatIn(page, 'module')
  await page.goto(`/backend/chat/${ids.answered}`)
  await module.button(/^\d+ steps, \d+ s$/).click()
  await module.steps.getByText('Read page content').click()
  await module.steps.getByText('get_page_content', { exact: true }).waitFor()
  await look('answer with steps')
  await module.button('More actions').click()
  await module.menu.waitFor()
  await look('menu')
  await module.menu.getByRole('menuitem', { name: 'Instructions' }).click()
  await module.root.getByRole('dialog', { name: 'Instructions' }).waitFor()
  await look('instructions')
  await page.keyboard.press('Escape')
  await module.own.hover()
  await module.button('Edit message').click()
  await module.root.getByRole('textbox', { name: 'Edit message' }).waitFor()
  await look('editing')
  await page.goto(`/backend/chat/${ids.waiting}`)
  await module.button('Approve').waitFor()
  await look('approval')
  await page.goto(`/backend/chat/${ids.failed}`)
  await module.button('Retry').waitFor()
  await module.steps.waitFor()
  await look('failed')
  if (!isNarrow) return
  await module.button('Show conversations').click()
  await module.conversations.first().waitFor()
  await look('history')
}

async function inPanel(
  page: Page,
  isNarrow: boolean,
  answered: string,
  look: (name: string) => Promise<void>,
) {
  // The panel opens with the conversation that was shown last.
  await page.goto(`/backend/chat/${answered}`)
  await chatIn(page, 'module').button('Copy answer').waitFor()
  await page.goto('/backend/page/3')
  await page.getByRole('heading', { level: 1 }).waitFor()
  await toolbarButton(page).click()
  const panel = chatIn(page, 'panel')
  await panel.button('Copy answer').waitFor()
  await look('panel')
  if (isNarrow) return
  await panel.root.getByRole('heading', { level: 2 }).getByRole('button').click()
  const conversations = panel.root.getByRole('menu', { name: 'Conversations' })
  await conversations.waitFor()
  await look('panel with conversations')
  await page.keyboard.press('Escape')
  await conversations.waitFor({ state: 'detached' })
  await panel.button('New conversation').click()
  await panel.root.getByRole('heading', { name: /^Ask about/ }).waitFor()
  await look('empty panel')
  await panel.button('Collapse').click()
  await panel.button('Open panel').waitFor()
  await look('bar')
  await panel.button('Open panel').click()
  await panel.button('Full height').click()
  await panel.button('Half height').waitFor()
  await look('full panel')
}
