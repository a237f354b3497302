import { expect, test } from 'vitest'
import { wordOf } from '../../../../web/chat/store/channel.ts'
import { answer } from '../build.ts'

test.each([
  { type: 'left' },
  { type: 'changed', conversationId: '2-x' },
  { type: 'answer', conversationId: '2-x', answer: answer() },
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
])('what other scripts say is dropped: %j', (word) => {
  expect(wordOf(word)).toBeUndefined()
})
