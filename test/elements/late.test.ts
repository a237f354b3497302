import { afterEach, describe, expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { button, clear, log, mountModule, said, stage } from './mount.ts'
import type { Stage } from './stage.ts'

afterEach(clear)

const item = (name: string) => page.getByRole('menuitem', { name, exact: true })
const entry = (title: string) => page.getByRole('link', { name: new RegExp(`^${title}`) })
const heading = (name: string) => page.getByRole('heading', { name, exact: true })
const own = () => page.getByRole('article', { name: /^You, / })
/** Presses twice, as who does not see that the first press works. */
const pressTwice = (name: string) => {
  const pressed = button(name).element() as HTMLElement
  pressed.click()
  pressed.click()
}

/** The open conversation `One` with a question and its answer, and another one. */
async function opened(status: Stage['status'] = {}) {
  const it = stage()
  it.status = status
  const id = it.add({ title: 'One' }, [
    { role: 'user', content: 'How much?' },
    { role: 'assistant', content: 'Five.', runId: 'r1' },
  ])
  it.add({ title: 'Two' }, [{ role: 'user', content: 'Of the second' }])
  mountModule(it, { conversationId: id })
  await expect.element(log()).toMatchTextContent('Five.')
  return Object.assign(it, { id })
}

/** Answers of a path wait until the returned function is called. */
function hold(it: Stage, path: string, root = '/ai-chat'): () => void {
  const gate = Promise.withResolvers<void>()
  it.held.set(`${root}${path}`, gate.promise)
  return gate.resolve
}

/** The user opens the other conversation. */
async function openTwo() {
  await entry('Two').click()
  await expect.element(log()).toMatchTextContent('Of the second')
}

async function beginEdit() {
  await own().getByRole('button', { name: 'Edit message' }).click()
  await expect.element(page.getByRole('textbox', { name: 'Edit message' })).toBeInTheDocument()
}

describe('an answer that comes after the user has opened another conversation', () => {
  test('to a deletion leaves the other one open, also when it is taken back', async () => {
    const it = await opened()
    const answer = hold(it, '/conversations/delete')
    await button('More actions').click()
    await item('Delete').click()
    await openTwo()

    answer()
    await expect.element(button('Undo')).toBeInTheDocument()
    await expect.element(heading('Two')).toBeInTheDocument()

    await button('Undo').click()
    await expect.element(entry('One')).toBeInTheDocument()
    await expect.element(heading('Two')).toBeInTheDocument()
  })

  test.each([
    ['an edit', () => beginEdit().then(() => button('Save and send').click())],
    ['another try', () => button('Try again').click()],
  ])('to %s says nothing there of the changes of its earlier version', async (_, act) => {
    const it = await opened()
    it.dropped.push({ runId: 'r1', changes: 2, answer: { undone: [], conflicts: [] } })
    const answer = hold(it, '/conversations/edit')
    await act()
    await openTwo()

    answer()
    await expect.element(entry('One')).toMatchTextContent('Working')

    expect(page.getByText(/still in place/).elements()).toEqual([])
  })
})

test('a dialog that another conversation closed is opened afresh there', async () => {
  const it = await opened()
  await button('More actions').click()
  await item('Instructions').click()
  const words = page.getByRole('textbox', { name: 'Your instructions' })
  await words.fill('Be brief.')
  const module = document.querySelector('ai-chat-module')
  if (module) module.conversationId = [...it.conversations.keys()][1] ?? null
  await expect.element(words).not.toBeInTheDocument()
  it.houseStyle = 'Write short sentences.'

  await button('More actions').click()
  await item('Instructions').click()

  await expect.element(words).toHaveValue('')
  await expect.element(page.getByText('House style of the site')).toBeInTheDocument()
})

test('a dialog that was opened before the first conversation stays open when that one comes', async () => {
  const it = stage()
  const id = it.add({}, [{ role: 'assistant', content: 'Five.', runId: 'r1' }])
  const answer = hold(it, '/session', '/backend')
  mountModule(it, { conversationId: id })
  await button('More actions').click()
  await item('What can it do for me?').click()

  answer()

  await expect.element(log()).toMatchTextContent('Five.')
  await expect.element(page.getByRole('dialog', { name: 'What can it do for me?' })).toBeInTheDocument()
})

describe('a press while the dialog still loads acts once the answer is there', () => {
  test('and removes the instructions of the conversation', async () => {
    const it = await opened()
    it.change(it.id, {}, { systemPrompt: 'Be brief.' })
    dispatchEvent(new Event('online'))
    const badge = page.getByText('Instructions active')
    await expect.element(badge).toBeInTheDocument()
    const answer = hold(it, '/instructions')
    await button('More actions').click()
    await item('Instructions').click()

    await button('Remove').click()
    answer()

    await expect.element(badge).not.toBeInTheDocument()
    expect(it.to('/conversations/system-prompt')).toMatchObject([{ body: { systemPrompt: '' } }])
  })

  test('and makes a token', async () => {
    const it = await opened({ accessTokens: true })
    const answer = hold(it, '/access-tokens')
    await button('More actions').click()
    await item('Access for programs').click()
    await page.getByRole('textbox', { name: 'Name of the program' }).fill('Laptop')

    await button('Make a token').click()
    answer()

    await expect.element(page.getByText(/^Your new token/)).toBeInTheDocument()
    expect(it.to('/access-tokens/create')).toHaveLength(1)
  })
})

describe('while an action works, another one', () => {
  test('on the own prompts looks disabled, and an answer closes no form that was opened since', async () => {
    const it = await opened()
    const prompt = (title: string, at: number) => ({
      id: `${at}`.padStart(26, '0'),
      title,
      text: 'Shorten it.',
    })
    it.prompts = { shared: [], own: [prompt('Short', 1), prompt('Long', 2)] }
    await button('Add to the message').click()
    await item('Your prompts …').click()
    const deleted = hold(it, '/prompts/delete')
    await button('Delete Short').click()

    await expect.element(button('Delete Long')).toHaveAttribute('aria-disabled', 'true')
    await button('Edit Long').click()
    await expect.element(button('Save prompt')).toHaveAttribute('aria-disabled', 'true')
    deleted()
    await expect.element(button('Save prompt')).toHaveAttribute('aria-disabled', 'false')

    const saved = hold(it, '/prompts/save')
    await button('Save prompt').click()
    await button('Cancel').click()
    await button('New prompt').click()
    const field = page.getByRole('textbox', { name: 'Name', exact: true })
    await field.fill('Longer')
    saved()
    await expect.element(button('Save prompt')).toHaveAttribute('aria-disabled', 'false')
    await expect.element(field).toHaveValue('Longer')
  })

  test('on the selected conversations looks disabled, and so do their ticks', async () => {
    const it = await opened()
    const start = button('Select several')
    await start.click()
    const box = (name: RegExp) => page.getByRole('checkbox', { name })
    await box(/^Two/).click()
    const answer = hold(it, '/conversations/archive')
    await button('Archive').click()

    await expect.element(box(/^One/)).toBeDisabled()
    await expect.element(box(/^Select all/)).toBeDisabled()
    await expect.element(start).toHaveAttribute('aria-disabled', 'true')
    answer()
    await expect.element(page.getByRole('checkbox').first()).not.toBeInTheDocument()
    await expect.element(start).toHaveAttribute('aria-disabled', 'false')
  })

  test('that runs a turn again is sent, too, and the stage says which one counts', async () => {
    const it = await opened()
    const answer = hold(it, '/conversations/edit')
    await beginEdit()
    await page.getByRole('textbox', { name: 'Edit message' }).fill('How much is it?')
    pressTwice('Try again')
    pressTwice('Save and send')
    answer()

    await expect.element(button('Stop')).toBeInTheDocument()
    const sent = it.to('/conversations/edit').map(({ body }) => body.content)
    expect(sent).toEqual(['How much?', 'How much is it?'])
  })
})

describe('a second press while the first still works', () => {
  test('sends an edit once', async () => {
    const it = await opened()
    await beginEdit()

    pressTwice('Save and send')

    await expect.element(button('Stop')).toBeInTheDocument()
    expect(it.to('/conversations/edit')).toHaveLength(1)
  })

  test('asks once for another answer', async () => {
    const it = await opened()

    pressTwice('Try again')

    await expect.element(button('Stop')).toBeInTheDocument()
    expect(it.to('/conversations/edit')).toHaveLength(1)
  })

  test('goes on once after a failure, without an error', async () => {
    const it = await opened()
    it.change(it.id, { status: 'failed', errorCode: 'model.unavailable' })
    dispatchEvent(new Event('online'))
    await expect.element(button('Retry')).toBeInTheDocument()

    pressTwice('Retry')

    await expect.element(said()).toMatchTextContent('The assistant is working')
    expect(it.to('/conversations/retry')).toHaveLength(1)
  })

  test('makes one conversation for instructions', async () => {
    const it = await opened()
    await button('New conversation').first().click()
    await button('More actions').click()
    await item('Instructions').click()
    const dialog = page.getByRole('dialog', { name: 'Instructions' })
    await dialog.getByRole('textbox', { name: 'Your instructions' }).fill('Be brief.')

    pressTwice('Save')

    await expect.element(dialog).not.toBeInTheDocument()
    expect(it.to('/conversations/create')).toHaveLength(1)
  })
})
