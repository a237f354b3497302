import { expect, test } from 'vitest'
import { sourcesOf, titlesOf } from '../../../../web/chat/store/sources.ts'
import type { TurnRow } from '../../../../web/chat/store/turns.ts'
import { assistant, calling, result } from '../build.ts'

const turn = (...messages: TurnRow['messages']): TurnRow => ({
  kind: 'turn',
  key: 't',
  askedAt: null,
  messages,
})
const one = (name: string, args: Record<string, unknown>, text: string, isError = false) =>
  turn(
    calling(1, 'c', name, args),
    result(2, 'c', `<data-ab source="${name}">\n${text}\n</data-ab>`, isError ? { isError } : {}),
  )

test.each([
  [
    'a page that was read',
    one('get_page_content', { page: 3 }, 'Page “Aurora lamp” [3]\nPath: Home [1]'),
    [{ kind: 'record', table: 'pages', uid: 3, title: 'Aurora lamp' }],
  ],
  [
    'a record',
    one('get_record', { table: 'news', uid: 8 }, 'Record news [8] “Winter prices”, on News [7]'),
    [{ kind: 'record', table: 'news', uid: 8, title: 'Winter prices' }],
  ],
  [
    'of the hits of a search those that the answer names',
    turn(
      calling(1, 'c', 'search_records', { query: 'Aurora' }),
      result(
        2,
        'c',
        '5 records:\n- pages [3] “Aurora lamp”, path\n- content [1] “Aurora”, on x\n- news [8] “Winter”, on y\n- news [3] “Other”, on y\n- content [9] “Facts”, on x',
      ),
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
    one('list_records', { table: 'news' }, 'Table news:\n- [8] “A”\n- [9] “B”'),
    [{ kind: 'list', table: 'news', count: 2 }],
  ],
  ['the log', one('fetch_logs', {}, 'Log:\n- [1] x\n- [2] y\n- [3] z'), [{ kind: 'log', count: 3 }]],
  [
    'the log, read twice, once',
    turn(
      calling(1, 'a', 'get_last_exception', {}),
      result(2, 'a', '[3] z'),
      calling(3, 'b', 'fetch_logs', {}),
      result(4, 'b', 'Log:\n- [2] y\n- [3] z'),
    ),
    [{ kind: 'log', count: 2 }],
  ],
  ['what was refused', one('get_record', { table: 'news', uid: 8 }, 'not found', true), []],
  ['arguments that name no record', one('get_record', { table: 7, uid: 'x' }, 'Record'), []],
])('sources: %s', (_, row, sources) => {
  expect(sourcesOf(row)).toEqual(sources)
})

test('the same record is one source', () => {
  const text = 'Page “Aurora lamp” [3]'
  const row = turn(
    calling(1, 'a', 'get_page_content', { page: 3 }),
    result(2, 'a', text),
    calling(3, 'b', 'get_page_content', { page: 3 }),
    result(4, 'b', text),
  )

  expect(sourcesOf(row)).toHaveLength(1)
})

test('names of records are those that the results gave', () => {
  const row = one(
    'get_page_content',
    { page: 3 },
    'Page “Aurora lamp” [3]\n\ncontent [12] text “Technical data”\n  - Products [2]',
  )

  expect(Object.fromEntries(titlesOf(row))).toEqual({
    'pages:3': 'Aurora lamp',
    'content:12': 'Technical data',
    'pages:2': 'Products',
  })
})
