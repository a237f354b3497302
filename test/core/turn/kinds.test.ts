import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loadLanguage } from '../../../core/base/language.ts'
import { planPut } from '../../../core/cms/change.ts'
import type { RecordId } from '../../../core/conversation/schema.ts'
import { type Bench, startBench } from '../../support/live.ts'

await loadLanguage('de')

let bench: Bench

beforeAll(async () => {
  bench = await startBench()
})
afterAll(() => bench.stop())

test('a translation is shown beside its original, approved in other words, and told to the model', async () => {
  const editor = await bench.login('editor')
  const fields = { header: 'Lieferung', body: '<p>Als Paket.</p>' }
  bench.api.reply({
    calls: [{ name: 'translate_record', arguments: { table: 'content', uid: 3, locale: 'de', fields } }],
  })
  bench.api.reply({ text: 'Done.' })

  const { conversation, pendingApproval } = await editor.turn('Translate it')
  const [call] = pendingApproval?.calls ?? []
  expect([call?.title, call?.editable, call?.preview?.original]).toEqual([
    'Translate “Delivery and care”',
    ['header', 'body'],
    3,
  ])
  expect(call?.preview?.changes[0]).toEqual({
    field: 'header',
    label: 'Header',
    before: null,
    after: 'Lieferung',
    original: 'Delivery and care',
  })

  await editor.decide(conversation.id, true)
  await bench.settle()
  const { messages } = await editor.poll(conversation.id)
  const row = messages.find(({ role }) => role === 'tool')
  expect(row?.content).toContain('- header (Header): Lieferung')
  expect(row?.records?.[0]).toMatchObject({ table: 'content', title: 'Lieferung', page: 3 })
})

test('what a page shows in social media is proposed like any field, approved, and taken back', async () => {
  const editor = await bench.login('editor')
  const fields = { og_title: 'A desk for two', og_description: 'Made of oak, in Hamburg.' }
  const place = { table: 'pages', uid: 4 }
  bench.api.reply({
    calls: [
      { name: 'update_record', arguments: { ...place, fields } },
      { name: 'attach_media', arguments: { ...place, field: 'og_image', file: 3 } },
    ],
  })
  bench.api.reply({ text: 'Done.' })

  const { conversation, pendingApproval } = await editor.turn('Fill in what is shown in social media')
  const shown = pendingApproval?.calls.flatMap(({ preview }) => preview?.changes ?? [])
  expect(shown?.map(({ label, after }) => [label, after])).toEqual([
    ['Title for social media', fields.og_title],
    ['Text for social media', fields.og_description],
    ['Picture for social media', 'Borealis desk in oak [3]'],
  ])

  await editor.decide(conversation.id, true)
  await bench.settle()
  const names = ['og_title', 'og_description', 'og_image']
  const stored = () => Promise.all(names.map((name) => bench.field('pages', 4, name)))
  expect(await stored()).toEqual([fields.og_title, fields.og_description, 3])
  const { runId } = await bench.row(conversation.id)
  await editor.post('undo', { conversationId: conversation.id, runId })
  expect(await stored()).toEqual(['', '', null])
})

test('a record without a bin is not deleted, and of a deleted one the model reads where it is', async () => {
  const editor = await bench.login('editor')
  const remove = (table: string, uid: number) => ({ name: 'delete_record', arguments: { table, uid } })
  bench.api.reply({ calls: [remove('media', 1), remove('news', 9)] })
  bench.api.reply({ text: 'Done.' })

  const { conversation } = await editor.turn('Delete both')
  await editor.decide(conversation.id, true)
  await bench.settle()

  const { messages } = await editor.poll(conversation.id)
  expect(messages.flatMap(({ role, content }) => (role === 'tool' ? [content] : []))).toEqual([
    expect.stringContaining(
      'Records of media have no bin, and nothing is deleted for good. There is one for: pages, content, news.',
    ),
    expect.stringContaining('Stored: record news [9] is in the bin.'),
  ])
})

test('a state, a move and an earlier version are proposed together, approved, and taken back', async () => {
  const editor = await bench.login('editor')
  await bench.edit('news', 3, { title: 'First' })
  await bench.edit('news', 3, { title: 'Renamed by hand' })
  const before = await bench.field('news', 2, 'hidden')
  const call = (name: string, args: object) => ({ name, arguments: args })
  const revision = (await bench.site.cms.history(bench.site.admin, { table: 'news', uid: 3, limit: 2 }))?.[1]
    ?.revision
  const from = '2026-12-01T09:00:00+01:00'
  bench.api.reply({
    calls: [
      call('set_state', { table: 'news', uid: 2, state: 'scheduled', from }),
      call('move_record', { table: 'content', uid: 1, page: 4 }),
      call('restore_version', { table: 'news', uid: 3, version: revision }),
    ],
  })
  bench.api.reply({ text: 'Done.' })

  const { conversation, pendingApproval } = await editor.turn('Plan, move and restore')
  expect(
    pendingApproval?.calls.map(({ title, preview }) => [
      title,
      preview?.changes.map(({ label, after }) => [label, after]),
    ]),
  ).toEqual([
    [expect.stringMatching(/^Plan when visitors see “.+”$/), [['Publish from', '2026-12-01T08:00:00.000Z']]],
    [
      expect.stringMatching(/^Move “.+”$/),
      [
        ['Page', 'Borealis desk [4]'],
        ['Place', expect.stringMatching(/^behind .+ \[\d+\]$/)],
      ],
    ],
    ['Put 1 field of “Renamed by hand” back', [['Title', 'First']]],
  ])

  await editor.decide(conversation.id, true)
  await bench.settle()
  const { messages } = await editor.poll(conversation.id)
  const rows = messages.filter(({ role }) => role === 'tool')
  expect(rows.map(({ outcome }) => outcome)).toEqual(['done', 'done', 'done'])
  expect(rows[1]?.content).toContain('- pid: 4')
  expect(await bench.field('news', 2, 'starttime')).toBe('2026-12-01T08:00:00.000Z')

  const undone = await editor.post<{ undone: object[] }>('undo', {
    conversationId: conversation.id,
    runId: rows[0]?.runId,
  })
  expect(undone.body.undone).toHaveLength(3)
  expect([await bench.field('news', 2, 'starttime'), await bench.field('news', 2, 'hidden')]).toEqual([
    null,
    before,
  ])
  expect((await bench.site.cms.record(bench.site.admin, { table: 'content', uid: 1 }))?.pid).toBe(3)
})

