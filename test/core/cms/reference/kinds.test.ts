import { describe, expect, test } from 'vitest'
import type { Actor } from '../../../../core/base/actor.ts'
import type { Change } from '../../../../core/cms/change.ts'
import { undoing } from '../../../../scripts/connect/kit/undoing.ts'
import { seededCms } from '../../../support/cms.ts'
import { makeChange, showChange } from '../../../support/put.ts'

const now = Date.parse('2026-05-01T12:00:00Z')
const { cms: seeded, admin, editor } = await seededCms(now)
const { cms, undo } = undoing(seeded)

let count = 0
/** Makes a write as it was shown; the changes that were shown and the outcome. */
async function make(write: Change, run = `run-${++count}`, actor: Actor = editor) {
  const { changes, versions } = await showChange(cms, actor, write, [])
  const options = { key: `key-${++count}`, correlationId: run, versions, now }
  const outcome = await makeChange(cms, actor, write, options)
  return { shown: changes.map(({ label, before, after }) => [label, before, after]), outcome, run }
}
const refusal = (write: Change, actor: Actor = editor) =>
  showChange(cms, actor, write, []).then(
    () => 'nothing',
    (error: Error) => error.message,
  )
const fields = async (table: string, uid: number) => (await cms.record(admin, { table, uid }))?.fields
const inMay = { from: '2026-05-10T08:00:00.000Z', until: '2026-05-20T08:00:00.000Z' }

describe('a state', () => {
  const state = (state: string, more = {}): Change => ({ table: 'news', uid: 3, state: { state, ...more } })

  test('hides, plans and publishes a record, each shown in words, and is taken back', async () => {
    const before = await fields('news', 3)
    const hidden = await make(state('hidden'))
    const planned = await make(state('scheduled', inMay))
    const shown = await make(state('visible'))

    expect(hidden.shown).toEqual([['Hidden', 'no', 'yes']])
    expect(planned.shown).toEqual([
      ['Hidden', 'yes', 'no'],
      ['Publish from', null, inMay.from],
      ['Publish until', null, inMay.until],
    ])
    expect(shown.shown).toEqual([
      ['Publish from', inMay.from, null],
      ['Publish until', inMay.until, null],
    ])
    for (const { run } of [shown, planned, hidden])
      expect((await undo(editor, run, now)).conflicts).toEqual([])
    expect(await fields('news', 3)).toEqual(before)
  })

  test.each<[string, Change]>([
    ['There is no state "draft". States: visible, hidden, scheduled.', state('draft')],
    ['The state scheduled needs from, until, or both.', state('scheduled')],
    ['Only the state scheduled has from and until.', state('visible', inMay)],
    ['The time has to begin before it ends.', state('scheduled', { from: inMay.until, until: inMay.from })],
    ['Nothing would change: the record already says so.', state('visible')],
    [
      'There is no news with uid 999, or this user may not see it. Look it up first.',
      { ...state('hidden'), uid: 999 } as Change,
    ],
  ])('is refused: %s', async (words, write) => {
    expect(await refusal(write)).toBe(words)
  })
})

