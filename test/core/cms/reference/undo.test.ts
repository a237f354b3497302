import { describe, expect, test } from 'vitest'
import type { Actor } from '../../../../core/actor.ts'
import type { Write } from '../../../../core/cms/cms.ts'
import type { RecordId } from '../../../../core/conversation/schema.ts'
import { seededCms } from '../../../support/cms.ts'

const now = Date.parse('2026-05-01T12:00:00Z')
const { cms, admin, editor, autorin } = await seededCms(now)

let count = 0
const write = async (actor: Actor, run: string, wanted: Write): Promise<RecordId> => {
  const outcome = await cms.write(actor, wanted, {
    key: `key-${++count}`,
    correlationId: run,
    versions: [],
    now,
  })
  if (outcome.state !== 'done') throw new Error(`The write ended as ${outcome.state}`)
  return outcome.uid
}
const update = (table: string, uid: RecordId, fields: Record<string, unknown>): Write => ({
  kind: 'update',
  table,
  uid,
  fields,
})
const create = (table: string, pid: RecordId, fields: Record<string, unknown>): Write => ({
  kind: 'create',
  table,
  pid,
  fields,
})

test('every change of a run is taken back, and the history says so', async () => {
  await write(editor, 'run-1', update('pages', 12, { title: 'First', description: 'Changed' }))
  await write(editor, 'run-1', update('pages', 12, { title: 'Second' }))
  const uid = await write(editor, 'run-1', create('content', 12, { type: 'header', header: 'New' }))
  expect(await cms.changesOf(editor, 'run-1')).toBe(2)

  const result = await cms.undo(editor, 'run-1', now + 1)

  expect(result).toEqual({
    undone: [
      { table: 'content', uid },
      { table: 'pages', uid: 12 },
    ],
    conflicts: [],
  })
  expect(await cms.record(editor, 'content', uid)).toBeUndefined()
  expect((await cms.record(editor, 'pages', 12))?.fields).toMatchObject({
    title: 'Our story',
    description: 'From a lamp for a grandmother to 46 people.',
  })
  expect((await cms.history(editor, 'pages', 12, 1))?.[0]).toEqual({
    at: new Date(now + 1).toISOString(),
    user: 'editor',
    action: 'modify',
    changes: [
      { field: 'title', label: 'Title', before: 'Second', after: 'Our story' },
      {
        field: 'description',
        label: 'Description',
        before: 'Changed',
        after: 'From a lamp for a grandmother to 46 people.',
      },
    ],
    revision: '4',
    correlationId: null,
  })
})

test('again, nothing more is taken back', async () => {
  await write(editor, 'run-2', update('pages', 13, { title: 'Shop floor' }))
  await cms.undo(editor, 'run-2', now)

  expect(await cms.undo(editor, 'run-2', now)).toEqual({ undone: [], conflicts: [] })
  expect(await cms.changesOf(editor, 'run-2')).toBe(0)
})

test('turns are taken back one after the other, the newest first', async () => {
  await write(editor, 'run-11', update('pages', 13, { title: 'Shop' }))
  await write(editor, 'run-12', update('pages', 13, { title: 'Store' }))
  await write(editor, 'run-13', update('pages', 13, { description: 'Open' }))
  expect(await cms.changesOf(editor, 'run-11')).toBe(0)

  for (const run of ['run-13', 'run-12', 'run-11'])
    expect(await cms.undo(editor, run, now)).toEqual({
      undone: [{ table: 'pages', uid: 13 }],
      conflicts: [],
    })

  expect((await cms.page(editor, 13))?.title).toBe('Workshop')
})

test('of many at the same time one takes the change back', async () => {
  await write(editor, 'run-3', update('pages', 14, { title: 'Green' }))

  const results = await Promise.all(Array.from({ length: 12 }, () => cms.undo(editor, 'run-3', now)))

  expect(results.flatMap(({ undone }) => undone)).toEqual([{ table: 'pages', uid: 14 }])
  expect((await cms.page(editor, 14))?.title).toBe('Sustainability')
})

