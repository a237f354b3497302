import { describe, expect, test } from 'vitest'
import type { Actor } from '../../../../core/base/actor.ts'
import type { Change } from '../../../../core/cms/change.ts'
import { undoing } from '../../../../scripts/connect/kit/undoing.ts'
import { seededCms } from '../../../support/cms.ts'
import { makeChange, showChange } from '../../../support/put.ts'

const now = Date.parse('2026-05-01T12:00:00Z')
const { cms: seeded, admin, editor, autorin } = await seededCms(now)
const { cms, undo } = undoing(seeded)

const translation = (over: Partial<Change> = {}): Change => ({
  table: 'pages',
  uid: 4,
  locale: 'de',
  fields: { title: 'Borealis-Schreibtisch', description: 'Ein Tisch zum Denken.' },
  ...over,
})

let count = 0
async function make(write: Change, actor: Actor = editor) {
  const { versions } = await showChange(cms, actor, write, [])
  const options = { key: `key-${++count}`, correlationId: `run-${count}`, versions, now }
  return { outcome: await makeChange(cms, actor, write, options), run: options.correlationId }
}
const refusal = (write: Change, actor: Actor = editor) =>
  showChange(cms, actor, write, []).then(
    () => 'nothing',
    (error: Error) => error.message,
  )

test('of several translations of one record at the same time one is made, and again after it was taken back', async () => {
  const write = translation({
    table: 'news',
    uid: 2,
    fields: { title: 'Neu', teaser: 'Kurz', body: '<p>Lang</p>', category: 'Neues' },
  })
  const { versions } = await showChange(cms, editor, write, [])
  const race = (round: string) =>
    Promise.all(
      [1, 2, 3, 4].map((at) =>
        makeChange(cms, editor, write, { key: `${round}-${at}`, correlationId: round, versions, now }).then(
          ({ state }) => state,
          (error: Error) => error.message,
        ),
      ),
    )

  for (const round of ['race-1', 'race-2']) {
    const ends = await race(round)
    expect(ends.filter((end) => end === 'done')).toHaveLength(1)
    // A slow one finds the translation already made, and is told so.
    const others = ends.filter((end) => end !== 'done' && end !== 'conflict')
    expect(others.filter((end) => !end.includes('into this language already'))).toEqual([])
    expect((await undo(editor, round, now)).undone).toHaveLength(1)
  }
})

test.each([
  { original: 4, before: 6, slug: '/products/neu' },
  { original: 6, before: 4, slug: '/neu' },
])('shown after another translation is that of its own original $original', async (row) => {
  const put = (original: number) => ({
    ...{ table: 'pages', uid: null, original, locale: 'de' },
    fields: { title: 'Neu' },
  })
  const earlier = [put(row.before)]
  const answer = await cms.put(editor, { put: put(row.original), dry: true, versions: [], earlier })

  expect(answer).toMatchObject({
    versions: [{ table: 'pages', uid: row.original }],
    after: { record: { fields: { original: row.original, slug: row.slug } } },
  })
})

