import { expect, test } from 'vitest'
import { marksOf } from '../../../core/agent/marks.ts'
import type { ModelRequest } from '../../../core/model/model.ts'

const now = Date.UTC(2026, 10, 25)
const unreadReferences = (answer: string, request: ReturnType<typeof asked>) =>
  marksOf(answer, { ...request, rows: [] }, now).unread ?? []
const asked = (...texts: string[]): Pick<ModelRequest, 'system' | 'messages'> => ({
  system: [{ text: 'Name records as “Title” [uid].' }],
  messages: [
    {
      role: 'user',
      content: texts.map((text, at) => ({ type: 'tool_result', callId: `c${at}`, text, isError: false })),
    },
  ],
})

test.each<[answer: string, read: string[], unread: string[]]>([
  ['See “Aurora lamp” [3].', ['{"uid":3,"title":"Aurora lamp"}'], []],
  ['See “Aurora lamp” [31].', ['{"uid":3,"title":"Aurora lamp"}, 310 of 131'], ['31']],
  ['- [40] “A lamp”\n- [41] “A chair”', ['[40] A lamp'], ['41']],
  ['As [pages:7] says, and [posts:p-3] and [posts:p-4].', ['page 7; post p-3'], ['posts:p-4']],
  ['“A” [9] and once more “A” [9].', [''], ['9']],
  ['Read “Guide” [12](https://example.com).', [''], []],
  ['The list `“a” [99]` and\n```\n"b" [98]\n```', [''], []],
  ['In [2026] nothing happened; list[5] is code.', [''], []],
])('of %j, read %j, the references %j were read nowhere', (answer, read, unread) => {
  expect(unreadReferences(answer, asked(...read))).toEqual(unread)
})

test('an answer with a document as bytes is not judged: nobody can look for its words', () => {
  const request = asked('')
  request.messages.push({
    role: 'user',
    content: [{ type: 'document', mimeType: 'application/pdf', base64: 'JVBERi0=', title: 'list.pdf' }],
  })

  expect(unreadReferences('See “Aurora lamp” [3].', request)).toEqual([])
})

test('a uid that a call asked for, or that the system names, counts as read', () => {
  const request = asked('There is no such record.')
  request.messages.push({
    role: 'assistant',
    content: [{ type: 'tool_call', id: 'c', name: 'get_record', arguments: { table: 'news', uid: 77 } }],
  })

  expect(unreadReferences('“News” [77] does not exist.', request)).toEqual([])
})
