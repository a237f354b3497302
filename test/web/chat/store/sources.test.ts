import { expect, test } from 'vitest'
import type { Message } from '../../../../core/conversation/transcript/schema.ts'
import type { Source as Kind } from '../../../../core/tool/schema.ts'
import { pagesNamed, sourcesOf } from '../../../../web/chat/store/sources.ts'
import { type TurnRow, titlesOf } from '../../../../web/chat/store/turn-rows.ts'
import { assistant, result } from '../build.ts'

const turn = (...messages: TurnRow['messages']): TurnRow => ({
  kind: 'turn',
  key: 't',
  askedAt: null,
  messages,
})
/** A row of a tool that is named like the kind of its source. */
const read = (kind: Kind | 'gone', facts: Partial<Message>, sequence = 2) =>
  result(sequence, 'c', 'Words for the model: Page “Other” [99]', {
    toolName: kind,
    outcome: 'done',
    ...facts,
  })
const others = new Map<string, Kind | null>([
  ['gone', null],
  ['read_file', 'files'],
])
const kindOf = (tool: string) => (others.has(tool) ? (others.get(tool) ?? null) : (tool as Kind))
const name = (table: string, uid: number, title: string) => ({ table, uid, title })

test.each<[string, TurnRow, unknown[]]>([
  [
    'a page that was read, and not its elements',
    turn(read('record', { records: [name('pages', 3, 'Aurora lamp'), name('content', 12, 'Data')] })),
    [{ kind: 'record', table: 'pages', uid: 3, title: 'Aurora lamp' }],
  ],
  [
    'of the hits of a search those that the answer names',
    turn(
      read('named', {
        records: [
          name('pages', 3, 'Aurora lamp'),
          name('content', 1, 'Aurora'),
          name('news', 8, 'Winter'),
          name('news', 3, 'Other'),
          name('content', 9, ''),
        ],
      }),
      assistant(3, 'The **“Aurora lamp”** [3] costs 149 EUR: content [1], as [news:8] says. See Home [9].'),
    ),
    [
      { kind: 'record', table: 'pages', uid: 3, title: 'Aurora lamp' },
      { kind: 'record', table: 'content', uid: 1, title: 'Aurora' },
      { kind: 'record', table: 'news', uid: 8, title: 'Winter' },
    ],
  ],
  [
    'a list',
    turn(read('list', { records: [name('news', 8, 'A'), name('news', 9, 'B')] })),
    [{ kind: 'list', table: 'news', count: 2 }],
  ],
  [
    'a history',
    turn(read('history', { records: [name('news', 8, '')], count: 5 })),
    [{ kind: 'history', table: 'news', uid: 8, count: 5 }],
  ],
  ['the log', turn(read('log', { count: 3 })), [{ kind: 'log', count: 3 }]],
  [
    'the log, read twice, once',
    turn(read('log', { count: 1 }), read('log', { count: 2 }, 4)),
    [{ kind: 'log', count: 2 }],
  ],
  ['a page tree', turn(read('tree', { records: [name('pages', 1, 'Home')] })), [{ kind: 'tree' }]],
  ['files', turn(read('files', { count: 2 })), [{ kind: 'files', count: 2 }]],
  [
    'the place in a file from which it was read on',
    turn(
      assistant(1, '', { toolCalls: [{ id: 'c', name: 'read_file', arguments: { file: 7, from: 230 } }] }),
      result(2, 'c', 'Words', { toolName: 'read_file', outcome: 'done' }),
    ),
    [{ kind: 'file', fileUid: 7, from: 230 }],
  ],
  ['nothing of what was empty', turn(read('log', {}), read('files', {}), read('list', { records: [] })), []],
  ['nothing of what was refused', turn(read('record', { isError: true, outcome: 'missing' })), []],
  ['nothing of a tool that is gone', turn(read('gone', { records: [name('news', 8, 'A')] })), []],
])('sources: %s', (_, row, sources) => {
  expect(sourcesOf(row, kindOf)).toEqual(sources)
})

test('the same record is one source', () => {
  const page = { records: [name('pages', 3, 'Aurora lamp')] }

  expect(sourcesOf(turn(read('record', page), read('record', page, 4)), kindOf)).toHaveLength(1)
})

test('names of records are those that the rows give, and never what the words for the model say', () => {
  const row = turn(read('record', { records: [name('pages', 3, 'Aurora lamp'), name('content', 12, '')] }))

  expect(Object.fromEntries(titlesOf(row))).toEqual({ 'pages:3': 'Aurora lamp' })
})

test('the pages of the attached PDF that an answer names are sources, each once', () => {
  const asked = (fileName: string): Message => ({
    sequence: 0,
    role: 'user',
    content: 'What is where?',
    createdAt: '2026-11-20T12:00:00.000Z',
    fileUid: 7,
    fileName,
  })
  const answer = 'On page 3 and on Seite 12 (see p. 3), but not on page 0 or in 2026.'

  expect(pagesNamed(answer, asked('minutes.pdf'))).toEqual([
    { kind: 'file', fileUid: 7, from: 3 },
    { kind: 'file', fileUid: 7, from: 12 },
  ])
  expect(pagesNamed(answer, asked('minutes.docx'))).toEqual([])
})
