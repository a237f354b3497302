import { describe, expect, test } from 'vitest'
import type { CallOutcome, Message } from '../../../../core/conversation/transcript/schema.ts'
import { type Decision, decisionKey } from '../../../../web/chat/store/open-conversation.ts'
import { outcomeOf } from '../../../../web/chat/store/outcome.ts'
import { type TurnRow, undoneOf } from '../../../../web/chat/store/turn-rows.ts'
import { assistant, calling, result } from '../build.ts'

const update = calling(1, 'c', 'update_record', { table: 'content', uid: 12, fields: { header: 'A' } })
const turn = (...messages: TurnRow['messages']): TurnRow => ({
  kind: 'turn',
  key: 't',
  askedAt: null,
  messages,
})
const decided = (approved: boolean, run = 'run') =>
  new Map<string, Decision>([[decisionKey(run, 'c'), { approved, at: 0, reason: '' }]])
const states = (row: TurnRow, decisions = new Map<string, Decision>()) => {
  const one = outcomeOf(row, update, decisions)
  return one && [one.approved, one.writes.map(({ state }) => state)]
}
/** A result whose words for the model say something else. */
const ended = (outcome: CallOutcome, facts: Partial<Message> = {}) =>
  result(2, 'c', 'Stored. Record news [99] “Other”', {
    outcome,
    ...(outcome !== 'done' && { isError: true }),
    ...facts,
  })

describe('what became of a proposal', () => {
  test.each<[string, Message, unknown]>([
    ['is done', ended('done', { approved: true }), [true, ['done']]],
    ['was denied', ended('denied', { approved: false }), [false, ['denied']]],
    ['met a conflict', ended('conflict', { approved: true }), [true, ['conflict']]],
    ['is not known', ended('unknown', { approved: true }), [true, ['unknown']]],
    ['was refused after all', ended('notPermitted', { approved: true }), [true, ['failed']]],
    ['was withdrawn', ended('notRun'), null],
    ['was never valid', ended('notValid'), null],
  ])('%s', (_, row, expected) => {
    expect(states(turn(update, row))).toEqual(expected)
  })

  test('is nothing while it waits', () => {
    expect(states(turn(update))).toBeNull()
  })

  test.each([
    [true, [true, ['waiting']]],
    [false, [false, ['denied']]],
  ])('is what was decided here before the stage says so: %s', (approved, expected) => {
    expect(states(turn(update), decided(approved))).toEqual(expected)
  })

  test('is not what was decided on a call with the same id in another run', () => {
    expect(states(turn(update), decided(true, 'other'))).toBeNull()
  })

  test('of a step of a plan says that the record which it needs was not created', () => {
    const call = calling(1, 'c', 'set_state', { table: 'pages', uid: 'new:1', state: 'visible' })
    const row = ended('notRun', { approved: true })

    expect(outcomeOf(turn(call, row), call, new Map())?.writes.map(({ state }) => state)).toEqual(['without'])
  })

  test.each(['changes', 'records'])('of a batch is that of each of its %s', (parts) => {
    const call = calling(1, 'c', 'batch', { table: 'news', [parts]: [{}, {}] })
    const rows = ['c#0', 'c#1'].map((id, at) =>
      result(2 + at, id, 'Text', { outcome: at === 0 ? 'done' : 'denied', approved: at === 0 }),
    )

    expect(outcomeOf(turn(call, ...rows), call, new Map())?.writes.map(({ state }) => state)).toEqual([
      'done',
      'denied',
    ])
  })

  test('names the record, the fields and what the user said, whatever the tool is called', () => {
    const call = calling(1, 'c', 'create_news_draft', {})
    const record = { table: 'news', uid: 42, title: 'Autumn', page: 7 }
    const row = ended('done', { approved: true, records: [record], count: 3, remark: 'Thanks.' })

    expect(outcomeOf(turn(call, row), call, new Map())).toEqual({
      key: decisionKey('run', 'c'),
      runId: 'run',
      approved: true,
      at: row.createdAt,
      writes: [
        { tool: 'create_news_draft', state: 'done', record, count: 3, isReworded: false, reason: 'Thanks.' },
      ],
    })
  })
})

describe('what was taken back', () => {
  const news = (uid: number) => ({ table: 'news', uid, title: `N${uid}` })
  const undone = (sequence: number, facts: Partial<Message>) =>
    assistant(sequence, 'Words', { notice: 'undone', ...facts })

  test('is what all rows of the run tell together; the last tells what is left', () => {
    const conflict = { ...news(2), reason: 'Changed since.' }
    const rows = [
      undone(3, { records: [news(1)], conflicts: [conflict] }),
      undone(4, { records: [news(9)], runId: 'other' }),
      undone(5, { records: [news(2)] }),
    ]

    expect([undoneOf(rows.slice(0, 2), 'run'), undoneOf(rows, 'run'), undoneOf(rows, 'none')]).toEqual([
      { records: [news(1)], conflicts: [conflict] },
      { records: [news(1), news(2)], conflicts: [] },
      null,
    ])
  })
})
