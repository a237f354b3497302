import { expect, test } from 'vitest'
import { authenticate } from '../../../../core/cms/reference/login.ts'
import * as Rows from '../../../../core/cms/reference/rows.ts'
import { seededCms } from '../../../support/cms.ts'
import { makeChange } from '../../../support/put.ts'

const now = Date.parse('2026-05-01T12:00:00Z')
const { table: store, cms, admin } = await seededCms(now)
const home = { table: 'pages', uid: 1 }

let keys = 0
async function change(put: Parameters<typeof makeChange>[2]): Promise<number> {
  const done = await makeChange(cms, admin, put, {
    key: `key-${++keys}`,
    correlationId: 'run',
    versions: [],
    now,
  })
  if (done.state !== 'done') throw new Error(`The change ended as ${done.state}`)
  return done.uid
}

test('a later read of a table takes over what is unchanged, and has every change', async () => {
  const first = await Rows.current(store, 'pages')
  const page = await change({ table: 'pages', uid: null, place: { pid: 1 }, fields: { title: 'New' } })
  const created = await Rows.current(store, 'pages')
  await change({ table: 'pages', uid: page, fields: { title: 'Newer' } })
  const changed = await Rows.current(store, 'pages')
  await change({ table: 'pages', uid: page, bin: true })
  const binned = await Rows.current(store, 'pages')
  await change({ table: 'pages', uid: page, bin: false })
  const returned = await Rows.current(store, 'pages')

  const reads = [first, created, changed, binned, returned]
  expect(reads.map((read) => read.get(page)?.fields.title)).toEqual([
    undefined,
    'New',
    'Newer',
    undefined,
    'Newer',
  ])
  expect(reads.every((read) => read.get(home.uid) === first.get(home.uid))).toBe(true)
  const uids = [...returned.keys()]
  expect(uids).toEqual(uids.toSorted((a, b) => a - b))
  expect([...returned.values()]).toEqual(await Promise.all(uids.map((uid) => Rows.find(store, 'pages', uid))))
})

test('users are read with the time of their last login, which is no new version', async () => {
  const loginOf = async () => {
    const users = await Rows.all(store, 'be_users')
    return users.find(({ fields }) => fields.username === 'editor')?.fields.lastlogin
  }
  await loginOf()
  await authenticate(store, 'editor', 'demo', now)
  expect(await loginOf()).toBe(new Date(now).toISOString())
})
