import { expect, test } from 'vitest'
import { markdown } from '../../../core/chat/export.ts'
import type { PendingApproval } from '../../../core/conversation/schema.ts'
import { bench, benched, editor, logInAgain } from '../../support/benched.ts'
import { gate } from '../../support/live.ts'

/** A question of the assistant: the turn waits as for an approval, and the answer goes on as the user's words. */

benched()

const question = (over: object = {}, id = 'q') => ({
  id,
  name: 'ask_user',
  arguments: { question: 'Which colour?', choices: ['Red', 'Green', 'Blue'], ...over },
})
const rename = {
  id: 'w',
  name: 'update_record',
  arguments: { table: 'news', uid: 1, fields: { title: 'B' } },
}

type Call = { id: string; name: string; arguments: object }

async function asked(...calls: Call[]) {
  bench.api.reply({ text: 'One thing first.', calls: calls.length > 0 ? calls : [question()] })
  const { conversation, pendingApproval } = await editor.turn('Paint it')
  expect(conversation.status).toBe('awaiting_approval')
  return { id: conversation.id, pending: pendingApproval as PendingApproval }
}

const answer = (conversationId: string, digest: string, given: object) =>
  editor.post<{ error?: { code: string } }>('answer', { conversationId, digest, ...given })
const sentLast = () => JSON.stringify(bench.api.requests.at(-1)?.body.messages.at(-1))
const results = async (id: string) =>
  (await editor.poll(id)).messages
    .filter(({ role }) => role === 'tool')
    .map(({ outcome, remark }) => [outcome, remark])

