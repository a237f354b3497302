import { expect, test } from 'vitest'
import { marksOf } from '../../../core/agent/marks.ts'
import type { Message } from '../../../core/conversation/transcript/schema.ts'
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

test('ids, times, nonces and encrypted thoughts support no figure, the arguments of a call do', () => {
  const request = asked(
    '<data-cf4ed2228144276e665a8216 source="get_record">The lamp sells well.</data-cf4ed2228144276e665a8216>',
  )
  request.messages.unshift({
    role: 'assistant',
    content: [
      { type: 'redacted_thinking', data: 'Em-4711-zz' },
      { type: 'tool_call', id: 'toolu-812-x', name: 'get_record', arguments: { id: 745 } },
    ],
  })
  const rows: Message[] = [
    {
      sequence: 341,
      role: 'user',
      content: 'How well?',
      createdAt: '2026-11-25T10:00:00.567Z',
      runId: '3f2a-6092-4d',
      unread: ['931'],
    },
  ]
  const answer = 'We sold 4711, 812, 745, 341, 567, 6092, 931 and 8216 lamps.'

  expect(marksOf(answer, { ...request, rows }, now)).toEqual({
    unsupported: ['4711', '812', '341', '567', '6092', '931', '8216'],
  })
})

test('an invented part stays marked in the answer that repeats it, until the user or a tool names it', () => {
  const first = 'In 12 shops we sold 4711 lamps, as “Sales” [31] says.'
  const row = (role: 'user' | 'assistant', content: string, sequence: number): Message => ({
    sequence,
    role,
    content,
    createdAt: '2026-11-25T10:00:00.000Z',
  })
  const again = (question: string) => {
    const request = asked('There are 12 shops.')
    request.messages.push(
      { role: 'assistant', content: [{ type: 'text', text: first }] },
      { role: 'user', content: [{ type: 'text', text: question }] },
    )
    const marked = { ...row('assistant', first, 1), unread: ['31'], unsupported: ['4711'] }
    const rows = [marked, row('user', question, 2)]
    return marksOf('“Sales” [31] has 4711 lamps in 12 shops.', { ...request, rows }, now)
  }

  expect(again('Are you sure?')).toEqual({ unread: ['31'], unsupported: ['4711'] })
  expect(again('Yes, it was 4,711.')).toEqual({ unread: ['31'] })
  expect(again('Yes, it was 4,711 in [31].')).toEqual({})
})