describe('a translation', () => {
  test('of a page is a hidden page beside it, which no tree shows, and is taken back', async () => {
    const original = await cms.record(admin, { table: 'pages', uid: 4 })
    const { changes, ...shown } = await showChange(cms, editor, translation(), [])

    expect(shown).toEqual({
      table: 'pages',
      uid: null,
      label: 'Borealis desk',
      page: { uid: 2, title: 'Products' },
      original: 4,
      versions: [{ table: 'pages', uid: 4, version: original?.version }],
    })
    expect(changes.map(({ label, original, after }) => [label, original, after])).toEqual([
      ['Title', 'Borealis desk', 'Borealis-Schreibtisch'],
      ['Address', '/products/borealis-desk', '/products/borealis-schreibtisch'],
      ['Description', original?.fields.description, 'Ein Tisch zum Denken.'],
      ['Hidden', 'no', 'yes'],
      ['Language', 'English', 'Deutsch'],
    ])
    const { outcome, run } = await make(translation())
    const uid = 'uid' in outcome ? outcome.uid : 0
    expect(await cms.record(editor, { table: 'pages', uid })).toMatchObject({
      pid: 2,
      hidden: true,
      language: 1,
      fields: { title: 'Borealis-Schreibtisch', original: 4, nav_title: '' },
    })
    expect(await cms.record(admin, { table: 'pages', uid: 4 })).toEqual(original)
    const tree = await cms.pageTree(editor, { root: 0, depth: 9, limit: 999 })
    expect(tree.map((page) => page.uid)).not.toContain(uid)
    expect(await refusal(translation())).toBe(
      `pages [4] has the translation [${uid}] into this language already. Change that one with update_record.`,
    )

    expect((await undo(editor, run, now)).undone).toEqual([{ table: 'pages', uid }])
    expect(await cms.record(admin, { table: 'pages', uid })).toBeUndefined()
  })

  test('keeps its original where an undo would remove that', async () => {
    const page = { table: 'pages', uid: null, place: { pid: 1 }, fields: { title: 'Soon' } }
    const { outcome, run } = await make(page)
    const uid = 'uid' in outcome ? outcome.uid : 0
    await make(translation({ uid, fields: { title: 'Bald' } }), admin)

    expect(await undo(editor, run, now)).toMatchObject({ undone: [], conflicts: [{ table: 'pages', uid }] })
    expect(await cms.record(admin, { table: 'pages', uid })).toMatchObject({ title: 'Soon' })
  })

  test('of an element takes its place, with what all languages have in common', async () => {
    const element = {
      table: 'content',
      uid: 3,
      fields: { header: 'Lieferung', body: '<p>Mit dem Paket.</p>' },
    }
    const { outcome } = await make(translation(element))
    const [original, made] = await Promise.all(
      [3, 'uid' in outcome ? outcome.uid : 0].map((uid) => cms.record(editor, { table: 'content', uid })),
    )

    const { type, column, sorting } = original?.fields ?? {}
    expect([original?.pid, type, column, sorting]).toEqual([
      made?.pid,
      ...['type', 'column', 'sorting'].map((field) => made?.fields[field]),
    ])
    expect((await cms.pageContent(editor, { uid: made?.pid ?? 0 }))?.map(({ uid }) => uid)).toContain(
      made?.uid,
    )
  })

  test('is a conflict when the original was changed after it was shown', async () => {
    const { versions } = await showChange(cms, editor, translation(), [])
    await make({ table: 'pages', uid: 4, fields: { title: 'Borealis' } })
    const options = { key: 'late', correlationId: 'late', versions, now }

    expect(await makeChange(cms, editor, translation(), options)).toEqual({
      state: 'conflict',
      table: 'pages',
      uid: 4,
    })
  })

  test.each<[string, Change]>([
    ['The site has no language "fr". Languages: en, de.', translation({ locale: 'fr' })],
    ['pages [4] is in this language already.', translation({ locale: 'en' })],
    [
      'pages [66] is a translation itself. Translate its original [5].',
      translation({ uid: 66, locale: 'en' }),
    ],
    [
      'The original also has texts in these fields: description. Translate them, too; give "" for one that is to stay empty.',
      translation({ fields: { title: 'Tisch' } }),
    ],
    [
      'These fields are the same in every language: no_index. Leave them out. Fields with texts: title, slug, nav_title, description, keywords, seo_title, og_title, og_description.',
      translation({ fields: { title: 'Tisch', description: '', no_index: true } }),
    ],
    ['title: A value is needed.', translation({ fields: { title: '', description: '' } })],
    [
      'There is no pages with uid 11, or this user may not see it. Look it up first.',
      translation({ uid: 11 }),
    ],
    ['Records of be_groups have no translations.', translation({ table: 'be_groups', uid: 1 })],
  ])('is refused: %s', async (words, write) => {
    expect(await refusal(write, words.includes('be_groups') ? admin : editor)).toBe(words)
  })

  test('is for those alone who may change records of the table and write in the language', async () => {
    expect(await refusal(translation(), autorin)).toContain('may not change records of this table')
    await make({ table: 'be_groups', uid: 1, fields: { allowed_languages: '1' } }, admin)
    expect(await refusal(translation({ uid: 6, fields: { title: 'Kontakt', description: '' } }))).toBe(
      'nothing',
    )
    await make({ table: 'be_groups', uid: 1, fields: { allowed_languages: '0' } }, admin)
    expect(await refusal(translation())).toContain('may not change records in this language')
  })
})
