import { describe, expect, test } from 'vitest'
import type { Actor } from '../../../../core/base/actor.ts'
import * as Table from '../../../../core/base/aws/table.ts'
import type { Change } from '../../../../core/cms/change.ts'
import { encode } from '../../../../core/cms/reference/item.ts'
import { groupRows } from '../../../../infra/local/seed/seed.ts'
import { undoing } from '../../../../scripts/connect/kit/undoing.ts'
import { seededCms } from '../../../support/cms.ts'
import { makeChange, showChange } from '../../../support/put.ts'
import { row } from './row.ts'

const now = Date.parse('2026-05-01T12:00:00Z')
const { table: store, cms: seeded, admin, editor, autorin, guest } = await seededCms(now)
const { cms, undo, countUndoable } = undoing(seeded)

const bin = (table: string, uid: number): Change => ({ bin: true, table, uid })
const back = (table: string, uid: number): Change => ({ bin: false, table, uid })

let count = 0
/** Makes a write as it was shown; the changes that were shown, the outcome and its run. */
async function make(write: Change, actor: Actor = editor, run = `run-${++count}`) {
  const { changes, versions, label, page } = await showChange(cms, actor, write, [])
  const options = { key: `key-${++count}`, correlationId: run, versions, now }
  const outcome = await makeChange(cms, actor, write, options)
  const shown = changes.map(({ label, before, after }) => [label, before, after])
  return { shown, label, page, outcome, run, options }
}
const refusal = (write: Change, actor: Actor = editor, earlier: Change[] = []) =>
  showChange(cms, actor, write, earlier).then(
    () => 'nothing',
    (error: Error) => error.message,
  )
const draft = async (table: string, pid: number, fields: Record<string, unknown>, actor = editor) => {
  const { outcome } = await make({ uid: null, table, place: { pid }, fields }, actor)
  if (outcome.state !== 'done') throw new Error('It was not made')
  return Number(outcome.uid)
}
const titles = async (actor = editor) =>
  ((await cms.list(actor, { table: 'news', limit: 100, offset: 0 }))?.records ?? []).map(({ title }) => title)

