import { afterEach, expect, test } from 'vitest'
import type { OwnPromptsAnswer, PromptsAnswer } from '../../../core/chat/request.ts'
import { maxPrompts } from '../../../core/user/schema.ts'
import { type Attempt, timeout, under } from '../../faults/inject.ts'
import { bench, benched, editor } from '../../support/benched.ts'
import type { User } from '../../support/live.ts'

benched()

type Saved = OwnPromptsAnswer & { error: { code: string } }

const save = (user: User, body: object) => user.ask<Saved>('/ai-chat/prompts/save', { body })
const remove = (user: User, id: string) => user.ask<Saved>('/ai-chat/prompts/delete', { body: { id } })
const prompts = async (user: User, module = 'page') =>
  (await user.get<PromptsAnswer>('/prompts', { module })).body
const titles = ({ own }: Pick<PromptsAnswer, 'own'>) => own.map(({ title }) => title)

afterEach(async () => {
  for (const { id } of (await prompts(editor)).own) await remove(editor, id)
})

test('a user keeps, changes and forgets prompts, which no other user sees', async () => {
  const { body } = await save(editor, { title: 'Teaser', text: 'Write about {topic}.' })
  const id = body.own[0]?.id ?? ''
  await save(editor, { title: 'Answer', text: 'Answer it.' })
  await save(editor, { id, title: 'Short teaser', text: 'Write one sentence about {topic}.' })

  expect((await prompts(editor)).own).toEqual([
    { id: expect.any(String), title: 'Answer', text: 'Answer it.' },
    { id, title: 'Short teaser', text: 'Write one sentence about {topic}.' },
  ])
  const admin = await bench.login('admin')
  expect((await prompts(admin)).own).toEqual([])
  expect((await save(admin, { id, title: 'Mine', text: 'Mine.' })).body.error.code).toBe('prompt.notFound')
  expect((await remove(admin, id)).body).toEqual({ own: [] })
  expect(titles((await remove(editor, id)).body)).toEqual(['Answer'])
})

test('a prompt is kept once although the answer of the table was lost', async () => {
  let isLost = false
  const once = ({ command, input }: Attempt) => {
    if (isLost || command === 'BatchGetItem' || !JSON.stringify(input).includes('"prompts"')) return undefined
    isLost = true
    return { when: 'after' as const, error: timeout() }
  }

  const { body } = await under(once, () => save(editor, { title: 'Teaser', text: 'Write it.' }))

  expect([isLost, titles(body), titles(await prompts(editor))]).toEqual([true, ['Teaser'], ['Teaser']])
})

test('a user keeps so many prompts and no more, also when requests race', async () => {
  const one = (at: number) => save(editor, { title: `Prompt ${at}`, text: 'Do it.' })
  for (let at = 0; at < maxPrompts - 2; at += 1) await one(at)
  const last = await Promise.all([one(97), one(98), one(99)])

  expect(last.map(({ status }) => status).sort()).toEqual([200, 200, 409])
  expect((await prompts(editor)).own).toHaveLength(maxPrompts)
})

test.each([
  ['no title', { title: ' ', text: 'Do it.' }],
  ['too long a text', { title: 'Long', text: 'a'.repeat(2_001) }],
])('a prompt with %s is refused', async (_, body) => {
  expect((await save(editor, body)).status).toBe(400)
})

test('the prompts of the stage are offered by group and module', async () => {
  const text = 'Do it.'
  await bench.configure({
    prompts: [
      { title: 'For all', text, groups: [], modules: [] },
      { title: 'For editors', text, groups: [1], modules: [] },
      { title: 'For authors', text, groups: [2], modules: [] },
      { title: 'For the log', text, groups: [], modules: ['log'] },
    ],
  })
  const shared = async (user: User, module: string) =>
    (await prompts(user, module)).shared.map(({ title }) => title)

  expect(await shared(editor, 'page')).toEqual(['For all', 'For editors'])
  expect(await shared(await bench.login('autorin'), 'log')).toEqual(['For all', 'For authors', 'For the log'])
})