describe('a copy', () => {
  const duplicate = (table: string, uid: number, fields?: object) => ({
    name: 'duplicate_record',
    arguments: { table, uid, ...(fields && { fields }) },
  })

  test('of an element is proposed by what differs, stored hidden behind its original, and taken back', async () => {
    const editor = await bench.login('editor')
    bench.api.reply({ calls: [duplicate('content', 3), duplicate('pages', 4, { title: 'Walnut desk' })] })
    bench.api.reply({ text: 'Done.' })

    const { conversation, pendingApproval } = await editor.turn('Duplicate them')
    const notes = ['All other fields are as in the original. Its content and subpages are not copied.']
    expect(
      pendingApproval?.calls.map(({ title, editable, preview }) => [
        title,
        editable,
        preview?.changes.map(({ field, before, after }) => [field, before, after]),
        preview?.notes,
      ]),
    ).toEqual([
      [
        'Duplicate “Delivery and care”, hidden',
        undefined,
        [
          ['header', null, 'Delivery and care (copy)'],
          ['hidden', null, 'yes'],
        ],
        notes,
      ],
      [
        'Duplicate “Borealis desk”, hidden',
        ['title'],
        [
          ['title', null, 'Walnut desk'],
          ['slug', null, '/products/walnut-desk'],
          ['hidden', null, 'yes'],
        ],
        notes,
      ],
    ])

    await editor.decide(conversation.id, true)
    await bench.settle()
    const { messages } = await editor.poll(conversation.id)
    const [element, page] = messages.flatMap(({ role, records = [] }) => (role === 'tool' ? records : []))
    const seen = (table: string, uid: RecordId = 0) => bench.site.cms.record(bench.site.admin, { table, uid })
    const [original, copy] = [await seen('content', 3), await seen('content', element?.uid)]
    const { sorting, ...fields } = copy?.fields ?? {}
    expect([copy?.pid, { ...fields, sorting: original?.fields.sorting }]).toEqual([
      original?.pid,
      { ...original?.fields, header: 'Delivery and care (copy)', hidden: true },
    ])
    const order = (await bench.site.cms.pageContent(bench.site.admin, { uid: original?.pid ?? 0 }))?.map(
      ({ uid }) => uid,
    )
    expect(order?.[(order?.indexOf(3) ?? 0) + 1]).toBe(element?.uid)
    expect((await seen('pages', page?.uid))?.fields).toMatchObject({
      title: 'Walnut desk',
      slug: '/products/walnut-desk',
    })

    const { runId } = await bench.row(conversation.id)
    const { body } = await editor.post<{ undone: object[] }>('undo', {
      conversationId: conversation.id,
      runId,
    })
    expect(body.undone).toHaveLength(2)
    expect([await seen('content', element?.uid), await seen('pages', page?.uid)]).toEqual([
      undefined,
      undefined,
    ])
  })

  test('of news has no place in an order; its title fits, in the language of the user', async () => {
    const { cms, admin } = bench.site
    await bench.edit('news', 2, { title: 'x'.repeat(255) })

    const { put } = await planPut(cms, { ...admin, lang: 'de' }, { table: 'news', uid: null, copy: 2 })

    expect([put.place, put.fields?.title]).toEqual([
      { pid: expect.any(Number) },
      `${'x'.repeat(247)} (Kopie)`,
    ])
    expect(put.fields).not.toHaveProperty('hidden')
  })

  test('is refused of a file, of a translation and of what is not there', async () => {
    const { cms, admin } = bench.site
    const refused = (table: string, uid: number) =>
      planPut(cms, admin, { table, uid: null, copy: uid }).then(
        () => 'nothing',
        (error: Error) => error.message,
      )
    const pages = await cms.list(admin, { table: 'pages', limit: 100, offset: 0 })
    const translated = pages?.records.find(({ language }) => language > 0)

    expect([
      await refused('media', 1),
      await refused('pages', Number(translated?.uid)),
      await refused('pages', 9999),
    ]).toEqual([
      'The chat makes no records of media. It makes: pages, content, news.',
      `pages [${translated?.uid}] is a translation. Duplicate its original, and translate the copy.`,
      'There is no pages with uid 9999, or this user may not see it. Look it up first.',
    ])
  })
})
