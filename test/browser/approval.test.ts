import { expect, test } from 'vitest'
import { type Chat, chatIn, decide, hasFocus, toolbarButton } from '../support/chat.ts'
import { scene } from '../support/scene.ts'

const { enter, client } = scene()

/** A conversation that waits for a decision on a page of its own, opened in the module. */
async function waiting(wish = (page: number) => `Rename page ${page} to Light of the north`) {
  const page = pages.shift() ?? 0
  const editor = await client('editor')
  const { conversation } = await editor.send(wish(page))
  await editor.until(conversation.id, (poll) => poll.pendingApproval !== null)
  const window = (await enter('editor', `/backend/chat/${conversation.id}`)).page
  const module = chatIn(window, 'module')
  // The innermost region with such a button: around it is that of the conversation.
  const deny = window.getByRole('button', { name: 'Deny' })
  const card = module.root.getByRole('region').filter({ has: deny }).last()
  await card.waitFor()
  return { page: window, uid: page, id: conversation.id, module, card, editor }
}

/** Pages of the seeded site, one for each proposal, and some for a second try. */
const pages = [2, 3, 4, 5, 6, 7, 8, 12, 13, 14, 29, 20, 21, 22, 23, 24]

const approve = (module: Chat) =>
  decide(module, 'Approve', async () => (await module.log.getByText(/You approved this/).count()) > 0)

const titleOf = async (page: number): Promise<unknown> => {
  const { body } = await (await client('editor')).get<{ page: { title: string } }>(`/backend/pages/${page}`)
  return body.page.title
}

test('a proposal shows what would change, and nothing changes before the decision', async () => {
  const { card, module, uid } = await waiting()
  const before = await titleOf(uid)

  await expect
    .poll(() => card.getByRole('columnheader').allTextContents())
    .toEqual(['Field', 'Now', 'After approval'])
  const cells = (await card.getByRole('cell').allTextContents()).map((text) => text.trim())
  expect(cells).toEqual([`Now: ${before}`, 'After approval: Light of the north'])
  await card.getByText('Nothing changes until you approve.').waitFor()
  await card.getByText(/^Waiting for you until/).waitFor()
  await module
    .conversation('Rename page')
    .getByText(/^Waiting for you/)
    .waitFor()
  await expect.poll(() => module.button('Send').isVisible()).toBe(true)
})

test('approved, it becomes a row with the record and the way back', async () => {
  const { page, module, card, uid } = await waiting()
  const before = await titleOf(uid)
  await approve(module)

  await card.waitFor({ state: 'detached' })
  const row = module.log.locator('[data-outcome]')
  await expect.poll(() => hasFocus(row)).toBe(true)
  await row.getByText('1 field changed').waitFor()
  await expect.poll(() => titleOf(uid)).toBe('Light of the north')
  await module.answer('The change was made').waitFor()

  await row.getByRole('button', { name: 'Undo' }).click()
  await row.getByText('Undone.').waitFor()
  expect(await titleOf(uid)).toBe(before)
  await expect.poll(() => row.getByRole('button', { name: 'Undo' }).count()).toBe(0)

  await row.getByRole('link', { name: 'Open record' }).click()
  await page.waitForURL(new RegExp(`/backend/(page|list/pages)/${uid}$`))
})

test('denied with a reason, it changes nothing and says so', async () => {
  const { module, card, uid, editor, id } = await waiting()
  const before = await titleOf(uid)
  const reason = module.root.getByRole('textbox', { name: 'Reason, for the assistant (optional)' })
  await decide(module, 'Deny', async () => (await reason.count()) > 0)
  await expect.poll(() => hasFocus(reason)).toBe(true)
  await card.getByRole('button', { name: 'Cancel' }).click()
  await expect.poll(() => reason.count()).toBe(0)

  await module.button('Deny').click()
  await reason.fill('The old name is better')
  await module.button('Deny').click()

  await module.log
    .getByText(/You denied this .*Nothing was changed\. Reason: The old name is better/)
    .waitFor()
  await card.waitFor({ state: 'detached' })
  expect(await titleOf(uid)).toBe(before)
  const told = await editor.until(id, (poll) => poll.conversation.status === 'idle')
  expect(told.messages.find(({ role, isError }) => role === 'tool' && isError)?.content).toContain(
    'The old name is better',
  )
})

test('decided in one tab, it is gone in the other', async () => {
  const { page, module } = await waiting()
  const second = await page.context().newPage()
  await second.goto(page.url())
  const other = chatIn(second, 'module')
  await other.button('Approve').waitFor()
  await page.bringToFront()
  await approve(module)

  await other.button('Approve').waitFor({ state: 'detached' })
  await other.log.getByText(/You approved this/).waitFor()
})

