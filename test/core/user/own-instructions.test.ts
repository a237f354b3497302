import { expect, test } from 'vitest'
import type { InstructionsAnswer } from '../../../core/user/schema.ts'
import { bench, benched, editor } from '../../support/benched.ts'
import type { User } from '../../support/live.ts'

benched()

const save = (user: User, text: string) =>
  user.ask<InstructionsAnswer>('/ai-chat/instructions', { body: { text } })
const answer = async (user: User) => (await user.get<InstructionsAnswer>('/instructions')).body
const read = async (user: User) => (await answer(user)).text
const system = () => bench.api.requests.at(-1)?.body.system?.map(({ text }) => text) ?? []

test('what a user says for all conversations goes into each of their turns, and into no other', async () => {
  bench.api.always({ text: 'Yes.' })
  const admin = await bench.login('admin')
  expect((await save(editor, '  Call me Kim.\n')).body).toEqual({ text: 'Call me Kim.', houseStyle: '' })

  const { conversation } = await editor.turn('Hello')
  await editor.does('system-prompt', conversation.id, { systemPrompt: 'Be brief.' })
  await editor.send('And now?', { conversationId: conversation.id })
  await bench.settle()

  const parts = system()
  expect(parts.at(-2)).toMatch(/\n<own_instructions>\nCall me Kim\.\n<\/own_instructions>$/)
  expect(parts.at(-1)).toMatch(/\n<user_instructions>\nBe brief\.\n<\/user_instructions>$/)
  await admin.turn('Hello')
  expect(system().join()).not.toContain('Kim')
  expect([await read(editor), await read(admin)]).toEqual(['Call me Kim.', ''])

  await save(editor, ' ')
  await editor.turn('Who am I?')
  expect(system().join()).not.toContain('own_instructions>')
  expect(await read(editor)).toBe('')
})

test('come with the house style of the stage, which they add to', async () => {
  await bench.configure({ houseStyle: 'Lamps have names.' })

  expect(await answer(editor)).toMatchObject({ houseStyle: 'Lamps have names.' })
})

test('2,000 characters are taken, whatever they are made of, and one more is refused', async () => {
  expect((await save(editor, '🪔'.repeat(2_000))).status).toBe(200)
  expect((await save(editor, '🪔'.repeat(2_001))).status).toBe(400)
  expect(await read(editor)).toBe('🪔'.repeat(2_000))
})
