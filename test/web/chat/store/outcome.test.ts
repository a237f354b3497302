import { describe, expect, test } from 'vitest'
import { ToolError } from '../../../../core/error.ts'
import { missing } from '../../../../core/tool/format.ts'
import { remarked } from '../../../../core/tool/result.ts'
import { refusal } from '../../../../core/tool/run.ts'
import { type Decision, decisionKey } from '../../../../web/chat/store/conversation.ts'
import { faultOf, outcomesOf, writingTools } from '../../../../web/chat/store/outcome.ts'
import type { TurnRow } from '../../../../web/chat/store/turns.ts'
import { calling, result } from '../build.ts'

const writing = new Set(writingTools)
const update = calling(1, 'c', 'update_record', { table: 'content', uid: 12, fields: { header: 'A' } })
const turn = (...messages: TurnRow['messages']): TurnRow => ({
  kind: 'turn',
  key: 't',
  askedAt: null,
  messages,
})
const states = (row: TurnRow, decisions = new Map<string, Decision>()) =>
  outcomesOf(row, decisions, writing).map(({ approved, writes }) => [
    approved,
    writes.map((one) => one.state),
  ])

describe('what became of a proposal', () => {
  test.each([
    ['is done', result(2, 'c', 'Stored. Record content [12]'), [[true, ['done']]]],
    [
      'was denied',
      result(2, 'c', 'Denied by the user: nothing was changed.', { isError: true }),
      [[false, ['denied']]],
    ],
    ['was withdrawn', result(2, 'c', 'Not run: the user wrote a new message', { isError: true }), []],
    ['was never valid', result(2, 'c', 'The arguments are not valid.', { isError: true }), []],
  ])('%s', (_, row, expected) => {
    expect(states(turn(update, row))).toEqual(expected)
  })

  test('is nothing while it waits', () => {
    expect(states(turn(update))).toEqual([])
  })

  test.each([
    [true, [[true, ['waiting']]]],
    [false, [[false, ['denied']]]],
  ])('is what was decided here before the stage says so: %s', (approved, expected) => {
    const decisions = new Map([[decisionKey('run', 'c'), { approved, at: 0, reason: '' }]])

    expect(states(turn(update), decisions)).toEqual(expected)
  })

  test('is not what was decided on a call with the same id in another run', () => {
    const decisions = new Map([[decisionKey('other', 'c'), { approved: true, at: 0, reason: '' }]])

    expect(states(turn(update), decisions)).toEqual([])
  })

  test('names the record, a new one by its result', () => {
    const draft = calling(1, 'c', 'create_page_draft', { parent: 1, title: 'Autumn' })
    const [outcome] = outcomesOf(
      turn(draft, result(2, 'c', 'Stored. Record pages [40] “Autumn”')),
      new Map(),
      writing,
    )

    expect(outcome).toMatchObject({
      key: decisionKey('run', 'c'),
      runId: 'run',
      writes: [{ table: 'pages', uid: 40 }],
    })
  })

  test.each([
    ['denied', 'Denied by the user: nothing was changed.'],
    ['notRun', 'Not run: the user wrote a new message'],
    ['missing', missing('Record news [8]').message],
    ['failed', 'The arguments are not valid.'],
  ])('has no result because it was %s', (fault, text) => {
    expect(faultOf(text)).toBe(fault)
  })

  test('has the reason of a denial', () => {
    const told = refusal('update_record', new ToolError('Denied by the user: nothing was changed.'), {
      nonce: 'ab12',
      log: () => {},
    })
    const denied = result(2, 'c', remarked(told, 'Not now.').text, { isError: true })

    expect(outcomesOf(turn(update, denied), new Map(), writing)[0]?.writes[0]?.reason).toBe('Not now.')
  })
})