test('a new message withdraws it', async () => {
  const { module, card, uid } = await waiting()
  const before = await titleOf(uid)
  await module.ask('What does the Borealis desk cost?')

  await card.waitFor({ state: 'detached' })
  await module.log.getByText('The proposal was withdrawn by your new message. Nothing was changed.').waitFor()
  await module.answers.nth(1).getByRole('button', { name: 'Copy answer' }).waitFor()
  expect(await titleOf(uid)).toBe(before)
})

test('of a record that was changed meanwhile it shows a fresh comparison, and asks again', async () => {
  const { module, card, uid, editor } = await waiting()
  const { body } = await editor.get<{ record: { version: string } }>(`/backend/records/pages/${uid}`)
  const saved = await editor.post(`/backend/records/pages/${uid}`, {
    version: body.record.version,
    fields: { title: 'Changed by hand' },
  })
  expect(saved.status).toBe(200)
  await decide(
    module,
    'Approve',
    async () => (await module.log.getByText(/record was changed meanwhile/).count()) > 0,
  )

  await card.getByRole('cell').filter({ hasText: 'Changed by hand' }).waitFor()
  await expect.poll(() => titleOf(uid)).toBe('Changed by hand')
  await approve(module)
  await module.answer('The change was made').waitFor()
  await expect.poll(() => titleOf(uid)).toBe('Light of the north')
})

test('several changes are one decision', async () => {
  const { module, card } = await waiting(
    (page) => `Rename page ${page} to A place and page ${pages.shift()} to Another place`,
  )
  await card.getByRole('heading', { name: '2 changes' }).waitFor()
  await expect.poll(() => card.getByRole('table').count()).toBe(2)
  await expect.poll(() => module.button('Approve').count()).toBe(1)
})

test('a new page shows its fields, and that only its author sees it yet', async () => {
  const { module, card } = await waiting((page) => `Create a page Lighting tips under page ${page}`)

  await expect.poll(() => card.getByRole('columnheader').allTextContents()).toEqual(['Field', 'New'])
  await card.getByText('Visitors see it when you unhide it.').waitFor()
  await approve(module)
  await module.log.getByText('The hidden page “Lighting tips” was created.').waitFor()
  await module.log.getByRole('button', { name: 'Undo' }).click()
  await module.log.getByText('Undone.').waitFor()
})

test('the panel asks for the same decision, and shows in the frame what came of it', async () => {
  const { page, uid } = await waiting()
  await page.goto(`/backend/page/${uid}`)
  await page.getByRole('banner').getByRole('button', { name: 'AI Chat', exact: true }).click()
  const panel = chatIn(page, 'panel')
  await approve(panel)

  await page.getByRole('heading', { name: 'Light of the north', level: 1 }).waitFor()
})

test('what was decided earlier is shown even where its part comes late', async () => {
  const { page, module } = await waiting()
  await approve(module)
  await module.answer(/./).waitFor()
  await module.ask('Thank you')
  await module.answer(/./).nth(1).waitFor()
  const held = Promise.withResolvers<void>()
  await page.route('**/assets/outcome-*.js', async (route) => {
    await held.promise
    await route.continue()
  })
  await page.reload()
  await module.answer(/./).nth(1).waitFor()
  held.resolve()

  await module.log.getByText(/You approved this/).waitFor()
})

test('a question is answered with the keyboard alone: a digit takes a choice, Enter answers, words go into the field', async () => {
  const { page } = await enter('editor', '/backend/page/3')
  await toolbarButton(page).waitFor()
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.keyboard.press('Control+Alt+k')
  const panel = chatIn(page, 'panel')
  await panel.message.waitFor()
  await page.keyboard.type('Create a page')
  await page.keyboard.press('Enter')
  const where = panel.root.getByRole('region', { name: 'Where does the new page go?' })
  await where.waitFor()
  await page.keyboard.press('Control+Alt+a')
  await expect.poll(() => hasFocus(where)).toBe(true)
  await page.keyboard.press('2')
  await expect.poll(() => where.getByRole('radio', { name: 'At the top of the site' }).isChecked()).toBe(true)
  await page.keyboard.press('Enter')

  const what = panel.root.getByRole('region', { name: 'What is the page called?' })
  await what.waitFor()
  await panel.log.getByText('You: At the top of the site').waitFor()
  await page.keyboard.press('Control+Alt+a')
  await expect.poll(() => hasFocus(what)).toBe(true)
  await page.keyboard.press('Tab')
  await page.keyboard.type('Winter sale')
  await page.keyboard.press('Enter')

  await panel.log.getByText('You: Winter sale').waitFor()
  await panel.root.getByRole('region', { name: 'Create hidden page “Winter sale”' }).waitFor()
})
