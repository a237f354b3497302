import { expect, test } from 'vitest'
import { wordOf } from '../../../../web/chat/store/channel.ts'
import { answer } from '../build.ts'

test.each([
  { type: 'left' },
  { type: 'changed', conversationId: '2-x' },
  { type: 'answer', conversationId: '2-x', answer: answer() },
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
  { type: 'answer', conversationId: '2-x' },
  { type: 'answer', conversationId: '2-x', answer: { messages: 'all' } },
  { type: 'answer', conversationId: '2-x', answer: { messages: [] } },
  { type: 'other', conversationId: '2-x' },
  { type: 'records', changes: 'all' },
  { type: 'records', changes: [{ key: 'k', table: 'news', uid: null }] },
])('what other scripts say is dropped: %j', (word) => {
  expect(wordOf(word)).toBeUndefined()
})
