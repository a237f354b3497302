import { expect, test } from 'vitest'
import { asStored } from '../../../../core/conversation/legacy/old-result.ts'
import type { Message } from '../../../../core/conversation/transcript/schema.ts'

const fence = (text: string) => `<data-ab12 source="tool">\n${text}\n</data-ab12>`
const row = (toolName: string, content: string, isError = false): Message => ({
  sequence: 2,
  role: 'tool',
  content,
  createdAt: '2026-11-20T12:00:00.000Z',
  toolCallId: 'a',
  toolName,
  ...(isError && { isError }),
})
const record = (table: string, uid: number, title: string) => ({ table, uid, title })

test.each<[string, Message, Partial<Message>]>([
  [
    'a page with its elements',
    row(
      'get_page_content',
      fence('Page “Aurora lamp” [3]\nPath: Home [1]\n\ncontent [12] text “Data” (hidden)\nText'),
    ),
    { outcome: 'done', records: [record('pages', 3, 'Aurora lamp'), record('content', 12, 'Data')] },
  ],
  [
    'a page tree',
    row(
      'get_page_tree',
      fence(
        'Page “Home” [1], path: Home [1]\n2 pages below, 2 levels deep:\n- Products [2]\n  - Lamp [3] (hidden)',
      ),
    ),
    {
      outcome: 'done',
      records: [record('pages', 1, 'Home'), record('pages', 2, 'Products'), record('pages', 3, 'Lamp')],
    },
  ],
  [
    'a record',
    row(
      'get_record',
      fence('Record news [8] “Winter prices”, on News [7]\nFields:\n- title: see news [9] “Other”'),
    ),
    { outcome: 'done', records: [record('news', 8, 'Winter prices')] },
  ],
  [
    'hits',
    row(
      'search_records',
      fence('2 records with “a”, newest change first:\n- news [8] “A”, on x\n- pages [3] “B”, path y'),
    ),
    { outcome: 'done', records: [record('news', 8, 'A'), record('pages', 3, 'B')] },
  ],
  [
    'a list',
    row('list_records', fence('Table news, records 1 to 2 of 2:\n- [8] “A”, on x\n- [9] “B”, on x')),
    { outcome: 'done', records: [record('news', 8, 'A'), record('news', 9, 'B')] },
  ],
  [
    'a history',
    row(
      'get_record_history',
      fence(
        'Changes of news [8], newest first:\n- now: eva changed it\n  title: a → b\n- then: ada created it',
      ),
    ),
    { outcome: 'done', records: [record('news', 8, '')], count: 2 },
  ],
  ['a log', row('fetch_logs', fence('Log, all levels:\n- [1] x\n- [2] y')), { outcome: 'done', count: 2 }],
  ['an exception', row('get_last_exception', fence('Exception A (code 1)')), { outcome: 'done', count: 1 }],
  ['no exception', row('get_last_exception', fence('No exception is recorded.')), { outcome: 'done' }],
  ['files', row('list_files', fence('The folder has 1 file:\n- [7] a.pdf')), { outcome: 'done', count: 1 }],
  [
    'a change, with what the user said',
    row(
      'update_record',
      `${fence('Stored. Record news [8] “New” (hidden) now says:\n- title: New\n- body: Text')}\nThe user says to this: Thanks.`,
    ),
    { outcome: 'done', records: [record('news', 8, 'New')], count: 2, approved: true, remark: 'Thanks.' },
  ],
  [
    'a denial with its reason',
    row(
      'update_record',
      `${fence('Denied by the user: nothing was changed.')}\nThe user says to this: Not now.`,
      true,
    ),
    { outcome: 'denied', approved: false, remark: 'Not now.' },
  ],
  [
    'a change that met a conflict',
    row('update_record', fence('Not stored: somebody changed the record after the proposal was made.'), true),
    { outcome: 'conflict', approved: true },
  ],
  [
    'a change with an unknown outcome',
    row(
      'update_record',
      fence('It is unknown whether this change was stored, because the CMS does not answer.'),
      true,
    ),
    { outcome: 'unknown', approved: true },
  ],
  [
    'a withdrawn call',
    row('update_record', 'Not run: the user wrote a new message', true),
    { outcome: 'notRun' },
  ],
  [
    'what is not there',
    row('get_record', fence('Record news [8] was not found, or the user may not see it.'), true),
    { outcome: 'missing' },
  ],
  ['what failed', row('get_record', fence('The arguments are not valid.'), true), { outcome: 'failed' }],
  ['a tool of that time that is gone', row('sing', fence('La [1] “la”')), { outcome: 'done' }],
])('reads of an old row: %s', (_, old, facts) => {
  expect(asStored(old)).toEqual({ ...old, ...facts })
})

test('leaves alone a row that says what became of its call, and what is no result', () => {
  const denied: Message = { ...row('update_record', 'Denied by the user: no', true), outcome: 'refused' }
  const answer: Message = { ...row('', 'Stored. Record news [8] “New”'), role: 'assistant' }

  expect([asStored(denied), asStored(answer)]).toEqual([denied, answer])
})
