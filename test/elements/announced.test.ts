import { afterEach, expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { announcements, button, clear, log, message, mountModule, stage } from './mount.ts'

afterEach(clear)

async function open() {
  const it = stage()
  const id = it.add({ title: 'Prices' }, [{ role: 'user', content: 'How much?' }])
  const module = mountModule(it, { conversationId: id })
  await expect.element(log()).toMatchTextContent('How much?')
  return { it, id, module, heard: announcements() }
}

const choose = async (item: string) => {
  await button('More actions').click()
  await page.getByRole('menuitem', { name: item, exact: true }).click()
}

test('a refusal is said, each time', async () => {
  const { it, heard } = await open()
  const refusal = { status: 409, code: 'conversation.busy', message: 'The assistant is at work here.' }
  for (const times of [1, 2]) {
    it.refusals.set('/ai-chat/conversations/pin', refusal)
    await choose('Pin')
    await expect.poll(() => heard().filter((text) => text.startsWith(refusal.message)).length).toBe(times)
  }
})

test('a message that was refused is said to be not sent, with the reason', async () => {
  const { it, heard } = await open()
  const refusal = { status: 409, code: 'conversation.busy', message: 'The assistant is at work here.' }
  it.refusals.set('/ai-chat/conversations/send', refusal)
  await message().fill('And now?')
  await userEvent.keyboard('{Enter}')

  await expect.poll(heard).toContain(`Not sent. ${refusal.message}`)
})

test('a lost connection is said once, and what it kept from the stage', async () => {
  const { it, heard } = await open()
  it.isOffline = true
  await message().fill('And now?')
  await userEvent.keyboard('{Enter}')

  await expect.poll(heard).toContain('Not sent')
  const lost = () => heard().filter((text) => /^No connection/.test(text))
  const asked = it.asked.length
  await button('Try now').click()
  await expect.poll(() => it.asked.length).toBeGreaterThan(asked)
  // At once: the chat also tries again by itself, and then the button is gone.
  const tryNow = button('Try now').element() as HTMLButtonElement
  it.isOffline = false
  tryNow.click()

  await expect.poll(heard).toContain('Connected again.')
  expect(lost()).toEqual(['No connection. Trying again now.'])
})

test.each([
  ['refused', new File(['x'], 'photos.zip'), 'photos.zip: ZIP files cannot be read'],
  ['lost on its way', new File(['x'], 'a.pdf'), 'a.pdf: The upload failed'],
])('a file that was %s is said, with the reason', async (_, file, words) => {
  const { module, heard } = await open()
  await expect.poll(() => module.renderRoot.querySelector('[accept=".png,.pdf,.txt"]')).toBeTruthy()
  const files = new DataTransfer()
  files.items.add(file)
  const field = module.find<HTMLInputElement>('#files')
  if (field) field.files = files.files
  field?.dispatchEvent(new Event('change'))

  await expect.poll(heard).toContain(words)
})

test('a deletion is said', async () => {
  const { heard } = await open()
  await choose('Delete')

  await expect.poll(heard).toContain('The conversation was deleted.')
})

test('what is wrong in another conversation is not said when it is opened', async () => {
  const { it, id, module, heard } = await open()
  it.refusals.set('/ai-chat/conversations/pin', {
    status: 409,
    code: 'conversation.busy',
    message: 'Refused.',
  })
  await choose('Pin')
  await expect.poll(heard).toContain('Refused.')
  module.show(null)
  await expect.element(page.getByText('What would you like to know?')).toBeInTheDocument()
  module.show(id)
  await expect.element(page.getByText('Refused.', { exact: true }).first()).toBeVisible()
  await choose('Pin')
  await expect.element(page.getByRole('heading', { name: 'Pinned' })).toBeInTheDocument()

  expect(heard()).toEqual(['Refused.'])
})

test('an answer is said with its paragraphs, list entries and cells as words of their own', async () => {
  const { it, id, heard } = await open()
  await message().fill('Which lamps?')
  await userEvent.keyboard('{Enter}')
  await expect.poll(heard).toContain('The assistant is working…')
  it.finish(id, 'Two **lam**ps:\n\n- Aurora\n  - 149 EUR\n- Vega\n\n|Name|Price|\n|-|-|\n|Luna|9 EUR|')

  await expect.poll(heard).toContain('Answer ready: Two lamps: Aurora 149 EUR Vega Name Price Luna 9 EUR')
})
