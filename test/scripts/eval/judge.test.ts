import { describe, expect, test } from 'vitest'
import { judge } from '../../../scripts/eval/judge.ts'
import { type Facts, Task } from '../../../scripts/eval/task.ts'

const facts: Facts = {
  status: 'idle',
  errorCode: null,
  answer: 'The lamp is here.',
  calls: [],
  reads: [],
  questions: [],
  decisions: 0,
  changes: [],
  rounds: 1,
  usages: [],
  ms: 0,
  transcript: [],
}

const verdict = (expected: Task['expected'], over: Partial<Facts> = {}) =>
  judge(Task.parse({ id: 'one', kind: 'find', lang: 'en', messages: ['Where is it?'], expected }), {
    ...facts,
    ...over,
  })

const changed = (record: string, fields: Record<string, unknown>) => ({
  decisions: 1,
  changes: [{ record, kind: 'changed' as const, page: 1, fields }],
})
const one = (record: string, kind: 'created' | 'binned' | 'restored', fields = {}) => ({
  decisions: 1,
  changes: [{ record, kind, page: 1, fields }],
})

describe('a verdict has no fault to tell of', () => {
  test.each<[string, Task['expected'], Partial<Facts>]>([
    ['a record that any tool has read', { reads: ['pages:3 | content:2'] }, { reads: ['content:2'] }],
    [
      'a tool that has answered',
      { reads: ['fetch_logs'] },
      { calls: [{ name: 'fetch_logs', arguments: {}, outcome: 'done' }] },
    ],
    ['a question by the tool for it', { asks: ['Aurora'] }, { questions: ['Which one?\nAurora'] }],
    ['a question in words', { asks: ['Aurora'] }, { answer: 'Do you mean the Aurora?' }],
    [
      'a figure that was read',
      {},
      {
        answer: 'It is 4711.',
        transcript: [
          { sequence: 0, role: 'tool', content: 'Price: 4,711', createdAt: '2026-11-23T08:00:00Z' },
        ],
      },
    ],
    ['a sum of figures that were asked for', { figures: [40, 50] }, { answer: '40 and 50 are 90.' }],
    ['a change as wanted', { changes: { 'pages:1': { title: 'A' } } }, changed('pages:1', { title: 'A' })],
    [
      'a text that holds what it has to',
      { changes: { 'pages:1': { body: { has: ['<p>'], lacks: ['B'], figures: [2], lines: 2 } } } },
      changed('pages:1', { body: '<p>A\n2' }),
    ],
    [
      'another order that follows from a move',
      { changes: { 'pages:1': { page: 2 } } },
      changed('pages:1', { page: 2, sorting: 9 }),
    ],
    ['a record in the bin', { bins: ['news:1'] }, one('news:1', 'binned')],
    ['a record that is back', { restores: ['news:1'] }, one('news:1', 'restored')],
    [
      'a new record',
      { creates: [{ table: 'news', page: 1, fields: { title: 'A' } }] },
      one('news:9', 'created', { title: 'A' }),
    ],
    ['what was denied', { done: false, decisions: [1, 1] }, { answer: 'Nothing was changed.', decisions: 1 }],
    ['the language that was asked for', { lang: 'de' }, { answer: 'Die Lampe steht hier auf dem Tisch.' }],
  ])('with %s', (_, expected, over) => {
    expect(verdict(expected, over)).toEqual([])
  })
})

describe('a verdict tells of', () => {
  test.each<[string, Task['expected'], Partial<Facts>]>([
    ['a turn that failed', {}, { status: 'failed', errorCode: 'model.rejected' }],
    ['a proposal that no one was to decide on', {}, { status: 'awaiting_approval' }],
    ['a record that was not read', { reads: ['pages:3'] }, { reads: ['pages:4'] }],
    [
      'a tool that has refused',
      { reads: ['fetch_logs'] },
      { calls: [{ name: 'fetch_logs', arguments: {}, outcome: 'notPermitted' }] },
    ],
    ['a figure that is missing', { figures: [149] }, {}],
    [
      'a figure of something else',
      { neighbours: [13] },
      {
        answer: 'The 13 lamps are here.',
        reads: [],
        transcript: [{ sequence: 0, role: 'tool', content: '13', createdAt: '2026-11-23T08:00:00Z' }],
      },
    ],
    ['a figure that stands nowhere', {}, { answer: 'The 4711 lamps are here.' }],
    ['words that are missing', { names: ['desk'] }, {}],
    ['words that must not be there', { lacks: ['lamp'] }, {}],
    ['a statement that is not true', { untrue: ['here'] }, {}],
    ['a claim of what was not done', { done: false }, { answer: 'I have not asked. The title was changed.' }],
    ['silence about what was not done', { done: false }, {}],
    ['an answer that asks nothing', { asks: [] }, {}],
    ['another language', {}, { answer: 'Die Lampe steht hier auf dem Tisch.' }],
    ['an answer that is too long', { length: [1, 10] }, {}],
    [
      'too many decisions',
      { changes: { 'pages:1': { title: 'A' } } },
      { ...changed('pages:1', { title: 'A' }), decisions: 3 },
    ],
    ['too many calls of the model', { rounds: 3 }, { rounds: 4 }],
    ['a record that was changed', { decisions: [1, 1] }, changed('pages:1', { title: 'A' })],
    ['a record that was put into the bin', { decisions: [1, 1] }, one('pages:1', 'binned')],
    ['a record that was brought back', { decisions: [1, 1] }, one('pages:1', 'restored')],
    ['a record that was created', { decisions: [1, 1] }, one('pages:9', 'created')],
    ['a record that was not changed', { changes: { 'pages:1': { title: 'A' } } }, { decisions: 1 }],
    [
      'a value that is another',
      { changes: { 'pages:1': { title: 'A' } } },
      changed('pages:1', { title: 'B' }),
    ],
    [
      'a field that was to stay',
      { changes: { 'pages:1': { title: 'A' } } },
      changed('pages:1', { title: 'A', slug: '/a' }),
    ],
    [
      'a record that was not created',
      { creates: [{ table: 'pages', page: 1, fields: {} }] },
      { decisions: 1 },
    ],
    ['a record that is not in the bin', { bins: ['news:1'] }, { decisions: 1 }],
  ])('%s', (_, expected, over) => {
    expect(verdict(expected, over)).toHaveLength(1)
  })
})
