import { afterEach, expect, test, vi } from 'vitest'
import type { FeedbackAnswer } from '../../../core/chat/request.ts'
import { feedbackOf, sumFeedback } from '../../../core/user/feedback.ts'
import { bench, benched, editor } from '../../support/benched.ts'
import type { User } from '../../support/live.ts'

benched()
afterEach(() => {
  vi.restoreAllMocks()
})

const days = { from: '2026-11-20', to: '2026-11-20' }
const none = { reason: null, words: '' }

async function answered(user: User) {
  bench.api.reply({ text: 'A secret answer.' })
  const { conversation, messages } = await user.turn('A secret question')
  return { conversationId: conversation.id, runId: messages.at(-1)?.runId ?? '' }
}
const say = (user: User, body: object) =>
  user.ask<FeedbackAnswer>('/ai-chat/conversations/feedback', { body })
const read = async (user: User, of: { conversationId: string; runId: string }) =>
  (await user.get<FeedbackAnswer>('/conversations/feedback', of)).body.feedback

test('the last word about an answer counts, once, with model and prompt and without the messages', async () => {
  const it = await answered(editor)
  expect(await read(editor, it)).toBeNull()
  const logged = vi.spyOn(process.stdout, 'write')

  const said = { verdict: 'notHelpful', reason: 'wrong', words: 'The price is old.' }
  await say(editor, { ...it, verdict: 'helpful' })
  for (let times = 0; times < 2; times++) await say(editor, { ...it, ...said })

  expect(await read(editor, it)).toEqual(said)
  const rows = await feedbackOf(days)
  expect(rows).toEqual([
    {
      ...said,
      at: '2026-11-20T12:00:00.000Z',
      user: 2,
      runId: it.runId,
      model: 'claude-sonnet-5-5',
      promptVersion: expect.stringMatching(/^[0-9a-f]{12}$/),
    },
  ])
  expect(sumFeedback(rows, ({ model }) => model)).toEqual([
    ['claude-sonnet-5-5', { helpful: 0, notHelpful: 1, reasons: { wrong: 1 } }],
  ])
  const lines = logged.mock.calls.map(([line]) => String(line)).join('')
  expect(lines).not.toMatch(/secret|price is old/)

  await say(editor, { ...it, verdict: null })
  expect([await read(editor, it), await feedbackOf(days)]).toEqual([null, []])
})

test('an answer is judged by the owner of its conversation alone, and by the run of that conversation', async () => {
  const [it, other] = [await answered(editor), await answered(editor)]
  const admin = await bench.login('admin')
  const asAdmin = await say(admin, { ...it, verdict: 'helpful' })
  const crossed = await say(editor, { ...it, runId: other.runId, verdict: 'helpful' })

  expect([asAdmin.status, crossed.status]).toEqual([404, 404])
  expect(await feedbackOf(days)).toEqual([])
})

test('another stage of the prompt has another version', async () => {
  await say(editor, { ...(await answered(editor)), verdict: 'helpful' })
  await bench.configure({ houseStyle: 'Say "you".' })
  await say(editor, { ...(await answered(editor)), verdict: 'helpful' })

  const versions = (await feedbackOf(days)).map(({ promptVersion }) => promptVersion)
  expect(new Set(versions).size).toBe(2)
})

test('too many words, and a reason that is none, are refused', async () => {
  const it = await answered(editor)

  expect((await say(editor, { ...it, verdict: 'helpful', ...none, words: 'x'.repeat(501) })).status).toBe(400)
  expect((await say(editor, { ...it, verdict: 'notHelpful', reason: 'rude' })).status).toBe(400)
})
