import { expect, test } from 'vitest'
import { commit } from '../../../../core/cms/reference/commit.ts'
import * as Rows from '../../../../core/cms/reference/rows.ts'
import { seededCms } from '../../../support/cms.ts'

const now = Date.parse('2026-05-01T12:00:00Z')
const { table, admin } = await seededCms(now)

const contents = async () => (await Rows.all(table, 'content')).length
const histories = async () => (await Rows.all(table, 'sys_history')).length

test.each([
  ['has another version by now', { table: 'pages', uid: 4, version: '7' }],
  ['is gone', { table: 'pages', uid: 9_999, version: '1' }],
])('nothing is stored when the page of a new record %s', async (_, guard) => {
  const before = [await contents(), await histories()]
  const model = (await Rows.all(table, 'content'))[0]
  if (!model) throw new Error('The site has no content')

  const committed = await commit(table, {
    actor: admin,
    action: 'add',
    before: undefined,
    row: { ...model, uid: 0, pid: 4 },
    changes: [],
    runId: 'run',
    key: 'key',
    guards: [guard],
    answerOf: ({ table, uid }) => ({
      ...{ state: 'done', table, uid, version: '1', before: null, after: { record: null } },
      ...{ labels: {}, page: { uid: 0, title: '' }, versions: [] },
    }),
    now,
  })

  expect(committed).toEqual({ state: 'lost' })
  expect([await contents(), await histories()]).toEqual(before)
})