describe('a record is left as it is, as a whole,', () => {
  const touched = 'The record was changed again since.'

  test('when another user changed it since', async () => {
    await write(editor, 'run-4', update('pages', 15, { title: 'Wood', description: 'Mine' }))
    await write(editor, 'run-4', update('pages', 16, { title: 'Careers' }))
    await write(admin, 'other', update('pages', 15, { slug: '/wood' }))
    expect(await cms.changesOf(editor, 'run-4')).toBe(1)

    expect(await cms.undo(editor, 'run-4', now)).toEqual({
      undone: [{ table: 'pages', uid: 16 }],
      conflicts: [{ table: 'pages', uid: 15, reason: touched }],
    })
    expect((await cms.record(editor, 'pages', 15))?.fields).toMatchObject({
      title: 'Wood',
      description: 'Mine',
      slug: '/wood',
    })
  })

  test('when another user changed it between two changes of the run', async () => {
    await write(editor, 'run-5', update('pages', 17, { title: 'Elbe' }))
    await write(admin, 'other', update('pages', 17, { description: 'By the river' }))
    await write(editor, 'run-5', update('pages', 17, { title: 'Harbour' }))

    expect((await cms.undo(editor, 'run-5', now)).conflicts).toEqual([
      { table: 'pages', uid: 17, reason: touched },
    ])
  })

  test('when a later turn was taken back, but not what came between', async () => {
    await write(editor, 'run-14', update('pages', 18, { title: 'Vienna' }))
    await write(admin, 'other', update('pages', 18, { description: 'On the ring' }))
    await write(editor, 'run-15', update('pages', 18, { title: 'Wien' }))
    await cms.undo(editor, 'run-15', now)

    expect((await cms.undo(editor, 'run-14', now)).conflicts).toEqual([
      { table: 'pages', uid: 18, reason: touched },
    ])
  })

  test('when another user put something on the new page', async () => {
    const uid = await write(editor, 'run-6', create('pages', 2, { title: 'Rugs' }))
    await write(admin, 'other', create('content', uid, { type: 'header', header: 'Mine' }))

    expect((await cms.undo(editor, 'run-6', now)).conflicts).toEqual([
      { table: 'pages', uid, reason: 'Something else was put on this page since.' },
    ])
    expect((await cms.page(editor, uid))?.title).toBe('Rugs')
  })

  test('when the right is gone, in the language of the actor', async () => {
    await write(autorin, 'run-7', update('news', 5, { title: 'Leinen' }))
    await write(admin, 'other', update('be_groups', 2, { tables_modify: '' }))

    expect((await cms.undo(autorin, 'run-7', now)).conflicts).toEqual([
      { table: 'news', uid: 5, reason: expect.stringContaining('Gruppen') },
    ])
    expect((await cms.record(autorin, 'news', 5))?.title).toBe('Leinen')
    await write(admin, 'other', update('be_groups', 2, { tables_modify: 'news' }))
  })

  test('when a field of it may no longer be changed', async () => {
    await write(editor, 'run-8', update('pages', 18, { keywords: 'wien' }))
    await write(admin, 'other', update('be_groups', 1, { non_exclude_fields: '' }))

    expect((await cms.undo(editor, 'run-8', now)).conflicts).toEqual([
      { table: 'pages', uid: 18, reason: 'This user may no longer change one of these fields.' },
    ])
  })
})

test('a new page with new content on it goes as a whole', async () => {
  const page = await write(editor, 'run-9', create('pages', 8, { title: 'Leasing' }))
  const element = await write(editor, 'run-9', create('content', page, { type: 'header', header: 'Rates' }))

  expect(await cms.undo(editor, 'run-9', now)).toEqual({
    undone: [
      { table: 'content', uid: element },
      { table: 'pages', uid: page },
    ],
    conflicts: [],
  })
  expect(await cms.page(editor, page)).toBeUndefined()
})

test('the run of another user is not there', async () => {
  await write(editor, 'run-10', update('pages', 19, { title: 'Phone' }))

  expect(await cms.changesOf(admin, 'run-10')).toBe(0)
  expect(await cms.undo(admin, 'run-10', now)).toEqual({ undone: [], conflicts: [] })
  expect((await cms.page(editor, 19))?.title).toBe('Phone')
})
