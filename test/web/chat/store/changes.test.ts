import { expect, test } from 'vitest'
import type { Message } from '../../../../core/transcript/schema.ts'
import { changesOf } from '../../../../web/chat/store/changes.ts'
import { Conversation } from '../../../../web/chat/store/conversation.ts'
import { emptyTranscript } from '../../../../web/chat/store/transcript.ts'
import { assistant, conversationId, result, user } from '../build.ts'

const record = (uid: number) => ({ table: 'news', uid, title: 'News' })
const done = (sequence: number, uid: number, over: Partial<Message> = {}) =>
  result(sequence, `c${sequence}`, 'Stored.', {
    outcome: 'done',
    approved: true,
    records: [record(uid)],
    ...over,
  })
const undone = (sequence: number) =>
  assistant(sequence, '', { notice: 'undone', records: [record(1), record(2)] })
const knows = (talk: Conversation, ...messages: Message[]) =>
  talk.take({ ...emptyTranscript, version: messages.length, messages }, 0)

test('an approved write is announced once, a read and a denial never', () => {
  const talk = new Conversation(conversationId)
  const before = [user(0, 'Rename'), done(1, 9)]
  knows(talk, ...before)
  expect(changesOf(talk)).toEqual([])

  const { approved: _, ...read } = done(2, 8)
  const denied = done(3, 7, { outcome: 'denied', approved: false })
  knows(talk, ...before, read, denied, done(4, 1), done(5, 1), done(6, 2))

  expect(changesOf(talk)).toEqual([
    { table: 'news', uid: 1 },
    { table: 'news', uid: 2 },
  ])
  expect(changesOf(talk)).toEqual([])
})

test('what was taken back elsewhere is announced, what was taken back here was announced then', () => {
  const [talk, own] = [new Conversation(conversationId), new Conversation(conversationId)]
  own.undone.set('run', { records: [], conflicts: [] })
  for (const one of [talk, own]) {
    knows(one, user(0, 'Rename'))
    changesOf(one)
    knows(one, user(0, 'Rename'), undone(1))
  }

  expect(changesOf(talk)).toHaveLength(2)
  expect(changesOf(own)).toEqual([])
})
