import { expect, test } from 'vitest'
import { fingerprint, Kept, kept } from '../../../core/agent/kept.ts'
import type { Snapshot } from '../../../core/cms/cms.ts'
import { isAsLeft, type Left, type Part, wayBack } from '../../../core/undo/way.ts'

const place = { table: 'posts', uid: 'p-1' }
const wrote = (before: Snapshot | null | undefined, after?: Snapshot): Kept =>
  Kept.parse(
    kept({
      state: 'done',
      ...place,
      version: 'v',
      changed: [],
      ...(before !== undefined && { before }),
      ...(after && { after }),
    }),
  )
const fields = (values: Record<string, unknown>): Snapshot => ({ fields: values })
const update = (values: Record<string, unknown>) => ({ kind: 'update', ...place, fields: values })

test.each<[what: string, done: Kept[], way: string | object[]]>([
  ['one change', [wrote(fields({ a: 1 }), fields({ a: 2 }))], [update({ a: 1 })]],
  [
    'two changes of one field',
    [wrote(fields({ a: 1 }), fields({ a: 2 })), wrote(fields({ a: 2 }), fields({ a: 3 }))],
    [update({ a: 1 })],
  ],
  [
    'changes of two fields',
    [wrote(fields({ a: 1 }), fields({ a: 2 })), wrote(fields({ b: null }), fields({ b: [1] }))],
    [update({ a: 1, b: null })],
  ],
  [
    'a change between two others that another person made',
    [wrote(fields({ a: 1 }), fields({ a: 2 })), wrote(fields({ a: 9 }), fields({ a: 3 }))],
    'touched',
  ],
  [
    'fields, then a state',
    [
      wrote(fields({ a: 1 }), fields({ a: 2 })),
      wrote({ state: { state: 'draft' } }, { state: { state: 'live' } }),
    ],
    [{ kind: 'state', ...place, state: 'draft' }, update({ a: 1 })],
  ],
  [
    'two moves',
    [
      wrote({ place: { pid: 1, after: 0 } }, { place: { pid: 2, after: 7 } }),
      wrote({ place: { pid: 2, after: 7 } }, { place: { pid: 3, after: 0 } }),
    ],
    [{ kind: 'move', ...place, pid: 1, after: 0 }],
  ],
  [
    'a new record that was changed',
    [wrote(null, fields({ a: 1 })), wrote(fields({ a: 1 }), fields({ a: 2 }))],
    [{ kind: 'remove', ...place }],
  ],
  [
    'fields, then the bin',
    [wrote(fields({ a: 1 }), fields({ a: 2 })), wrote({ deleted: false }, { deleted: true })],
    [{ kind: 'undelete', ...place }, update({ a: 1 })],
  ],
  [
    'out of the bin, then fields',
    [wrote({ deleted: true }, { deleted: false }), wrote(fields({ a: 1 }), fields({ a: 2 }))],
    [update({ a: 1 }), { kind: 'delete', ...place }],
  ],
  [
    'into the bin and out of it',
    [wrote({ deleted: false }, { deleted: true }), wrote({ deleted: true }, { deleted: false })],
    [],
  ],
  ['a new record that is in the bin', [wrote(null), wrote({ deleted: false }, { deleted: true })], []],
  ['a write that did not say what it found', [wrote(undefined)], 'unknown'],
  [
    'a value that holds a secret',
    [wrote(fields({ a: `sk-ant-${'x'.repeat(40)}` }), fields({ a: 1 }))],
    'unknown',
  ],
  [
    'a value that is too long to keep',
    [wrote(fields({ a: 'x'.repeat(200_000) }), fields({ a: 1 }))],
    'unknown',
  ],
])('%s', (_what, done, way) => {
  const found = wayBack(place, done, true)

  expect(typeof found === 'string' ? found : found.map(({ back }) => back)).toEqual(way)
})

test('a new record is not deleted where the CMS deletes nothing', () => {
  expect(wayBack(place, [wrote(null, fields({ a: 1 }))], false)).toBe('lasting')
})

const record = (values: Record<string, unknown>, hidden = true) => ({
  ...place,
  ...{ pid: 0, title: 'Title', language: 0, changedAt: '', version: 'w', mayEdit: true },
  ...{ hidden, fields: values },
})
const left = { a: fingerprint('left'), b: fingerprint(null) }

test.each<
  [what: string, part: Part, left: Left, values: Record<string, unknown>, hidden: boolean, is: boolean]
>([
  ['as it was left', 'fields', { fields: left }, { a: 'left', b: null, other: 'new' }, false, true],
  ['without a field that was empty', 'fields', { fields: left }, { a: 'left' }, false, true],
  ['with another value', 'fields', { fields: left }, { a: 'other', b: null }, false, false],
  ['of which nothing is known', 'fields', {}, { a: 'left' }, false, false],
  ['new and hidden still', 'record', { fields: left }, { a: 'left' }, true, true],
  ['new and published since', 'record', { fields: left }, { a: 'left' }, false, false],
])('a record %s', (_what, part, left, values, hidden, is) => {
  const back = { kind: 'remove' as const, ...place }

  expect(isAsLeft(record(values, hidden) as never, { part, back, left })).toBe(is)
})

test('what is kept of a write has values before, fingerprints after, and nothing of the record', () => {
  const record = { title: 'Not kept' } as never
  const outcome = { state: 'done' as const, ...place, version: 'v', changed: ['a', 'b'], record }
  const secret = `sk-ant-${'x'.repeat(40)}`

  expect(kept({ ...outcome, before: fields({ a: 1, b: secret }), after: fields({ a: 2, b: 'c' }) })).toEqual({
    state: 'done',
    ...place,
    version: 'v',
    changed: ['a', 'b'],
    before: { fields: { a: 1 } },
    after: { fields: { a: fingerprint(2), b: fingerprint('c') } },
    lost: ['b'],
  })
})