describe('a record in the bin', () => {
  test('is shown before it goes, is nowhere while it is there, and comes back as it was', async () => {
    const uid = await draft('news', 7, { title: 'Zebrafish', date: '2026-05-01T00:00:00.000Z' })
    const before = await cms.record(editor, { table: 'news', uid })

    const gone = await make(bin('news', uid))

    expect([gone.label, gone.page, gone.shown]).toEqual([
      'Zebrafish',
      { uid: 7, title: 'News' },
      [['Into the bin', 'Zebrafish', null]],
    ])
    expect(gone.outcome).toMatchObject({ state: 'done', uid, changed: [] })
    for (const actor of [editor, admin]) {
      expect(await cms.record(actor, { table: 'news', uid })).toBeUndefined()
      expect(await cms.history(actor, { table: 'news', uid, limit: 5 })).toBeUndefined()
      expect(await cms.search(actor, { text: 'Zebrafish', limit: 5 })).toEqual([])
      expect(await titles(actor)).not.toContain('Zebrafish')
      expect(await refusal({ table: 'news', uid, fields: { title: 'x' } }, actor)).toMatch(
        /^There is no news with uid/,
      )
    }
    expect(await refusal(bin('news', uid))).toMatch(/^There is no news with uid/)

    const returned = await make(back('news', uid))

    expect([returned.label, returned.shown]).toEqual(['Zebrafish', [['Out of the bin', null, 'Zebrafish']]])
    expect(await cms.record(editor, { table: 'news', uid })).toEqual({
      ...before,
      version: String(Number(before?.version) + 2),
    })
    const entries = (await cms.history(editor, { table: 'news', uid, limit: 2 })) ?? []
    expect(entries.map(({ action }) => action)).toEqual(['undelete', 'delete'])
    expect(await refusal(back('news', uid))).toBe('This record is not in the bin.')
  })

  test('goes once for a key, and not at all when it was changed after it was shown', async () => {
    const uid = await draft('news', 7, { title: 'Once', date: '2026-05-01T00:00:00.000Z' })
    const { options, outcome } = await make(bin('news', uid))
    expect(await makeChange(cms, editor, bin('news', uid), options)).toEqual(outcome)
    const { versions } = await showChange(cms, editor, back('news', uid), [])
    await make(back('news', uid))
    await make(bin('news', uid))

    for (const write of [back('news', uid), bin('news', uid)]) {
      const late = { ...options, key: `late-${++count}`, versions }
      const end = await makeChange(cms, editor, write, late).catch((error: Error) => error.message)
      expect(end).not.toMatchObject({ state: 'done' })
    }
    expect(await cms.record(editor, { table: 'news', uid })).toBeUndefined()
  })

  test('is brought back by an undo, which another undo of the run does not repeat', async () => {
    const uid = await draft('news', 7, { title: 'Before', date: '2026-05-01T00:00:00.000Z' })
    const update: Change = { table: 'news', uid, fields: { title: 'After' } }
    const { run } = await make(update)
    await make(bin('news', uid), editor, run)
    expect(await countUndoable(editor, run)).toBe(1)

    expect(await undo(editor, run, now)).toEqual({ undone: [{ table: 'news', uid }], conflicts: [] })
    expect((await cms.record(editor, { table: 'news', uid }))?.title).toBe('Before')
    expect(await undo(editor, run, now)).toEqual({ undone: [], conflicts: [] })

    await make(bin('news', uid))
    const returned = await make(back('news', uid))
    expect((await undo(editor, returned.run, now)).conflicts).toEqual([])
    expect(await cms.record(editor, { table: 'news', uid })).toBeUndefined()
  })

  test('stays there when another person brought it back and changed it, and so does what a run made and deleted', async () => {
    const uid = await draft('news', 7, { title: 'Mine', date: '2026-05-01T00:00:00.000Z' })
    const gone = await make(bin('news', uid))
    await make(back('news', uid), admin)
    expect((await undo(editor, gone.run, now)).conflicts).toHaveLength(1)
    expect((await cms.record(editor, { table: 'news', uid }))?.title).toBe('Mine')

    const fields = { title: 'Made', date: '2026-05-01T00:00:00.000Z' }
    const made = await make({ uid: null, table: 'news', place: { pid: 7 }, fields })
    const own = made.outcome.state === 'done' ? Number(made.outcome.uid) : 0
    await make(bin('news', own), editor, made.run)
    expect(await undo(editor, made.run, now)).toEqual({ undone: [], conflicts: [] })
    expect(await cms.record(editor, { table: 'news', uid: own })).toBeUndefined()
  })
})

describe('a page', () => {
  test('takes what is on it along, both ways, and gets another address where its own is taken', async () => {
    const page = await draft('pages', 2, { title: 'Sale' }, admin)
    const element = await draft('content', page, { header: 'Half price' }, admin)
    const facts = await cms.facts(admin)

    const gone = await make(bin('pages', page), admin)

    expect([gone.page, gone.shown]).toEqual([
      { uid: page, title: 'Sale' },
      [
        ['Into the bin', 'Sale', null],
        ['Content (1)', 'Half price', null],
      ],
    ])
    expect(await cms.record(admin, { table: 'content', uid: element })).toBeUndefined()
    expect(await cms.search(admin, { text: 'Half price', limit: 5 })).toEqual([])
    expect(await cms.facts(admin)).toMatchObject({
      pages: Number(facts.pages) - 1,
      contentElements: Number(facts.contentElements) - 1,
    })
    expect(await refusal(bin('content', element), admin)).toMatch(/^There is no content/)

    await draft('pages', 2, { title: 'Sale' }, admin)
    const returned = await make(back('pages', page), admin)
    expect(returned.shown).toEqual([
      ['Out of the bin', null, 'Sale'],
      ['Content (1)', null, 'Half price'],
      ['Address', '/products/sale', '/products/sale-1'],
    ])
    expect((await cms.record(admin, { table: 'content', uid: element }))?.title).toBe('Half price')
    expect((await undo(admin, gone.run, now)).conflicts).toHaveLength(1)
  })

  test('stays where there are pages below it, unless these go first', async () => {
    const above = await draft('pages', 2, { title: 'Above' }, admin)
    const below = await draft('pages', above, { title: 'Below' }, admin)
    const first = 'There are pages below this page. Delete or move them first.'

    expect(await refusal(bin('pages', above), admin)).toBe(first)
    expect(await refusal(bin('pages', above), admin, [bin('pages', below)])).toBe('nothing')
    const run = (await make(bin('pages', below), admin)).run
    await make(bin('pages', above), admin, run)
    expect(await refusal(back('pages', below), admin)).toBe(
      'The page on which it was is in the bin. Bring that back first.',
    )

    expect((await undo(admin, run, now)).undone).toEqual([
      { table: 'pages', uid: above },
      { table: 'pages', uid: below },
    ])
    expect((await cms.page(admin, { uid: below }))?.path.map(({ title }) => title)).toContain('Above')
  })
})

