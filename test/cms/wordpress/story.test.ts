import type { Browser, Page } from 'playwright'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { missing } from '../../../infra/local/wordpress/site.ts'
import { launch, visit } from '../../support/browser.ts'
import { chatIn, decide } from '../../support/chat.ts'
import { type MessagesApi, startMessagesApi } from '../../support/messages-api.ts'
import { type Stage, startStage } from '../../support/stage.ts'

let api: MessagesApi
let stage: Stage
let browser: Browser
let origin: string

const paragraph = (text: string) => `<!-- wp:paragraph -->\n<p>${text}</p>\n<!-- /wp:paragraph -->`

/** A window in which a user of the site is logged in. */
async function enter(user: string): Promise<Page> {
  const { page } = await visit(browser, origin)
  await page.goto('/wp-login.php')
  await page.getByLabel('Username or Email Address').fill(user)
  await page.getByLabel('Password', { exact: true }).fill('demo')
  await Promise.all([page.waitForURL('**/wp-admin/**'), page.getByRole('button', { name: 'Log In' }).click()])
  return page
}

/** The page of a title and its stored fields, as WordPress gives them to the person. */
async function stored(page: Page, title: string): Promise<{ id: number; title: string; content: string }> {
  return page.evaluate(async (search) => {
    const { wp } = window as unknown as { wp: { apiFetch(options: object): Promise<never> } }
    const [found] = (await wp.apiFetch({
      path: `/wp/v2/pages?context=edit&per_page=1&search=${search}`,
    })) as { id: number; title: { raw: string }; content: { raw: string } }[]
    return { id: found?.id ?? 0, title: found?.title.raw ?? '', content: found?.content.raw ?? '' }
  }, title)
}

/** The id of a published page. */
async function idOf(title: string): Promise<number> {
  const answer = await fetch(`${origin}/wp-json/wp/v2/pages?search=${title}`)
  const [found] = (await answer.json()) as { id: number }[]
  return found?.id ?? 0
}

/** Opens a page in the block editor, without the guide that a new user gets. */
async function edit(page: Page, id: number): Promise<void> {
  await page.goto(`/wp-admin/post.php?post=${id}&action=edit`)
  await page.getByRole('button', { name: 'Close dialog' }).click()
}

const editorText = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const { wp } = window as unknown as {
      wp: { data: { select(name: string): { getEditedPostContent(): string } } }
    }
    return wp.data.select('core/editor').getEditedPostContent()
  })

/** What the chat keeps in the browser. */
const keys = (page: Page): Promise<string[]> =>
  page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith('aic:')))

/** The editor has something to save. */
const isDirty = (page: Page): Promise<boolean> =>
  page.evaluate(() => {
    const { wp } = window as unknown as {
      wp: { data: { select(name: string): { isEditedPostDirty(): boolean } } }
    }
    return wp.data.select('core/editor').isEditedPostDirty()
  })

/** Proposes other paragraphs for the page, and approves them as a person does. */
async function change(page: Page, uid: number, paragraphs: string[], said: string): Promise<void> {
  const content = paragraphs.map(paragraph).join('\n\n')
  api.reply(
    { calls: [{ name: 'get_record', arguments: { table: 'page', uid } }] },
    { calls: [{ name: 'update_record', arguments: { table: 'page', uid, fields: { content } } }] },
    { text: said },
  )
  const panel = chatIn(page, 'panel')
  await panel.ask('Change the price, please')
  await decide(panel, 'Approve', async () => (await panel.answers.filter({ hasText: said }).count()) > 0)
}

if (missing.length > 0)
  test(`WordPress in a browser is left out: this machine lacks ${missing.join(', ')}`, () => {
    expect(missing).not.toEqual([])
  })
