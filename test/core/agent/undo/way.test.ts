import { expect, test } from 'vitest'
import { isAsLeft, type Left, type Part, type Step, wayBack } from '../../../../core/agent/undo/way.ts'
import { fingerprint, Kept, kept } from '../../../../core/agent/write-outcome.ts'
import type { Standing } from '../../../../core/cms/cms.ts'

const place = { table: 'posts', uid: 'p-1' }
type Side = { fields?: Record<string, unknown>; place?: Standing['place']; bin?: boolean }
const record = (values: Record<string, unknown>, hidden = true) => ({
  ...place,
  ...{ pid: 0, title: 'Title', language: 0, addresses: [], changedAt: '', version: 'w', mayEdit: true },
  ...{ hidden, fields: values as Record<string, string> },
})
const standing = ({ fields, ...beside }: Side): Standing =>
  ({ record: record(fields ?? {}), ...beside }) as Standing
const answer = (before: Side | null, after: Side = {}) => ({
  ...{ state: 'done' as const, ...place, version: 'v', labels: {}, versions: [] },
  page: { uid: 0, title: '' },
  before: before && standing(before),
  after: standing(after),
})
const wrote = (before: Side | null, after?: Side): Kept => Kept.parse(kept(answer(before, after)))
const fields = (values: Record<string, unknown>): Side => ({ fields: values })
const update = (values: Record<string, unknown>) => ({ ...place, fields: values })
const means = {
  mayRemove: true,
  fieldOf: (name: string) => ({
    readOnly: name === 'fixed',
    required: name === 'a',
    ...(name === 'state' && { options: ['draft', 'publish'] }),
  }),
}

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
    'fields, then a move',
    [wrote(fields({ a: 1 }), fields({ a: 2 })), wrote({ place: { pid: 1 } }, { place: { pid: 2 } })],
    [{ ...update({ a: 1 }), place: { pid: 1 } }],
  ],
  [
    'a field that nobody can write',
    [wrote(fields({ a: 1, fixed: 1 }), fields({ a: 2, fixed: 2 }))],
    [update({ a: 1 })],
  ],
  [
    'nothing but a field that nobody can write',
    [wrote(fields({ fixed: 1 }), fields({ fixed: 2 }))],
    'unknown',
  ],
  [
    'two moves',
    [
      wrote({ place: { pid: 1, after: 0 } }, { place: { pid: 2, after: 7 } }),
      wrote({ place: { pid: 2, after: 7 } }, { place: { pid: 3, after: 0 } }),
    ],
    [{ ...place, place: { pid: 1, after: 0 } }],
  ],
  [
    'a new record that was changed',
    [wrote(null, fields({ a: 1 })), wrote(fields({ a: 1 }), fields({ a: 2 }))],
    [{ ...place, remove: true }],
  ],
  [
    'fields, then the bin',
    [wrote(fields({ a: 1 }), fields({ a: 2 })), wrote({ bin: false }, { bin: true })],
    [{ ...place, bin: false }, update({ a: 1 })],
  ],
  [
    'out of the bin, then fields',
    [wrote({ bin: true }, { bin: false }), wrote(fields({ a: 1 }), fields({ a: 2 }))],
    [update({ a: 1 }), { ...place, bin: true }],
  ],
  [
    'into the bin and out of it',
    [wrote({ bin: false }, { bin: true }), wrote({ bin: true }, { bin: false })],
    [],
  ],
  ['a new record that is in the bin', [wrote(null), wrote({ bin: false }, { bin: true })], []],
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
  const found = wayBack(place, done, means)

  expect(typeof found === 'string' ? found : found.map(({ put }) => put)).toEqual(way)
})

test('a CMS does not show that a required field is empty again, because it refuses that but from an undo', () => {
  const done = [wrote(fields({ a: '', b: '' }), fields({ a: 'one', b: 'two' }))]

  expect(wayBack(place, done, means)).toMatchObject([
    { put: update({ a: '', b: '' }), shown: update({ b: '' }) },
  ])
})

test.each([
  ['archived', {}],
  ['draft', { state: 'draft' }],
  [['draft', 'archived'], {}],
  ['', { state: '' }],
])('of a choice that was %j, a CMS shows %j', (was, shown) => {
  const done = [wrote(fields({ state: was }), fields({ state: 'publish' }))]
  const [step] = wayBack(place, done, means) as Step[]

  expect([step?.put, step?.shown]).toEqual([update({ state: was }), update(shown)])
})

test('a new record is not deleted where the CMS deletes nothing', () => {
  expect(wayBack(place, [wrote(null, fields({ a: 1 }))], { ...means, mayRemove: false })).toBe('lasting')
})

const left = { a: fingerprint('left'), b: fingerprint(null) }

test.each<
  [what: string, part: Part, left: Left, values: Record<string, unknown>, hidden: boolean, is: boolean]
>([
  ['as it was left', 'content', { fields: left }, { a: 'left', b: null, other: 'new' }, false, true],
  ['without a field that was empty', 'content', { fields: left }, { a: 'left' }, false, true],
  ['with another value', 'content', { fields: left }, { a: 'other', b: null }, false, false],
  ['of which nothing is known', 'content', { fields: {} }, { a: 'left' }, false, false],
  ['new and hidden still', 'record', { fields: left }, { a: 'left' }, true, true],
  ['new and published since', 'record', { fields: left }, { a: 'left' }, false, false],
])('a record %s', (_what, part, left, values, hidden, is) => {
  const put = { ...place, remove: true as const }

  expect(isAsLeft({ record: record(values, hidden) }, { part, put, left })).toBe(is)
})

test.each([
  ['where it was put', 2, true],
  ['that was moved elsewhere since', 3, false],
])('a record %s', (_what, pid, is) => {
  const put = { ...place, place: { pid: 1 } }

  expect(
    isAsLeft(standing({ place: { pid } }), { part: 'content', put, left: { fields: {}, place: { pid: 2 } } }),
  ).toBe(is)
})

test('what a CMS answers beside the records is kept as it came, in its order', () => {
  const further = { place: { pid: 1, after: 0 }, bin: true, pinned: { at: 'noon' } }

  expect(JSON.stringify(wrote(further, further))).toBe(
    JSON.stringify({
      ...{ state: 'done', ...place, version: 'v' },
      before: { fields: {}, ...further },
      after: { fields: {}, ...further },
    }),
  )
})

test('what is kept of a put has values before, fingerprints after, and nothing of the records', () => {
  const secret = `sk-ant-${'x'.repeat(40)}`

  expect(kept(answer(fields({ a: 1, b: secret, c: 3 }), fields({ a: 2, b: 'c', c: 3 })))).toEqual({
    state: 'done',
    ...place,
    version: 'v',
    before: { fields: { a: 1 } },
    after: { fields: { a: fingerprint(2), b: fingerprint('c') } },
    lost: ['b'],
  })
})
