import { describe, expect, test } from 'vitest'
import { find as toolOf } from '../../../core/tool/tools.ts'
import { judge } from '../../../scripts/eval/judge.ts'
import type { Change, Facts, Kind, Move, Task } from '../../../scripts/eval/task.ts'
import { kinds } from '../../../scripts/eval/task.ts'
import { tasks } from '../../../scripts/eval/tasks/tasks.ts'

/** What these moves leave behind where every tool does as it is asked. */
function factsOf(task: Task, moves: Move[]): Facts {
  const calls = moves.flatMap((move) => move.calls ?? [])
  const proposals = moves.filter((move) => move.calls?.some(({ name }) => toolOf(name)?.writes))
  const isApproved = task.decides === 'approve'
  return {
    status: proposals.length > 0 && !task.decides ? 'awaiting_approval' : 'idle',
    errorCode: null,
    answer: moves.at(-1)?.text ?? '',
    calls: calls.map((call) => ({ ...call, outcome: 'done' })),
    approvals: proposals.length,
    changes: isApproved ? calls.flatMap(changeOf) : [],
    rounds: moves.length,
    usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    usages: [],
    ms: 0,
    transcript: [],
  }
}

function changeOf({ name, arguments: args }: NonNullable<Move['calls']>[number]): Change[] {
  const fields = { hidden: true, ...args }
  if (name === 'update_record')
    return [{ record: `${args.table}:${args.uid}`, kind: 'changed', page: 1, fields: Object(args.fields) }]
  if (name === 'create_page_draft')
    return [{ record: 'pages:900', kind: 'created', page: Number(args.parent), fields }]
  if (name === 'create_content_draft')
    return [{ record: 'content:900', kind: 'created', page: Number(args.page), fields }]
  return []
}

const slips = tasks.flatMap((task) =>
  Object.entries(task.slips).map(([weakness, moves]) => ({ id: task.id, task, weakness, moves })),
)

describe('the tasks', () => {
  test('are at least 40, each of its own name, of every kind and in both languages', () => {
    const ids = tasks.map(({ id }) => id)
    const found = new Set(tasks.map(({ kind }) => kind))
    expect(ids.length).toBeGreaterThanOrEqual(40)
    expect(new Set(ids).size).toBe(ids.length)
    expect(kinds.filter((kind: Kind) => kind !== 'replay' && !found.has(kind))).toEqual([])
    expect(tasks.filter(({ lang }) => lang === 'de').length).toBeGreaterThanOrEqual(20)
  })

  test('can each be failed by a model with a known weakness', () => {
    expect(tasks.filter((task) => Object.keys(task.slips).length === 0)).toEqual([])
  })

  test.each(tasks)('$id is passed by its solution', (task) => {
    expect(judge(task, factsOf(task, task.solution))).toEqual([])
  })

  test.each(slips)('$id is failed by a $weakness model', ({ task, moves }) => {
    expect(judge(task, factsOf(task, moves)).length).toBeGreaterThan(0)
  })
})

describe('a verdict', () => {
  const facts = (over: Partial<Facts> = {}): Facts => ({
    ...factsOf({ messages: [] } as unknown as Task, [{ text: 'The lamp is here.' }]),
    ...over,
  })
  const verdict = (expected: Task['expected'], over: Partial<Facts> = {}) =>
    judge({ expected, lang: 'en' }, facts(over))

  test.each([
    ['a turn that failed', {}, { status: 'failed', errorCode: 'model.unavailable' }],
    ['a proposal that no one was to decide on', {}, { status: 'awaiting_approval' }],
    ['a figure that is missing', { figures: [149] }, {}],
    ['a figure that is wrong', { neverFigures: [12] }, { answer: 'The 12 lamps are here.' }],
    ['words that are missing', { says: [/desk/] }, {}],
    ['words that must not be there', { neverSays: [/lamp/] }, {}],
    ['an answer that asks nothing', { asks: true as const }, {}],
    ['another language', {}, { answer: 'Die Lampe ist nicht hier.' }],
    ['a tool that was not asked', { uses: ['get_record'] }, {}],
    [
      'a tool that has refused',
      { uses: ['get_record'] },
      { calls: [{ name: 'get_record', arguments: {}, outcome: 'notPermitted' }] },
    ],
    [
      'a tool that was not to be called',
      { never: ['fetch_logs'] },
      { calls: [{ name: 'fetch_logs', arguments: {}, outcome: 'notPermitted' }] },
    ],
    ['too many decisions', { approvals: 1 }, { approvals: 2 }],
    ['too many calls of the model', { rounds: 3 }, { rounds: 4 }],
    [
      'a record that was changed',
      {},
      { changes: [{ record: 'pages:1', kind: 'changed', page: 0, fields: { title: 'A' } }] },
    ],
    [
      'a record that was deleted',
      {},
      { changes: [{ record: 'pages:1', kind: 'deleted', page: 0, fields: {} }] },
    ],
    [
      'a record that was created',
      {},
      { changes: [{ record: 'pages:9', kind: 'created', page: 1, fields: {} }] },
    ],
    ['a record that was not changed', { changes: { 'pages:1': { title: 'A' } } }, {}],
    [
      'a value that is another',
      { changes: { 'pages:1': { title: 'A' } } },
      { changes: [{ record: 'pages:1', kind: 'changed', page: 0, fields: { title: 'B' } }] },
    ],
    [
      'a field that was to stay',
      { changes: { 'pages:1': { title: 'A' } } },
      { changes: [{ record: 'pages:1', kind: 'changed', page: 0, fields: { title: 'A', slug: '/a' } }] },
    ],
    ['a record that was not created', { creates: [{ table: 'pages', page: 1, fields: { title: 'A' } }] }, {}],
  ] satisfies [string, Task['expected'], Partial<Facts>][])('tells of %s', (_, expected, over) => {
    expect(verdict(expected, over)).toHaveLength(1)
  })

  test('has no fault to tell of where all is as expected', () => {
    expect(verdict({ says: [/lamp/] })).toEqual([])
  })
})
