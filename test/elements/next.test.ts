import { afterEach, describe, expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { button, clear, focused, message, mountModule, said, stage } from './mount.ts'

afterEach(clear)

const group = () => page.getByRole('group', { name: 'Next', exact: true })
const rows = () => group().getByRole('textbox', { name: /^Next message \d+$/ })
const write = async (text: string) => {
  await message().fill(text)
  await userEvent.keyboard('{Enter}')
}

/** A conversation whose turn runs. */
async function running() {
  const it = stage()
  mountModule(it)
  await write('First')
  await expect.element(button('Stop')).toBeInTheDocument()
  const id = [...it.conversations.keys()][0] as string
  return { it, id }
}

describe('what is written while a turn runs', () => {
  test('is a row above the field, told to who does not see it, and the field is free again', async () => {
    const { it } = await running()
    await write('Second')

    await expect.element(rows()).toHaveValue('Second')
    await expect.element(said()).toMatchTextContent('Will be sent when the answer is finished')
    await expect.element(message()).toHaveValue('')
    expect(focused()).toBe('Message')
    expect(it.to('/conversations/next').map(({ body }) => body)).toEqual([
      { act: 'add', conversationId: expect.any(String), content: 'Second' },
    ])
    expect(it.to('/conversations/send')).toHaveLength(1)
  })

  test('stays the draft of the browser until the stage has it', async () => {
    const { it, id } = await running()
    const gate = Promise.withResolvers<void>()
    it.held.set('/ai-chat/conversations/next', gate.promise)
    const kept = () => JSON.parse(localStorage.getItem(`aic:v1:${it.uid}`) ?? '{}').drafts?.[id]
    await write('Second')
    await expect.element(message()).toHaveValue('')
    dispatchEvent(new Event('pagehide'))
    expect(kept()).toBe('Second')

    gate.resolve()

    await expect.element(rows()).toHaveValue('Second')
    dispatchEvent(new Event('pagehide'))
    expect(kept()).toBeUndefined()
  })

  test('is one also where the message that begins the turn is still on its way, which it does not overtake', async () => {
    const it = stage()
    const gate = Promise.withResolvers<void>()
    it.held.set('/ai-chat/conversations/send', gate.promise)
    mountModule(it)
    await write('First')
    await write('Second')
    await expect.element(message()).toHaveValue('')
    expect(it.to('/conversations/next')).toEqual([])

    gate.resolve()

    await expect.element(rows()).toHaveValue('Second')
    const sent = it.asked.filter(({ path }) => /send|next/.test(path))
    expect(sent.map(({ path, body }) => [path, body.content])).toEqual([
      ['/ai-chat/conversations/send', 'First'],
      ['/ai-chat/conversations/next', 'Second'],
    ])
  })

  test('is seen to begin its turn, also where that comes a moment after the end of the one before', async () => {
    const { it, id } = await running()
    await write('Second')
    await expect.element(rows()).toHaveValue('Second')
    it.change(id, {}, { pollAfterMs: 1_000 })
    it.finish(id, 'One.')
    await expect.element(page.getByText('One.')).toBeInTheDocument()

    it.change(id, {}, { next: [], pollAfterMs: null })
    it.say(id, { role: 'user', content: 'Second' })
    it.finish(id, 'Two.')

    await expect.element(page.getByText('Two.')).toBeInTheDocument()
    expect(rows().elements()).toEqual([])
  })

  test('is changed in its row with the keyboard alone', async () => {
    const { it } = await running()
    await write('Wrong')
    await rows().fill('Right')
    await userEvent.keyboard('{Enter}')

    await expect
      .poll(() => it.to('/conversations/next').at(-1)?.body)
      .toMatchObject({
        act: 'edit',
        content: 'Right',
      })
    await expect.element(rows()).toHaveValue('Right')
    expect(focused()).toBe('Message')
  })

  test('waits while its row has the focus, and is let go when that is left as it was', async () => {
    const { it } = await running()
    await write('Second')
    const acts = () => it.to('/conversations/next').map(({ body }) => body.act)
    await rows().click()
    await expect.poll(acts).toEqual(['add', 'hold'])

    await userEvent.keyboard('{Escape}')

    await expect.poll(acts).toEqual(['add', 'hold', 'release'])
    expect(focused()).toBe('Message')
  })

  test('is removed, and the focus is in the field', async () => {
    const { it } = await running()
    await write('Second')
    await group().getByRole('button', { name: 'Remove', exact: true }).click()

    await expect.element(group()).not.toBeInTheDocument()
    expect(it.to('/conversations/next').at(-1)?.body).toMatchObject({ act: 'remove' })
    expect(focused()).toBe('Message')
  })

  test('can be sent at once where no turn runs any more', async () => {
    const { it, id } = await running()
    await write('Second')
    await expect.element(rows()).toBeInTheDocument()
    const now = group().getByRole('button', { name: 'Send now', exact: true })
    it.change(id, { status: 'failed', errorCode: 'model.unavailable' })

    await now.click()
    await expect.poll(() => it.to('/conversations/next').at(-1)?.body).toMatchObject({ act: 'send' })
  })

  test('is handed to the running turn, which is said', async () => {
    const { it } = await running()
    await write('Second')
    await group().getByRole('button', { name: 'Send now', exact: true }).click()

    await expect.element(group().getByText('Read at the next step')).toBeInTheDocument()
    await expect.element(said()).toMatchTextContent('The assistant reads it at its next step')
    expect(it.to('/conversations/next').at(-1)?.body).toMatchObject({ act: 'send', id: '1' })
    expect(group().getByRole('button', { name: 'Send now', exact: true }).elements()).toEqual([])
    expect(focused()).toBe('Message')
  })

  test('is handed to it with a key: what is written, or else the first that waits', async () => {
    const { it } = await running()
    await write('Second')
    await expect.element(rows()).toBeInTheDocument()
    await message().fill('Third')
    await userEvent.keyboard('{Control>}{Alt>}{Enter}{/Alt}{/Control}')
    await expect.element(group().getByText('Read at the next step')).toBeInTheDocument()
    await userEvent.keyboard('{Control>}{Alt>}{Enter}{/Alt}{/Control}')

    const acts = () =>
      it.to('/conversations/next').map(({ body }) => `${body.act} ${body.content ?? body.id}`)
    await expect.poll(acts).toEqual(['add Second', 'add Third', 'send 2', 'send 1'])
    await expect.element(message()).toHaveValue('')
  })

  test('is a draft again where the stage refuses it', async () => {
    const { it } = await running()
    it.refusals.set('/ai-chat/conversations/next', {
      status: 409,
      code: 'message.tooManyNext',
      message: 'At most 5 messages can wait.',
    })
    await write('Sixth')

    await expect.element(page.getByText('At most 5 messages can wait.').first()).toBeInTheDocument()
    await expect.element(message()).toHaveValue('Sixth')
  })

  test('and was being changed when it was sent is a draft', async () => {
    const { it, id } = await running()
    await write('Second')
    await rows().fill('Second, and more')
    it.change(id, {}, { next: [] })

    await expect.element(message()).toHaveValue('Second, and more')
  })
})