describe('a move', () => {
  const orderOf = async (page: number) =>
    ((await cms.pageContent(admin, { uid: page })) ?? [])
      .filter(({ fields }) => fields.language === 0 && fields.column === 0)
      .map(({ uid }) => uid)

  test('gives a record another place on its page, and is taken back', async () => {
    const before = (await orderOf(3)) as [number, number, ...number[]]
    const [first, second] = before
    const write: Change = { table: 'content', uid: second, place: { after: 0 } }
    const { shown, run } = await make(write)

    expect(shown).toEqual([['Place', expect.stringContaining(`[${first}]`), 'first']])
    expect((await orderOf(3)).slice(0, 2)).toEqual([second, first])
    expect(await refusal(write)).toBe('Nothing would change: the record already says so.')
    const [entry] = (await cms.history(editor, { table: 'content', uid: second, limit: 1 })) ?? []
    expect([entry?.action, entry?.correlationId]).toEqual(['move', run])
    await undo(editor, run, now)
    expect(await orderOf(3)).toEqual(before)
  })

  test('takes a record to another page, and is taken back only while it can lie where it lay', async () => {
    const [uid] = (await orderOf(4)) as [number]
    const { shown, run } = await make({ table: 'content', uid, place: { pid: 3 } })

    expect(shown[0]).toEqual(['Page', 'Borealis desk [4]', 'Aurora lamp [3]'])
    expect((await orderOf(3)).at(-1)).toBe(uid)
    expect((await undo(editor, run, now)).undone).toEqual([{ table: 'content', uid }])
    expect((await orderOf(4))[0]).toBe(uid)
  })

  test('to a place on the page to which an earlier change takes the record is shown there', async () => {
    const [uid] = (await orderOf(4)) as [number]
    const last = (await orderOf(3)).at(-1)
    const onto: Change = { table: 'content', uid, place: { pid: 3 } }
    const { changes } = await showChange(cms, editor, { table: 'content', uid, place: { after: 0 } }, [onto])

    expect(changes.map(({ label, before, after }) => [label, before, after])).toEqual([
      ['Place', expect.stringContaining(`[${last}]`), 'first'],
    ])
  })

  test.each<[string, Change]>([
    [
      'There is no pages with uid 11, or this user may not see it. Look it up first.',
      { table: 'content', uid: 1, place: { pid: 11 } },
    ],
    ['A page cannot be moved below itself.', { table: 'pages', uid: 2, place: { pid: 3 } }],
    [
      'There is no content [999] on this page, in the same column and language, to put the record behind.',
      { table: 'content', uid: 1, place: { after: 999 } },
    ],
    [
      'Records of news have no order by hand. Leave "after" out.',
      { table: 'news', uid: 1, place: { after: 2 } },
    ],
  ])('is refused: %s', async (words, write) => {
    expect(await refusal(write, words.includes('11') ? editor : admin)).toBe(words)
  })

  test('does not happen when the page that it goes to was deleted meanwhile', async () => {
    const made = await make({
      uid: null,
      table: 'pages',
      place: { pid: 2 },
      fields: { title: 'Short-lived' },
    })
    const pid = made.outcome.state === 'done' ? made.outcome.uid : 0
    const write: Change = { table: 'content', uid: 2, place: { pid } }
    const { versions } = await showChange(cms, editor, write, [])
    await undo(editor, made.run, now)

    const options = { key: 'late', correlationId: 'late', versions, now }
    await expect(makeChange(cms, editor, write, options)).rejects.toThrow(/There is no pages with uid/)
  })
})

describe('a file', () => {
  const attach = (image: number): Change => ({ table: 'news', uid: 4, fields: { image } })

  test('is put into a field for media, shown by its name, and taken back', async () => {
    const { shown, run } = await make(attach(3))
    expect(shown).toEqual([['Picture', null, 'Borealis desk in oak [3]']])
    expect((await make(attach(1))).shown).toEqual([
      ['Picture', 'Borealis desk in oak [3]', 'Aurora lamp in opal [1]'],
    ])
    expect((await undo(editor, run, now)).conflicts).toHaveLength(1)
  })

  test('gets its alternative text like any record, and comes from no form', async () => {
    const write: Change = { table: 'media', uid: 2, fields: { alternative: 'A shade' } }
    expect((await make(write)).shown).toEqual([['Alternative text', '', 'A shade']])
    expect(await refusal(attach(99))).toBe('image: There is no media:99.')
    expect(
      await refusal({ uid: null, table: 'media', place: { pid: 1 }, fields: { title: 'x' } }, admin),
    ).toBe('Records of this table cannot be changed.')
  })
})

describe('a version', () => {
  test('is restored by its name, without state and place, and the restoring is taken back', async () => {
    const change = (fields: Record<string, unknown>): Change => ({ table: 'content', uid: 6, fields })
    await make(change({ header: 'First' }))
    const [first] = (await cms.history(editor, { table: 'content', uid: 6, limit: 1 })) ?? []
    await make(change({ header: 'Second', subheader: 'More' }))
    await make(change({ hidden: true }))
    const revision = first?.revision ?? ''

    const { shown, run } = await make({ table: 'content', uid: 6, revision })
    expect(shown).toEqual([
      ['Header', 'Second', 'First'],
      ['Subheader', 'More', expect.any(String)],
    ])
    expect(await fields('content', 6)).toMatchObject({ header: 'First', hidden: true })
    await undo(editor, run, now)
    expect(await fields('content', 6)).toMatchObject({ header: 'Second', subheader: 'More', hidden: true })
  })

  test('gives a field its empty value back', async () => {
    const change = (fields: Record<string, unknown>): Change => ({ table: 'content', uid: 6, fields })
    await make(change({ header: 'Without a picture', image: null }))
    const [bare] = (await cms.history(editor, { table: 'content', uid: 6, limit: 1 })) ?? []
    await make(change({ image: 2 }))

    await make({ table: 'content', uid: 6, revision: bare?.revision ?? '' })

    expect(await fields('content', 6)).toMatchObject({ header: 'Without a picture', image: null })
  })

  test('that is none is refused', async () => {
    expect(await refusal({ table: 'content', uid: 6, revision: '99' })).toBe(
      'The history of content [6] has no version 99. get_record_history names them.',
    )
  })
})
