import { describe, expect, test } from 'vitest'
import { answerOf, resultText, type TurnRow, toRows } from '../../../../web/chat/store/turn-rows.ts'
import { assistant, calling, result, user } from '../build.ts'

const messages = [
  user(0, 'How much?'),
  calling(1, 'c1', 'get_page_content', { page: 3 }),
  result(2, 'c1', 'Page'),
  assistant(3, '149 EUR'),
  user(4, 'Thanks'),
  assistant(5, 'Stopped', { notice: 'cancelled' }),
]

describe('rows', () => {
  test('are what the user wrote, and one turn for all that follows', () => {
    const rows = toRows(messages)

    expect(rows.map((row) => [row.kind, row.key])).toEqual([
      ['user', 'u0'],
      ['turn', 't1'],
      ['user', 'u4'],
      ['turn', 't5'],
    ])
    expect(rows[1]).toMatchObject({ askedAt: messages[0]?.createdAt })
  })

  test('stay the same objects while their messages do', () => {
    const before = toRows(messages.slice(0, 4))

    const after = toRows(messages, before)

    expect(after[0]).toBe(before[0])
    expect(after[1]).toBe(before[1])
  })

  test('change when a message of theirs does', () => {
    const before = toRows(messages.slice(0, 2))

    expect(toRows(messages.slice(0, 3), before)[1]).not.toBe(before[1])
  })

  test('begin with a turn where the question is not loaded', () => {
    expect(toRows(messages.slice(2))[0]).toMatchObject({ kind: 'turn', key: 't2', askedAt: null })
  })
})

test('the answer of a turn is its text without notices', () => {
  const turn: TurnRow = {
    kind: 'turn',
    key: 't1',
    askedAt: null,
    messages: [assistant(1, 'One'), assistant(2, 'Stopped', { notice: 'cancelled' }), assistant(3, 'Two')],
  }

  expect(answerOf(turn)).toBe('One\n\nTwo')
})

test.each([
  ['<data-9f source="get_page_content">\nPage “A” [3]\n</data-9f>', 'Page “A” [3]'],
  [
    'Not run: the user stopped the turn before deciding.',
    'Not run: the user stopped the turn before deciding.',
  ],
])('a result is shown without its fence: %s', (content, text) => {
  expect(resultText(content)).toBe(text)
})
