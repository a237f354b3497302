import { afterEach, expect, test } from 'vitest'
import { Channel, type Word, wordOf } from '../../../../web/chat/store/channel.ts'
import { answer, calling, conversationId, user } from '../build.ts'

test.each([
  { type: 'left' },
  { type: 'changed', conversationId: '2-x' },
  { type: 'answer', conversationId: '2-x', answer: answer() },
  { type: 'settled', key: 'key' },
  { type: 'records', changes: [{ key: 'run c1 news:1', table: 'news', uid: 1 }] },
])('a word between tabs is understood: $type', (word) => {
  expect(wordOf(structuredClone(word))).toEqual(word)
})

test.each([
  null,
  'left',
  {},
  { type: 'changed' },
  { type: 'changed', conversationId: 7 },
  { type: 'answer', conversationId: null },
  { type: 'settled', key: 7 },
  { type: 'other', conversationId: '2-x' },
  { type: 'records', changes: 'all' },
  { type: 'records', changes: [{ key: 'k', table: 'news', uid: null }] },
])('what other scripts say is dropped: %j', (word) => {
  expect(wordOf(word)).toBeUndefined()
})

const closers: (() => void)[] = []
afterEach(() => {
  for (const close of closers.splice(0)) close()
})

/** What a tab of the chat hears when another script of the origin says this. */
async function heard(said: unknown): Promise<Word[]> {
  const words: Word[] = []
  const channel = new Channel('aic:2', (word) => words.push(word))
  const stranger = new BroadcastChannel('aic:2')
  closers.push(
    () => channel.close(),
    () => stranger.close(),
  )
  stranger.postMessage(said)
  await expect.poll(() => words.length).toBe(1)
  return words
}

test('an answer of the poll is heard whole', async () => {
  const messages = [user(0, 'Hello'), calling(1, 'c1', 'get_page_tree', { root: 1 })]
  const whole = { type: 'answer', conversationId, answer: answer({ messages }) }

  expect(await heard(whole)).toEqual([whole])
})

test.each([
  ['nothing', undefined],
  ['no message', { ...answer(), messages: [null] }],
  ['a message of another kind', { ...answer(), messages: [{ ...user(0, ''), role: 'system' }] }],
  ['what an older release gave', { ...answer(), next: undefined }],
])('an answer that holds %s only says that there is something new', async (_, damaged) => {
  expect(await heard({ type: 'answer', conversationId, answer: damaged })).toEqual([
    { type: 'changed', conversationId },
  ])
})
