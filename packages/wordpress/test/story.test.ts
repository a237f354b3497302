import { execFile } from 'node:child_process'
import { copyFile, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Browser, FrameLocator, Page } from 'playwright'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newCode } from '../../../core/cms/bridge/pairing.ts'
import { readConnection } from '../../../infra/local/connection.ts'
import { launch, visit } from '../../../test/support/browser.ts'
import { chatIn, decide } from '../../../test/support/chat.ts'
import { type MessagesApi, startMessagesApi } from '../../../test/support/messages-api.ts'
import { type Stage, startStage } from '../../../test/support/stage.ts'
import { logIn } from '../../../test/support/wp-admin.ts'
import { missing, packaged, versionIn } from '../site/site.ts'

/** The folder of the WordPress that is tried, and of its data beside the stage. */
const from = process.env.WORDPRESS || packaged
const data = `wordpress-${versionIn(from)}`

let api: MessagesApi
let stage: Stage
let browser: Browser
let origin: string

/** A type that the block editor does not know, as those of many plugins, and a role that no setting of the stage names. */
const shop = `<?php
add_action('init', function () {
  register_post_type('product', array('label' => 'Products', 'public' => true, 'supports' => array('title', 'editor', 'excerpt')));
  get_page_by_path('lantern', OBJECT, 'product') || wp_insert_post(array('post_type' => 'product', 'post_status' => 'publish', 'post_title' => 'Lantern', 'post_content' => 'It costs 20 EUR.'));
  get_role('writer') || add_role('writer', 'Writer', array('read' => true, 'edit_posts' => true));
  username_exists('writer') || wp_insert_user(array('user_login' => 'writer', 'user_pass' => 'demo', 'role' => 'writer', 'user_email' => 'writer@example.com'));
});`

const paragraph = (text: string) => `<!-- wp:paragraph -->\n<p>${text}</p>\n<!-- /wp:paragraph -->`

