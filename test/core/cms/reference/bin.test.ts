import { describe, expect, test } from 'vitest'
import type { Actor } from '../../../../core/actor.ts'
import type { Write } from '../../../../core/cms/cms.ts'
import { seededCms } from '../../../support/cms.ts'

const now = Date.parse('2026-05-01T12:00:00Z')
const { cms, admin, editor, autorin, guest } = await seededCms(now)

const bin = (table: string, uid: number): Write => ({ kind: 'delete', table, uid })
const back = (table: string, uid: number): Write => ({ kind: 'undelete', table, uid })

let count = 0
/** Makes a write as it was shown; the changes that were shown, the outcome and its run. */
async function make(write: Write, actor: Actor = editor, run = `run-${++count}`) {
  const { changes, versions, label, page } = await cms.preview(actor, write, [])
  const options = { key: `key-${++count}`, correlationId: run, versions, now }
  const outcome = await cms.write(actor, write, options)
  const shown = changes.map(({ label, before, after }) => [label, before, after])
  return { shown, label, page, outcome, run, options }
}
const refusal = (write: Write, actor: Actor = editor, earlier: Write[] = []) =>
  cms.preview(actor, write, earlier).then(
    () => 'nothing',
    (error: Error) => error.message,
  )
const draft = async (table: string, pid: number, fields: Record<string, unknown>, actor = editor) => {
  const { outcome } = await make({ kind: 'create', table, pid, fields }, actor)
  if (outcome.state !== 'done') throw new Error('It was not made')
  return Number(outcome.uid)
}
const titles = async (actor = editor) =>
  ((await cms.list(actor, { table: 'news', limit: 100, offset: 0 }))?.records ?? []).map(({ title }) => title)

describe('a record in the bin', () => {
  test('is shown before it goes, is nowhere while it is there, and comes back as it was', async () => {
    const uid = await draft('news', 7, { title: 'Zebrafish', date: '2026-05-01T00:00:00.000Z' })
    const before = await cms.record(editor, 'news', uid)

    const gone = await make(bin('news', uid))

    expect([gone.label, gone.page, gone.shown]).toEqual([
      'Zebrafish',
      { uid: 7, title: 'News' },
      [['Into the bin', 'Zebrafish', null]],
    ])
    expect(gone.outcome).toMatchObject({ state: 'done', uid, changed: [] })
    for (const actor of [editor, admin]) {
      expect(await cms.record(actor, 'news', uid)).toBeUndefined()
      expect(await cms.history(actor, 'news', uid, 5)).toBeUndefined()
      expect(await cms.search(actor, { text: 'Zebrafish', limit: 5 })).toEqual([])
      expect(await titles(actor)).not.toContain('Zebrafish')
      expect(await refusal({ kind: 'update', table: 'news', uid, fields: { title: 'x' } }, actor)).toMatch(
        /^There is no news with uid/,
      )
    }
    expect(await refusal(bin('news', uid))).toMatch(/^There is no news with uid/)

    const returned = await make(back('news', uid))

    expect([returned.label, returned.shown]).toEqual(['Zebrafish', [['Out of the bin', null, 'Zebrafish']]])
    expect(await cms.record(editor, 'news', uid)).toEqual({
      ...before,
      version: String(Number(before?.version) + 2),
    })
    const entries = (await cms.history(editor, 'news', uid, 2)) ?? []
    expect(entries.map(({ action }) => action)).toEqual(['undelete', 'delete'])
    expect(await refusal(back('news', uid))).toBe('This record is not in the bin.')
  })

  test('goes once for a key, and not at all when it was changed after it was shown', async () => {
    const uid = await draft('news', 7, { title: 'Once', date: '2026-05-01T00:00:00.000Z' })
    const { options, outcome } = await make(bin('news', uid))
    expect(await cms.write(editor, bin('news', uid), options)).toEqual(outcome)
    const { versions } = await cms.preview(editor, back('news', uid), [])
    await make(back('news', uid))
    await make(bin('news', uid))

    for (const write of [back('news', uid), bin('news', uid)]) {
      const late = { ...options, key: `late-${++count}`, versions }
      const end = await cms.write(editor, write, late).catch((error: Error) => error.message)
      expect(end).not.toMatchObject({ state: 'done' })
    }
    expect(await cms.record(editor, 'news', uid)).toBeUndefined()
  })

  test('is brought back by an undo, which another undo of the run does not repeat', async () => {
    const uid = await draft('news', 7, { title: 'Before', date: '2026-05-01T00:00:00.000Z' })
    const update: Write = { kind: 'update', table: 'news', uid, fields: { title: 'After' } }
    const { run } = await make(update)
    await make(bin('news', uid), editor, run)
    expect(await cms.changesOf(editor, run)).toBe(1)

    expect(await cms.undo(editor, run, now)).toEqual({ undone: [{ table: 'news', uid }], conflicts: [] })
    expect((await cms.record(editor, 'news', uid))?.title).toBe('Before')
    expect(await cms.undo(editor, run, now)).toEqual({ undone: [], conflicts: [] })

    await make(bin('news', uid))
    const returned = await make(back('news', uid))
    expect((await cms.undo(editor, returned.run, now)).conflicts).toEqual([])
    expect(await cms.record(editor, 'news', uid)).toBeUndefined()
  })

  test('stays there when another person brought it back and changed it, and so does what a run made and deleted', async () => {
    const uid = await draft('news', 7, { title: 'Mine', date: '2026-05-01T00:00:00.000Z' })
    const gone = await make(bin('news', uid))
    await make(back('news', uid), admin)
    expect((await cms.undo(editor, gone.run, now)).conflicts).toHaveLength(1)
    expect((await cms.record(editor, 'news', uid))?.title).toBe('Mine')

    const fields = { title: 'Made', date: '2026-05-01T00:00:00.000Z' }
    const made = await make({ kind: 'create', table: 'news', pid: 7, fields })
    const own = made.outcome.state === 'done' ? Number(made.outcome.uid) : 0
    await make(bin('news', own), editor, made.run)
    expect(await cms.undo(editor, made.run, now)).toEqual({ undone: [], conflicts: [] })
    expect(await cms.record(editor, 'news', own)).toBeUndefined()
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
    expect(await cms.record(admin, 'content', element)).toBeUndefined()
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
    expect((await cms.record(admin, 'content', element))?.title).toBe('Half price')
    expect((await cms.undo(admin, gone.run, now)).conflicts).toHaveLength(1)
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

    expect((await cms.undo(admin, run, now)).undone).toEqual([
      { table: 'pages', uid: above },
      { table: 'pages', uid: below },
    ])
    expect((await cms.page(admin, below))?.path.map(({ title }) => title)).toContain('Above')
  })
})

describe('a translation', () => {
  test('goes before its original, comes back after it, and only where no other has its place', async () => {
    const uid = await draft('news', 7, { title: 'Said twice', date: '2026-05-01T00:00:00.000Z' })
    const translate: Write = {
      kind: 'translate',
      table: 'news',
      uid,
      locale: 'de',
      fields: { title: 'Gesagt' },
    }
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
    expect((await cms.record(editor, 'news', own))?.title).toBe('Gesagt')

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