describe('a page that is the user’s own', () => {
  test('stays while something is on it that the user may not delete', async () => {
    const page = await draft('pages', 2, { title: 'Fair' })
    const locked = await draft('content', page, { header: 'Terms', editlock: true }, admin)

    expect(await refusal(bin('pages', page))).toBe('This user may not delete something on this page.')
    await make(bin('content', locked), admin)
    expect(await refusal(bin('pages', page))).toBe('nothing')
  })

  test('comes back without a word of what is on it and the user may not read', async () => {
    const [, authors] = groupRows(now)
    const fields = { ...authors?.fields, tables_select: 'pages', tables_modify: 'pages' }
    const owned = { title: 'Stall', slug: '/stall', perms_userid: autorin.uid, perms_user: 31 }
    const page = { ...row('pages', 9_001, 2, owned), deleted: true }
    const secret = row('content', 9_001, 9_001, { type: 'text', header: 'Purchase prices' })
    await Promise.all(
      [{ ...row('be_groups', 2, 0, fields), version: 2 }, page, secret].map((one) =>
        Table.put(encode(one), {}, store),
      ),
    )

    expect((await showChange(cms, autorin, back('pages', 9_001), [])).changes).toMatchObject([
      { field: 'deleted', before: null, after: 'Stall' },
    ])
    expect((await showChange(cms, admin, back('pages', 9_001), [])).changes).toMatchObject([
      { field: 'deleted', before: null, after: 'Stall' },
      { field: 'content', before: null, after: 'Purchase prices' },
    ])
    await Table.put(encode(authors as NonNullable<typeof authors>), {}, store)
  })
})

describe('a translation', () => {
  test('goes before its original, comes back after it, and only where no other has its place', async () => {
    const uid = await draft('news', 7, { title: 'Said twice', date: '2026-05-01T00:00:00.000Z' })
    const translate: Change = { table: 'news', uid, locale: 'de', fields: { title: 'Gesagt' } }
    const { outcome } = await make(translate)
    const own = outcome.state === 'done' ? Number(outcome.uid) : 0

    expect(await refusal(bin('news', uid))).toBe('This record has a translation. Delete that first.')
    await make(bin('news', own))
    await make(bin('news', uid))
    expect(await refusal(back('news', own))).toBe(
      'The record that it translates is not there. Bring that back first.',
    )
    await make(back('news', uid))
    await make(back('news', own))
    expect((await cms.record(editor, { table: 'news', uid: own }))?.title).toBe('Gesagt')

    await make(bin('news', own))
    await make(translate)
    expect(await refusal(back('news', own))).toBe('Another translation has taken its place.')
  })
})

test.each<[string, Actor, string, number, RegExp]>([
  ['a page that the user may edit alone', editor, 'pages', 4, /no right to do that on this page/],
  ['a page that the user does not see', editor, 'pages', 11, /^There is no pages with uid 11, or/],
  ['a record of a table that the user only reads', autorin, 'content', 1, /may not change records of this/],
  ['a record of a user who only reads', guest, 'news', 1, /may not change records of this/],
  ['a file', editor, 'media', 1, /^Records of this table have no bin\.$/],
  ['a user, by an administrator', admin, 'be_users', 4, /^Records of this table have no bin\.$/],
  ['what is not there', admin, 'news', 999, /^There is no news with uid 999, or/],
])('%s stays, and is not brought back', async (_what, actor, table, uid, words) => {
  expect(await refusal(bin(table, uid), actor)).toMatch(words)
  expect(await refusal(back(table, uid), actor)).toMatch(/./)
  expect(await refusal(back(table, uid), actor)).not.toBe('nothing')
})

test('what a user who may not delete it asks back stays in the bin, and tells nothing', async () => {
  const uid = await draft('content', 11, { header: 'Nightjar' }, admin)
  await make(bin('content', uid), admin)

  const words = await refusal(back('content', uid))
  expect(words).toBe((await refusal(back('content', 999_999))).replace('999999', String(uid)))
})