/** A window in which a user of the site is logged in. */
async function enter(user: string): Promise<Page> {
  const { page } = await visit(browser, origin)
  await logIn(page, user)
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

/** Opens a page in the block editor, without the guide that a user gets until it is closed once. */
async function edit(page: Page, id: number): Promise<void> {
  await page.goto(`/wp-admin/post.php?post=${id}&action=edit`)
  await page.locator('.edit-post-visual-editor').waitFor()
  await page.evaluate(() => {
    const { wp } = window as unknown as {
      wp: { data: { dispatch(name: string): { set(scope: string, name: string, value: boolean): void } } }
    }
    wp.data.dispatch('core/preferences').set('core/edit-post', 'welcomeGuide', false)
  })
  await page.getByRole('dialog').waitFor({ state: 'detached' })
}

/** The part of the block editor in which a person writes: a frame of its own in newer versions of WordPress. */
async function canvas(page: Page): Promise<Page | FrameLocator> {
  const frame = 'iframe[name="editor-canvas"]'
  return (await page.locator(frame).count()) > 0 ? page.frameLocator(frame) : page
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

/** Proposes other values for a record, and approves them as a person does. */
async function change(
  page: Page,
  [table, uid]: [string, number],
  fields: Record<string, string>,
  said: string,
): Promise<void> {
  api.reply(
    { calls: [{ name: 'get_record', arguments: { table, uid } }] },
    { calls: [{ name: 'update_record', arguments: { table, uid, fields } }] },
    { text: said },
  )
  const panel = chatIn(page, 'panel')
  await panel.ask('Change the price, please')
  await decide(panel, 'Approve', async () => (await panel.answers.filter({ hasText: said }).count()) > 0)
}

describe.skipIf(missing.length > 0)('WordPress in a browser', () => {
  beforeAll(async () => {
    api = await startMessagesApi()
    const env = {
      ANTHROPIC_API_KEY: api.key,
      ANTHROPIC_BASE_URL: api.url,
      ANTHROPIC_MODEL: 'claude-sonnet-5-5',
    }
    ;[stage, browser] = await Promise.all([
      startStage({
        args: ['--cms', 'wordpress', '--from', from],
        settings: { accessTokens: { trustZone: 'internal' } },
        env: { PORT: '0', ...env },
      }),
      launch(),
    ])
    const plugins = join(stage.folder, data, 'site/site/wp-content/mu-plugins')
    await mkdir(plugins, { recursive: true })
    await writeFile(join(plugins, 'shop.php'), shop)
    const abilities = new URL('plugins/abilities.php', import.meta.url)
    await copyFile(fileURLToPath(abilities), join(plugins, 'abilities.php'))
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
    await change(page, ['page', id], { content: texts.map(paragraph).join('\n\n') }, 'The price is new.')

    await expect.poll(() => editorText(page)).toContain('139 EUR')
    await expect.poll(() => isDirty(page)).toBe(false)
    const title = (await canvas(page)).getByRole('textbox', { name: 'Add title' })
    await title.fill('Aurora, the lamp')
    await page.getByRole('button', { name: /^(Update|Save)$/ }).click()
    await page.getByText('Page updated.').first().waitFor()
    await chatIn(page, 'panel').root.getByText(`Page: Aurora, the lamp [${id}]`).waitFor()
    expect(await stored(page, 'Aurora')).toEqual({
      id,
      title: 'Aurora, the lamp',
      content: texts.map(paragraph).join('\n\n'),
    })

    await page.reload()
    const panel = chatIn(page, 'panel')
    await panel.answers.filter({ hasText: 'The price is new.' }).waitFor()
    await change(page, ['page', id], { content: paragraph('Sold out.') }, 'It is sold out.')
    await expect.poll(() => editorText(page)).toBe(paragraph('Sold out.'))
    await panel.log.getByRole('button', { name: 'Undo' }).last().click()
    await panel.log.getByText('Undone.').waitFor()
    await expect.poll(() => editorText(page)).toContain('139 EUR')

    await title.fill('My Aurora')
    await change(page, ['page', id], { title: 'Aurora for you' }, 'It has another title.')
    await page
      .getByText('The assistant has changed what you are editing: Title. Saving keeps your words.')
      .first()
      .waitFor()
    expect(await title.textContent()).toBe('My Aurora')
    await page.getByRole('button', { name: 'Show the change' }).click()
    await expect.poll(() => title.textContent()).toBe('Aurora for you')
    expect(await isDirty(page)).toBe(false)
    const before = await page.evaluate(async (uid) => {
      const { wp } = window as unknown as { wp: { apiFetch(options: object): Promise<never> } }
      const revisions = (await wp.apiFetch({
        path: `/wp/v2/pages/${uid}/revisions?context=edit`,
      })) as { content: { raw: string } }[]
      return revisions.filter(({ content }) => content.raw.includes('149 EUR')).length
    }, id)
    expect(before).toBeGreaterThan(0)
  })

  test('a classic form takes a change where nobody has written, and says where it kept what was written', async () => {
    const page = await enter('editor')
    await page.goto('/wp-admin/edit.php?post_type=product')
    await page
      .getByRole('link', { name: /Lantern/ })
      .first()
      .click()
    await page.waitForURL('**/post.php?post=*')
    const id = Number(new URL(page.url()).searchParams.get('post'))
    const title = page.getByRole('textbox', { name: 'Add title' })
    const content = page.frameLocator('#content_ifr').getByRole('paragraph')
    await content.filter({ hasText: 'It costs 20 EUR.' }).waitFor()
    await page.locator('#wpadminbar').getByText('AI Chat', { exact: true }).click()

    const excerpt = page.getByRole('textbox', { name: 'Excerpt' })
    await excerpt.fill('Lit by hand')
    await change(page, ['product', id], { title: 'Storm lantern', content: 'It costs 25 EUR.' }, 'Done.')
    await page.getByText('The assistant has changed this. You see the change here.').waitFor()
    expect(JSON.stringify(api.requests.at(-1)?.body.system)).toContain(`Open record: product [${id}] Lantern`)
    expect(await title.inputValue()).toBe('Storm lantern')
    expect(await excerpt.inputValue()).toBe('Lit by hand')
    await content.filter({ hasText: 'It costs 25 EUR.' }).waitFor()

    await change(page, ['product', id], { excerpt: 'For the garden' }, 'That too.')
    await page
      .getByText('The assistant has changed what you are editing: Excerpt. Saving keeps your words.')
      .waitFor()
    await page.getByRole('button', { name: 'Update', exact: true }).click()
    await page.getByText('Post updated.').waitFor()
    expect(await title.inputValue()).toBe('Storm lantern')
    expect(await excerpt.inputValue()).toBe('Lit by hand')

    await page.goto('/wp-admin/edit.php?post_type=product')
    await change(page, ['product', id], { title: 'Hurricane lantern' }, 'Renamed.')
    const row = page.getByRole('row', { name: /Hurricane lantern/ })
    await row.hover()
    await row.getByRole('button', { name: /Quick edit/ }).click()
    const inline = page.locator(`#edit-${id}`)
    expect(await inline.getByLabel('Title').inputValue()).toBe('Hurricane lantern')
    await change(page, ['product', id], { title: 'Lamp' }, 'Again.')
    await inline.getByRole('button', { name: 'Update' }).click()
    await inline
      .getByText(/The assistant has changed this since you opened it\. Nothing was saved\./)
      .waitFor()
  })

  test('pages below pages are found by their address, with what links to them and what leads nowhere', async () => {
    const page = await enter('editor')
    await edit(page, await idOf('Returns'))
    const make = (title: string, parent: number, content = '') =>
      page.evaluate(
        async (data) => {
          const { wp } = window as unknown as { wp: { apiFetch(options: object): Promise<{ id: number }> } }
          return (await wp.apiFetch({ path: '/wp/v2/pages', method: 'POST', data })).id
        },
        { title, parent, content, status: 'publish' },
      )
    const home = await make('Home', 0)
    const products = await make('Products', home)
    const lamp = await make('Lantern', products)
    const links = ['/home/products/lantern/', `${origin}/?page_id=${lamp}`, '/home/products/nowhere/']
    const linking = await make('Links', home, links.map((href) => `<a href="${href}">x</a>`).join(' '))
    const address = `${origin}/home/products/lantern/`
    api.reply(
      {
        calls: [
          { name: 'find_page_by_address', arguments: { address } },
          { name: 'where_used', arguments: { table: 'page', uid: lamp } },
          { name: 'check_site', arguments: { checks: ['links'], below: home } },
          { name: 'get_page_tree', arguments: {} },
        ],
      },
      { text: 'I have looked.' },
    )
    await page.getByRole('button', { name: 'AI Chat' }).last().click()
    const panel = chatIn(page, 'panel')
    await panel.ask('Look around')
    await panel.answer('I have looked.').waitFor()

    const told = JSON.stringify(api.requests.at(-1)?.body.messages.at(-1))
    expect(told).toContain(`Page [${lamp}] “Lantern” has the address /home/products/lantern.`)
    expect(told).toContain(`- page [${linking}] “Links”`)
    expect(told).toContain(`- “Links” [${linking}]: /home/products/nowhere/ in`)
    expect(told).toContain('The whole site')
    expect(told).toContain(`- Home [${home}]`)
    expect(told).toContain(`  - Products [${products}]`)
    expect(told).toContain(`    - Lantern [${lamp}]`)
  })

  test('who may not chat sees no button of it', async () => {
    const page = await enter('writer')
    const button = page.locator('#wp-admin-bar-backend-ai-chat')

    await button.waitFor({ state: 'hidden' })
    await page.goto('/wp-admin/edit.php')
    expect(await button.isVisible()).toBe(false)
    expect(await page.locator('#toplevel_page_backend-ai-chat').isVisible()).toBe(false)
  })

  test('the settings check the code, and this browser; the panel is on the site, too', async () => {
    const page = await enter('admin')
    await page.goto('/wp-admin/options-general.php?page=backend-ai-chat-settings')
    await page.getByText('This browser loads the chat.').waitFor()
    await page.getByText(/^The stage answers and knows this code\./).waitFor()
    const other = newCode(stage.origin)
    await page.getByLabel('Pairing code').fill(other)
    await page.getByRole('button', { name: 'Save and check the connection' }).click()
    await page.getByText(/^The stage answers and has another code\./).waitFor()
    const { code } = readConnection(join(stage.folder, data)) ?? {}
    await page.getByLabel('Pairing code').fill(code ?? '')
    await page.getByRole('button', { name: 'Save and check the connection' }).click()
    await page.getByText(/^The stage answers and knows this code\./).waitFor()

    await page.goto('/returns/')
    await page.locator('#wpadminbar').getByText('AI Chat', { exact: true }).click()
    const panel = chatIn(page, 'panel')
    await panel.root.getByText('Returns').first().waitFor()
    api.reply({ text: 'Within 30 days.' })
    await panel.ask('How long?')
    await panel.answer('Within 30 days.').waitFor()
  })

  describe('the tools of the chat are abilities', () => {
    const before = `$say = fn($it) => is_wp_error($it) ? $it->get_error_message() : $it;
      $ability = fn($name) => array_column(array_map(fn($it) => [$it->get_name(), $it], wp_get_abilities()), 1, 0)["backend-ai-chat/$name"] ?? null;`
    /** What PHP answers as a user of the site, in a process of its own as a request is one. */
    const asUser = async (login: string, code: string) => {
      const load = join(stage.folder, data, 'site/site/wp-load.php')
      const script = `require '${load}'; wp_set_current_user(get_user_by('login', '${login}')->ID ?? 0); ${before} echo json_encode($say((function() use ($ability) { ${code} })()));`
      return JSON.parse((await promisify(execFile)('php', ['-r', script])).stdout)
    }
    const read = (id: number) =>
      `return $ability('get-record')->execute(['table' => 'page', 'uid' => ${id}]);`

    test('once an administrator has looked at the settings, with schema and kind, and never for the chat itself', async () => {
      const page = await enter('admin')
      await page.goto('/wp-admin/options-general.php?page=backend-ai-chat-settings')
      await page.getByText(/^\d+ tools of the chat are abilities of this site/).waitFor()
      const kinds = `return array_map(fn($name) => [$ability($name)->get_input_schema()['required'] ?? null, $ability($name)->get_meta()['annotations']['readonly']], ['get-record', 'update-record', 'check-site']);`

      expect(await asUser('editor', kinds)).toEqual([
        [['table', 'uid'], true],
        [['table', 'uid', 'fields'], false],
        [null, true],
      ])
      expect(await asUser('admin', 'return array_keys(AIC_Abilities::all());')).not.toContainEqual(
        expect.stringContaining('backend-ai-chat/'),
      )
    })

    test('that read as the user who is logged in, and propose in the chat of that user', async () => {
      const id = await idOf('Borealis')
      const title = 'A name by another plugin'
      const update = `return $ability('update-record')->execute(['table' => 'page', 'uid' => ${id}, 'fields' => ['title' => '${title}']]);`

      expect(await asUser('author', read(id))).toEqual({
        text: expect.stringMatching(/^<data-[\s\S]*Borealis/),
      })
      expect(await asUser('author', update)).toContain('may not change')
      const proposed = await asUser('editor', update)
      expect(proposed.text).toMatch(/^Nothing has been changed\. The proposal waits .* "editor"/)
      expect(await idOf('Borealis')).toBe(id)
      const page = await enter('editor')
      await page.goto('/wp-admin/admin.php?page=backend-ai-chat')
      await page
        .getByText('A program of the content management system proposes: Change a record')
        .first()
        .waitFor()
    })

    test('for nobody who may not chat, for no guest, and not within an answer to the stage', async () => {
      const id = await idOf('Borealis')
      const answering = `(new ReflectionProperty('AIC_Bridge', 'is_answering'))->setValue(null, true);`

      expect(await asUser('writer', read(id))).toMatch(/group|may not use|not allowed/)
      for (const [login, code] of [
        ['subscriber', read(id)],
        ['nobody', read(id)],
        ['editor', `${answering} ${read(id)}`],
      ] as const)
        expect(await asUser(login, code)).toMatch(/does not have necessary permission/)
    })
  })

  test('where the chat does not come, its buttons say so in place of doing nothing', async () => {
    const page = await enter('editor')
    await page.route('**/backend/embed.js', (route) => route.abort())
    const sentence = page.getByText(/^The chat cannot be loaded from http/)

    await page.goto('/returns/')
    await page.locator('#wpadminbar').getByText('AI Chat', { exact: true }).click()
    await sentence.waitFor()
    await edit(page, await idOf('Returns'))
    await page.locator('#aic-editor-button').click()
    await page
      .locator('.components-notice', { hasText: 'The chat cannot be loaded from http' })
      .first()
      .waitFor()
    await page.goto('/wp-admin/admin.php?page=backend-ai-chat')
    await page
      .locator('#aic-module')
      .getByText(/^The chat cannot be loaded from http/)
      .waitFor()
  })

  test('a person with fewer rights is refused', async () => {
    const page = await enter('contributor')
    const id = await idOf('Returns')
    await page.goto('/wp-admin/edit.php')
    await page.locator('#wpadminbar').getByText('AI Chat', { exact: true }).click()
    api.reply(
      {
        calls: [{ name: 'update_record', arguments: { table: 'page', uid: id, fields: { title: 'Mine' } } }],
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
        return [box.y >= header.y + header.height, box.x + box.width <= side.x, box.y + box.height <= foot.y]
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
    await expect
      .poll(() => keys(other))
      .toEqual(expect.arrayContaining(['aic:v1:user', expect.stringMatching(/^aic:v1:\d+$/)]))
    expect((await session()).status).toBe(200)

    await page.goto('/wp-admin/profile.php')
    const out = await page.locator('#wp-admin-bar-logout a').getAttribute('href')
    await page.goto(out ?? '')

    await page.getByText('You are now logged out.').waitFor()
    expect((await session()).status).toBe(401)
    await chatIn(other, 'panel').root.getByText('Your session has ended.').waitFor()
    await expect.poll(() => keys(page)).toEqual([])
  })

  test('a new login in another tab is enough for the chat of a page that stays open', async () => {
    const page = await enter('author')
    const other = await page.context().newPage()
    await page.locator('#wpadminbar').getByText('AI Chat', { exact: true }).click()
    const panel = chatIn(page, 'panel')
    await panel.message.waitFor()
    await expect.poll(() => keys(page)).toContain('aic:v1:user')

    await other.goto('/wp-admin/profile.php')
    await other.goto((await other.locator('#wp-admin-bar-logout a').getAttribute('href')) ?? '')
    await panel.root.getByText('Your session has ended.').waitFor()
    await panel.ask('Who are you?')
    await logIn(other, 'author')
    api.reply({ text: 'The assistant, as before.' })
    await page.evaluate(() => {
      const { wp } = window as unknown as { wp: { heartbeat: { connectNow(): void } } }
      wp.heartbeat.connectNow()
    })

    await panel.answer('The assistant, as before.').waitFor()
  })
})
