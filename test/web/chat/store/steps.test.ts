import { describe, expect, test } from 'vitest'
import { stepsOf, totalMs } from '../../../../web/chat/store/steps.ts'
import type { TurnRow } from '../../../../web/chat/store/turn-rows.ts'
import { assistant, calling, result, user } from '../build.ts'

const turn = (...messages: TurnRow['messages']): TurnRow => ({
  kind: 'turn',
  key: 't1',
  askedAt: user(0, '').createdAt,
  messages,
})
const done = turn(
  calling(1, 'c1', 'get_page_content', { page: 3 }),
  result(2, 'c1', 'Page'),
  assistant(4, 'Answer'),
)
const brief = (steps: ReturnType<typeof stepsOf>) =>
  steps.map((step) => [step.kind === 'tool' ? step.tool : step.isFinal ? 'wrote' : 'planned', step.ms])

describe('the steps of a turn', () => {
  test('come from its messages, with the time between them', () => {
    expect(brief(stepsOf(done))).toEqual([
      ['planned', 1_000],
      ['get_page_content', 1_000],
      ['wrote', 2_000],
    ])
  })

  test('have the times of the activity where it is of this turn', () => {
    const steps = stepsOf(done, [
      { kind: 'llm', round: 1, ms: 700 },
      { kind: 'tool', round: 1, ms: 30, tool: 'get_page_content' },
      { kind: 'llm', round: 2, ms: 900 },
    ])

    expect(brief(steps)).toEqual([
      ['planned', 700],
      ['get_page_content', 30],
      ['wrote', 900],
    ])
    expect(totalMs(steps)).toBe(1_630)
  })

  test('name the model that answered in the place of the configured one', () => {
    const steps = stepsOf(done, [
      { kind: 'llm', round: 1, ms: 700 },
      { kind: 'tool', round: 1, ms: 30, tool: 'get_page_content' },
      { kind: 'llm', round: 2, ms: 900, model: 'claude-haiku-5-5' },
    ])

    expect(steps.map((step) => step.kind === 'llm' && step.standIn)).toEqual([
      null,
      false,
      'claude-haiku-5-5',
    ])
  })

  test('take a notice above the answer for no step, and no time from the answer', () => {
    const notice = { ...assistant(4, 'The file was not used.'), notice: 'notUsed' as const }
    const steps = stepsOf(
      turn(calling(1, 'c1', 'list_files', {}), result(2, 'c1', 'x'), notice, assistant(4, 'A')),
    )

    expect(brief(steps)).toEqual([
      ['planned', 1_000],
      ['list_files', 1_000],
      ['wrote', 2_000],
    ])
  })

  test('tell that the model declined', () => {
    const declined = { ...assistant(2, 'Declined.'), notice: 'refused' as const }
    const [step] = stepsOf(turn(declined), [{ kind: 'llm', round: 1, ms: 700 }])

    expect(step).toEqual({
      kind: 'llm',
      ms: 700,
      isFinal: false,
      standIn: null,
      error: null,
      isRefused: true,
    })
  })

  test('keep the time between rows for what an earlier attempt did', () => {
    const steps = stepsOf(done, [{ kind: 'llm', round: 3, ms: 900 }])

    expect(brief(steps)).toEqual([
      ['planned', 1_000],
      ['get_page_content', 1_000],
      ['wrote', 900],
    ])
  })

  test('show how much the running call has read, until it has its result', () => {
    const progress = { call: 'c1', n: 240, total: 1_200 }
    const asked = calling(1, 'c1', 'check_site', {})
    const [, running] = stepsOf(turn(asked), [], progress)
    const [, over] = stepsOf(turn(asked, result(2, 'c1', 'Checked.')), [], progress)

    expect(running).toMatchObject({ progress: { n: 240, total: 1_200, of: 'records' } })
    expect(over).toMatchObject({ progress: null })
  })

  test('end with what has no row: a model that did not answer', () => {
    const steps = stepsOf(turn(calling(1, 'c1', 'list_files', {}), result(2, 'c1', 'x')), [
      { kind: 'llm', round: 1, ms: 500 },
      { kind: 'tool', round: 1, ms: 10, tool: 'list_files' },
      { kind: 'llm', round: 2, ms: 29_000, error: 'No answer.' },
    ])

    expect(steps.at(-1)).toEqual({
      kind: 'llm',
      ms: 29_000,
      isFinal: false,
      standIn: null,
      error: 'No answer.',
      isRefused: false,
    })
    expect(steps).toHaveLength(3)
  })

  test('leave waiting for a decision out', () => {
    const steps = stepsOf(turn(calling(1, 'c1', 'update_record', {}), result(90, 'c1', 'Stored.')), [
      { kind: 'llm', round: 1, ms: 500 },
      { kind: 'approval', round: 1, ms: 0, approved: true },
      { kind: 'tool', round: 1, ms: 40, tool: 'update_record' },
    ])

    expect(totalMs(steps)).toBe(540)
  })

  test.each([
    ['approved', 'update_record', { approved: true, outcome: 'done' }],
    ['denied', 'update_record', { approved: false, outcome: 'denied' }],
    ['left out', 'update_record', { outcome: 'notRun' }],
    ['answered', 'ask_user', { toolName: 'ask_user' }],
  ] as const)('have no time for a call that waited until it was %s', (_, tool, over) => {
    const steps = stepsOf(
      turn(calling(1, 'c1', tool, {}), result(90, 'c1', 'Text', over), assistant(92, 'Answer')),
    )

    expect(brief(steps)).toEqual([
      ['planned', 1_000],
      [tool, 0],
      ['wrote', 2_000],
    ])
  })

  test('are known by the activity alone before the first row is there', () => {
    expect(brief(stepsOf(turn(), [{ kind: 'llm', round: 1, ms: 500 }]))).toEqual([['planned', 500]])
  })

  test('have no result while a tool runs', () => {
    expect(stepsOf(turn(calling(1, 'c1', 'search_records', { query: 'x' }))).at(-1)).toMatchObject({
      callId: 'c1',
      result: null,
    })
  })
})
