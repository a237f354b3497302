import { expect, test } from 'vitest'
import type * as Table from '../../../../core/base/aws/table.ts'
import { decode, type Proposed, store } from '../../../../core/conversation/transcript/pending.ts'

const call = (id: string) => ({
  id,
  tool: 'update_record',
  title: 'Change 1 field',
  arguments: { table: 'news', uid: 2, fields: { body: 'x'.repeat(40_000) } },
  preview: null,
})
const proposed: Proposed = {
  runId: 'r1',
  digest: 'd1',
  until: '2026-01-22T12:00:00.000Z',
  open: [],
  versions: {},
  definitions: {},
  calls: [call('a'), call('b')],
}
const rows = store('2-c', proposed).map(({ Put }) => Put?.Item as Table.Row)

test('calls that need two items are read as they were stored', () => {
  expect(rows).toHaveLength(3)
  expect(decode(rows)).toEqual({ ...proposed, decision: undefined, items: 2 })
})

test('a proposal of which an item is missing has no digest, so that no decision can name it', () => {
  expect(decode(rows.slice(0, 2))).toMatchObject({ digest: '', calls: [{ id: 'a' }] })
})

test('a proposal of which an item cannot be read has no digest', () => {
  const torn = rows.map((row, at) => (at === 2 ? { ...row, calls: '[{' } : row))

  expect(decode(torn)).toMatchObject({ digest: '' })
})
