import { expect, test } from 'vitest'
import type { RecordId } from '../../../../core/conversation/schema.ts'
import type { Message } from '../../../../core/conversation/transcript/schema.ts'
import { newChanges } from '../../../../web/chat/notify/news.ts'
import { emptyTranscript } from '../../../../web/chat/store/known-transcript.ts'
import { Conversation } from '../../../../web/chat/store/open-conversation.ts'
import { assistant, conversationId, result, user } from '../build.ts'

const record = (uid: RecordId) => ({ table: 'news', uid, title: 'News' })
const done = (sequence: number, uid: RecordId, over: Partial<Message> = {}) =>
  result(sequence, `c${sequence}`, 'Stored.', {
    outcome: 'done',
    approved: true,
    records: [record(uid)],
    ...over,
  })
const undone = (sequence: number) =>
  assistant(sequence, '', { notice: 'undone', records: [record(1), record(2)] })
const knows = (conversation: Conversation, ...messages: Message[]) =>
  conversation.take({ ...emptyTranscript, version: messages.length, messages }, 0)

test('an approved write is announced once, a read and a denial never', () => {
  const conversation = new Conversation(conversationId)
  const before = [user(0, 'Rename'), done(1, 9)]
  knows(conversation, ...before)
  expect(newChanges(conversation)).toEqual([])

  const { approved: _, ...read } = done(2, 8)
  const denied = done(3, 7, { outcome: 'denied', approved: false })
  knows(conversation, ...before, read, denied, done(4, 1), done(5, 1), done(6, 'p-2'))

  expect(newChanges(conversation)).toEqual([
    { key: 'run c4 news:1', table: 'news', uid: 1 },
    { key: 'run c5 news:1', table: 'news', uid: 1 },
    { key: 'run c6 news:p-2', table: 'news', uid: 'p-2' },
  ])
  expect(newChanges(conversation)).toEqual([])
})

test('of a conversation that began in this page each change is news, however late it is looked at', () => {
  const conversation = new Conversation(null)
  conversation.id = conversationId
  knows(conversation, user(0, 'Rename'), done(1, 9))

  expect(newChanges(conversation)).toEqual([{ key: 'run c1 news:9', table: 'news', uid: 9 }])
})

test('what was taken back elsewhere is announced, what was taken back here was announced then', () => {
  const [conversation, own] = [new Conversation(conversationId), new Conversation(conversationId)]
  own.undone.set('run', { records: [], conflicts: [] })
  for (const one of [conversation, own]) {
    knows(one, user(0, 'Rename'))
    newChanges(one)
    knows(one, user(0, 'Rename'), undone(1))
  }

  expect(newChanges(conversation)).toHaveLength(2)
  expect(newChanges(own)).toEqual([])
})