else
  describe('WordPress in a browser', () => {
    beforeAll(async () => {
      api = await startMessagesApi()
      const env = {
        ANTHROPIC_API_KEY: api.key,
        ANTHROPIC_BASE_URL: api.url,
        ANTHROPIC_MODEL: 'claude-sonnet-5-5',
      }
      ;[stage, browser] = await Promise.all([
        startStage({ args: ['--cms', 'wordpress'], env: { PORT: '0', ...env } }),
        launch(),
      ])
      origin = /CMS +(http:\/\/localhost:\d+)\/wp-admin\//.exec(stage.output())?.[1] ?? ''
    })
    afterAll(async () => {
      await browser?.close()
      await stage?.remove()
      await api?.stop()
    })

    test('starts without a complaint', () => {
      expect(stage.output().split('\n').slice(-3)).toEqual(['', `ready ${stage.origin}/backend`, ''])
    })

    test('a change is seen in the open editor, outlives what the person saves, and can be taken back', async () => {
      const page = await enter('editor')
      const id = await idOf('Aurora')
      await edit(page, id)
      await page.getByRole('button', { name: 'AI Chat' }).last().click()
      const texts = ['It is made of oak.', 'The Aurora lamp costs 139 EUR.', 'It is 42 cm high.']
      await change(page, id, texts, 'The price is new.')

      await expect.poll(() => editorText(page)).toContain('139 EUR')
      await expect.poll(() => isDirty(page)).toBe(false)
      await page.getByRole('textbox', { name: 'Add title' }).fill('Aurora, the lamp')
      await page.getByRole('button', { name: 'Update', exact: true }).click()
      await page.getByText('Page updated.').first().waitFor()
      expect(await stored(page, 'Aurora')).toEqual({
        id,
        title: 'Aurora, the lamp',
        content: texts.map(paragraph).join('\n\n'),
      })

      await page.reload()
      const panel = chatIn(page, 'panel')
      await panel.answers.filter({ hasText: 'The price is new.' }).waitFor()
      await change(page, id, ['Sold out.'], 'It is sold out.')
      await expect.poll(() => editorText(page)).toBe(paragraph('Sold out.'))
      await panel.log.getByRole('button', { name: 'Undo' }).last().click()
      await panel.log.getByText('Undone.').waitFor()
      await expect.poll(() => editorText(page)).toContain('139 EUR')
      const before = await page.evaluate(async (uid) => {
        const { wp } = window as unknown as { wp: { apiFetch(options: object): Promise<never> } }
        const revisions = (await wp.apiFetch({
          path: `/wp/v2/pages/${uid}/revisions?context=edit`,
        })) as { content: { raw: string } }[]
        return revisions.filter(({ content }) => content.raw.includes('149 EUR')).length
      }, id)
      expect(before).toBeGreaterThan(0)
    })

    test('a person with fewer rights is refused', async () => {
      const page = await enter('contributor')
      const id = await idOf('Returns')
      await page.goto('/wp-admin/edit.php')
      await page.locator('#wpadminbar').getByText('AI Chat', { exact: true }).click()
      api.reply(
        {
          calls: [
            { name: 'update_record', arguments: { table: 'page', uid: id, fields: { title: 'Mine' } } },
          ],
        },
        { text: 'You may not do that.' },
      )
      const panel = chatIn(page, 'panel')
      await panel.ask('Rename the page')

      await panel.answer('You may not do that.').waitFor()
      expect(await panel.button('Approve').count()).toBe(0)
      expect(JSON.stringify(api.requests.at(-1)?.body.messages.at(-1))).toMatch(/may not change/)
    })

    test('the panel keeps clear of the bars, also of the block editor', async () => {
      const page = await enter('admin')
      await edit(page, await idOf('Borealis'))
      await page.getByRole('button', { name: 'AI Chat' }).click()
      await page.getByRole('button', { name: 'Full height' }).click()
      const boxOf = async (selector: string) => page.locator(selector).boundingBox()
      await expect
        .poll(async () => {
          const box = await boxOf('ai-chat-panel')
          const header = await boxOf('.interface-interface-skeleton__header')
          const side = await boxOf('.interface-interface-skeleton__sidebar')
          const foot = await boxOf('.interface-interface-skeleton__footer')
          if (!box || !header || !side || !foot) return undefined
          return [
            box.y >= header.y + header.height,
            box.x + box.width <= side.x,
            box.y + box.height <= foot.y,
          ]
        })
        .toEqual([true, true, true])
    })

    test('a logout ends the session in the chat, empties the browser, and other tabs notice', async () => {
      const page = await enter('author')
      const other = await page.context().newPage()
      const asked = other.waitForRequest((request) => request.url().includes('/ai-chat/'))
      await other.goto('/wp-admin/edit.php')
      const { authorization = '' } = await (await asked).allHeaders()
      const session = () => fetch(`${stage.origin}/backend/session`, { headers: { authorization } })
      await other.locator('#wpadminbar').getByText('AI Chat', { exact: true }).click()
      await chatIn(other, 'panel').message.fill('A draft of the author')
      await expect.poll(() => keys(other)).not.toEqual([])
      expect((await session()).status).toBe(200)

      await page.goto('/wp-admin/profile.php')
      const out = await page.locator('#wp-admin-bar-logout a').getAttribute('href')
      await page.goto(out ?? '')

      await page.getByText('You are now logged out.').waitFor()
      expect((await session()).status).toBe(401)
      await chatIn(other, 'panel').root.getByText('Your session has ended.').waitFor()
      await expect.poll(() => keys(page)).toEqual([])
    })
  })