test('is shown with its choices, holds no place among the active, and its answer is the user’s word to the model', async () => {
  const { id, pending } = await asked(question({ several: true }))
  expect(pending.calls).toEqual([
    expect.objectContaining({
      tool: 'ask_user',
      title: 'Which colour?',
      preview: null,
      question: {
        text: 'Which colour?',
        choices: ['Red', 'Green', 'Blue'],
        several: true,
        freeText: true,
      },
    }),
  ])
  expect((await editor.get<{ activeConversations: number }>('/status')).body.activeConversations).toBe(0)

  bench.api.reply({ text: 'Red and blue it is.' })
  const { status } = await answer(id, pending.digest, { choices: [2, 0], text: ' but pale ' })
  expect(status).toBe(202)
  await bench.settle()

  expect(sentLast()).toContain('The user answers: Red; Blue; but pale')
  const { conversation, messages, pendingApproval } = await editor.poll(id)
  expect([conversation.status, pendingApproval, messages.at(-1)?.content]).toEqual([
    'idle',
    null,
    'Red and blue it is.',
  ])
  expect(await results(id)).toEqual([['done', 'Red; Blue; but pale']])
  const file = markdown(await bench.row(id), messages, 'en')
  expect(file).toContain('**Which colour?**\n\n- Red\n- Green\n- Blue')
  expect(file).toMatch(/## You, \S+\n\nRed; Blue; but pale\n/)
})

test('is answered once: of two answers at the same time one is taken, and the same request again answers the same', async () => {
  const { id, pending } = await asked()
  bench.api.reply({ text: 'Red.' })
  const body = { conversationId: id, digest: pending.digest, choices: [0] }

  const both = await Promise.all([
    editor.post('answer', body, { key: 'one' }),
    editor.post('answer', { ...body, choices: [1] }),
  ])

  expect(both.map(({ status }) => status).sort()).toEqual([202, 409])
  await bench.settle()
  const again = await editor.post('answer', body, { key: 'one' })
  const isFirst = both[0]?.status === 202
  expect(again.status).toBe(isFirst ? 202 : 409)
  expect(await results(id)).toEqual([['done', isFirst ? 'Red' : 'Green']])
})

test('an answer survives the death of its consumer, and reaches the model once', async () => {
  const { id, pending } = await asked()
  await answer(id, pending.digest, { choices: [1] })
  const { reach, reached } = gate()
  await bench.die({ opening: async () => reach() as never })
  await reached
  await bench.clock.pass(120_000)
  bench.api.reply({ text: 'Green.' })

  await bench.cleanup()
  await bench.settle()

  await logInAgain()
  expect((await editor.poll(id)).conversation.status).toBe('idle')
  expect(await results(id)).toEqual([['done', 'Green']])
})

test('is skipped by an answer without words', async () => {
  const { id, pending } = await asked()
  bench.api.reply({ text: 'Then I choose.' })
  await answer(id, pending.digest, {})
  await bench.settle()

  expect(sentLast()).toContain('The user chose not to answer.')
  expect(await results(id)).toEqual([['done', undefined]])
})

test('beside it no change is proposed before the answer', async () => {
  const { id, pending } = await asked(rename, question(), question({ question: 'And which size?' }, 'q2'))
  expect(pending.calls.map((call) => call.id)).toEqual(['q'])
  bench.api.reply({ text: 'Red.' })
  await answer(id, pending.digest, { choices: [0] })
  await bench.settle()

  expect(await results(id)).toEqual([
    ['notRun', undefined],
    ['done', 'Red'],
    ['notRun', undefined],
  ])
  expect(await bench.field('news', 1)).not.toBe('B')
})

test('ends by a new message, by cancel and after seven days, each time without an answer', async () => {
  const first = await asked()
  bench.api.reply({ text: 'All right.' })
  await editor.turn('Never mind', { conversationId: first.id })
  const second = await asked()
  await editor.does('cancel', second.id)
  const third = await asked()
  await bench.clock.pass(7 * 86_400_000)
  await logInAgain()
  expect((await answer(third.id, third.pending.digest, { choices: [0] })).body.error?.code).toBe(
    'approval.notPending',
  )
  await bench.cleanup()

  const notices = async (id: string) => (await editor.poll(id)).messages.flatMap(({ notice }) => notice ?? [])
  expect([await notices(first.id), await notices(second.id), await notices(third.id)]).toEqual([
    [],
    ['cancelled'],
    [],
  ])
  for (const { id } of [first, second, third]) expect(await results(id)).toEqual([['notRun', undefined]])
})

test.each<[string, number, string, object, object]>([
  ['of a choice that is not there', 400, 'request.invalid', {}, { choices: [3] }],
  ['of two where one is asked for', 400, 'request.invalid', {}, { choices: [0, 1] }],
  [
    'in words where only a choice is asked for',
    400,
    'request.invalid',
    { freeText: false },
    { text: 'Pink' },
  ],
  ['to another question', 409, 'approval.stale', {}, { digest: 'another' }],
])('an answer %s is refused, and the question still waits', async (_, status, code, over, given) => {
  const { id, pending } = await asked(question(over))

  const refused = await answer(id, pending.digest, given)

  expect([refused.status, refused.body.error?.code]).toEqual([status, code])
  expect((await editor.poll(id)).pendingApproval).toEqual(pending)
  await editor.does('cancel', id)
})

test('a question is not approved, a proposal is not answered', async () => {
  const { id, pending } = await asked()
  const approved = await editor.post('approve', { conversationId: id, digest: pending.digest, approve: true })
  expect(approved.body).toMatchObject({ error: { code: 'approval.notPending' } })
  await editor.does('cancel', id)

  const proposal = await asked(rename)
  const answered = await answer(proposal.id, proposal.pending.digest, { choices: [0] })
  expect(answered.body.error?.code).toBe('approval.notPending')
  await editor.does('cancel', proposal.id)
})

test('hidden characters, and choices that are none, are refused to the model', async () => {
  bench.api.reply({
    calls: [
      question({ question: 'Which\u{e0041}?' }),
      question({ choices: ['Only one'], freeText: false }, 'q2'),
    ],
  })
  bench.api.reply({ text: 'Sorry.' })
  const { messages } = await editor.turn('Paint it')

  expect(messages.filter(({ role }) => role === 'tool').map(({ outcome }) => outcome)).toEqual([
    'notValid',
    'notValid',
  ])
})
