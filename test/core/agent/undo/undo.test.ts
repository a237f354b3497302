import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import * as Run from '../../../../core/agent/run-record.ts'
import type { Actor } from '../../../../core/base/actor.ts'
import * as Table from '../../../../core/base/aws/table.ts'
import { config } from '../../../../core/base/config.ts'
import * as Undo from '../../../../core/chat/undo.ts'
import { bridge } from '../../../../core/cms/bridge/bridge.ts'
import type { Cms, PutAnswer, RealPut, UndoResult } from '../../../../core/cms/cms.ts'
import { recordKey } from '../../../../core/cms/reference/item.ts'
import { reference } from '../../../../core/cms/reference/reference.ts'
import * as Audit from '../../../../core/user/audit.ts'
import { bench, benched, editor } from '../../../support/benched.ts'
import { type CmsServer, serveCms } from '../../../support/cms-server.ts'
import { making } from '../../../support/put.ts'

/** The CMS is over the bridge. */
let server: CmsServer
let cms: Cms
let uid = 0

benched()
beforeAll(async () => {
  const key = 'the key that both sides have'
  const behind = reference({ table: config().cmsTable ?? '', clock: () => bench.clock.now() })
  server = await serveCms(behind, new Map([['key', key]]))
  cms = bridge({ url: server.base, keyId: 'key', secret: key })
  bench.live.cms = cms
})
afterAll(() => server.close())
beforeEach(() => {
  bench.api.always({ text: 'Answer.' })
  uid += 2
})

const place = (record = uid) => ({ table: 'news', uid: record })
const rename = (title: string, record = uid) => ({
  name: 'update_record',
  arguments: { ...place(record), fields: { title } },
})
const hide = (record = uid) => ({ name: 'set_state', arguments: { ...place(record), state: 'hidden' } })
const title = (record = uid) => bench.field('news', record)

/** A turn with the calls, approved. */
async function made(...calls: { name: string; arguments: object }[]) {
  bench.api.reply({ calls })
  const { conversation } = await editor.turn('Change it')
  await editor.decide(conversation.id, true)
  await bench.settle()
  return { conversationId: conversation.id, runId: (await bench.row(conversation.id)).runId }
}
const undo = async (run: { conversationId: string; runId: string }, more: object = {}) =>
  (await editor.post<UndoResult>('undo', { ...run, ...more })).body

/** Undoes with a CMS that differs as said. */
async function undoWith(run: { conversationId: string; runId: string }, over: Partial<Cms>) {
  const actor = await cms.user(2)
  if (!actor) throw new Error('There is no editor')
  const conversation = await bench.row(run.conversationId)
  const settings = { retainAuditDays: 1 }
  const now = bench.clock.now()
  const stored = await Run.ofConversation(2, run.conversationId, run.runId, now)
  return Undo.undo({ actor, settings, now }, { ...cms, ...over }, conversation, stored)
}
const entries = async (record: number) =>
  ((await bench.site.cms.history(bench.site.admin, { table: 'news', uid: record, limit: 20 })) ?? []).length

test('takes back fields, states and a new record by writes, audits it, and does so once', async () => {
  const before = [await title(), await title(uid - 1)]
  const run = await made(rename('One'), hide(), rename('Two', uid - 1), rename('Three', uid - 1))
  expect([await title(), await bench.field('news', uid, 'hidden'), await title(uid - 1)]).toEqual([
    'One',
    true,
    'Three',
  ])

  expect(await undo(run)).toEqual({ undone: [place(uid - 1), place()], conflicts: [] })

  expect([await title(), await title(uid - 1)]).toEqual(before)
  expect(await bench.field('news', uid, 'hidden')).toBe(false)
  expect(await undo(run)).toEqual({ undone: [], conflicts: [] })
  const day = new Date(bench.clock.now()).toISOString().slice(0, 10)
  const audited = []
  for await (const entry of Audit.entries(day))
    if (entry.metadata.correlation_uid === run.runId) audited.push(entry.api?.operation)
  expect(audited.filter((act) => act === 'undo')).toHaveLength(2)
})

test('a new record goes, and one record can be taken back alone', async () => {
  const draft = { title: 'New page', parent: 3 }
  const run = await made({ name: 'create_page_draft', arguments: draft }, rename('Changed'))
  const { messages } = await editor.poll(run.conversationId)
  const created = messages.flatMap(({ records = [] }) => records).find(({ table }) => table === 'pages')
  if (!created) throw new Error('No page was made')

  const record = { table: 'pages', uid: created.uid }
  expect(await undo(run, { record })).toEqual({ undone: [record], conflicts: [] })

  expect(await bench.site.cms.record(bench.site.admin, { table: 'pages', uid: created.uid })).toBeUndefined()
  expect(await title()).toBe('Changed')
  expect(await undo(run)).toEqual({ undone: [place()], conflicts: [] })
})

test('what was deleted comes back, with its fields as they were, and what was brought back is deleted again', async () => {
  const before = await title()
  const gone = await made(rename('One'), { name: 'delete_record', arguments: place() })
  const { messages } = await editor.poll(gone.conversationId)
  expect(messages.at(-2)).toMatchObject({ outcome: 'done', records: [{ ...place(), title: 'One' }] })
  expect(await cms.record(bench.site.admin, { table: 'news', uid })).toBeUndefined()

  expect(await undo(gone)).toEqual({ undone: [place()], conflicts: [] })
  expect(await undo(gone)).toEqual({ undone: [], conflicts: [] })
  expect(await title()).toBe(before)

  await made({ name: 'delete_record', arguments: place() })
  const back = await made({ name: 'undelete_record', arguments: place() })
  expect((await editor.poll(back.conversationId)).messages.at(-2)?.content).toContain('is there again.')
  expect(await title()).toBe(before)
  expect(await undo(back)).toEqual({ undone: [place()], conflicts: [] })
  expect(await cms.record(bench.site.admin, { table: 'news', uid })).toBeUndefined()
})

test('what another person changed since stays, and so does what the user may not change any more', async () => {
  const run = await made(rename('One'), rename('Two', uid - 1))
  await bench.edit('news', uid, { title: 'Of another editor' })

  const refused = await undoWith(
    run,
    making(cms, async (actor, asked) => cms.put({ ...actor, uid: 4, ...(await cms.user(4)) }, asked)),
  )

  expect(refused).toEqual({
    undone: [],
    conflicts: [
      { ...place(uid - 1), reason: expect.stringMatching(/^The system refused it: The groups of this user/) },
      { ...place(), reason: 'The record was changed again since.' },
    ],
  })
  expect([await title(), await title(uid - 1)]).toEqual(['Of another editor', 'Two'])
  expect((await undo(run)).undone).toEqual([place(uid - 1)])
})

test('a required field that was empty before the turn is empty again, with all else as it was', async () => {
  const [key, table] = [recordKey('news', uid), config().cmsTable ?? '']
  await Table.assign(key, { set: { 'fields.title': '' } }, table)
  const teaser = await bench.field('news', uid, 'teaser')
  const fields = { title: 'One', teaser: 'Two' }
  const run = await made({ name: 'update_record', arguments: { ...place(), fields } })
  expect(await title()).toBe('One')

  expect(await undo(run)).toEqual({ undone: [place()], conflicts: [] })

  expect([await title(), await bench.field('news', uid, 'teaser')]).toEqual(['', teaser])
  expect(await undo(run)).toEqual({ undone: [], conflicts: [] })
})

test('a later turn that was taken back is no change', async () => {
  const before = await title()
  const [first, second] = [await made(rename('One')), await made(rename('Two'))]

  expect((await undo(first)).conflicts).toHaveLength(1)
  for (const run of [second, first]) expect(await undo(run)).toEqual({ undone: [place()], conflicts: [] })
  expect(await title()).toBe(before)
})

test('a record that was moved elsewhere since stays where it is', async () => {
  const move = (page: number) => ({ name: 'move_record', arguments: { ...place(), page } })
  const run = await made(move(3))
  await made(move(4))

  expect(await undo(run)).toEqual({
    undone: [],
    conflicts: [{ ...place(), reason: 'The record was changed again since.' }],
  })
  expect(await bench.site.cms.record(bench.site.admin, place())).toMatchObject({ pid: 4 })
})

describe('an undo whose process dies', () => {
  test.each<[when: string, make: (actor: Actor, asked: RealPut) => Promise<PutAnswer>]>([
    [
      'after a write',
      async (actor, asked) => {
        await cms.put(actor, asked)
        throw new Error('The process died')
      },
    ],
    ['before a write', () => Promise.reject(new Error('The process died'))],
  ])('%s goes on when it is asked for again, and changes nothing twice', async (_when, make) => {
    const before = await title()
    const run = await made(rename('One'))
    const known = await entries(uid)
    await expect(undoWith(run, making(cms, make))).rejects.toThrow('The process died')

    expect(await undo(run)).toEqual({ undone: [place()], conflicts: [] })

    expect([await title(), await entries(uid)]).toEqual([before, known + 1])
    expect(await undo(run)).toEqual({ undone: [], conflicts: [] })
  })

  test('before a write, and a person changes the record: the change stays', async () => {
    const run = await made(rename('One'))
    const die = () => Promise.reject(new Error('The process died'))
    await expect(undoWith(run, making(cms, die))).rejects.toThrow('The process died')
    await bench.edit('news', uid, { title: 'Of another editor' })

    expect((await undo(run)).conflicts).toHaveLength(1)
    expect(await title()).toBe('Of another editor')
  })
})

test('two undos at the same time take back each change once', async () => {
  const before = [await title(), await title(uid - 1)]
  const run = await made(rename('One'), rename('Two', uid - 1))
  const known = [await entries(uid), await entries(uid - 1)]

  const results = await Promise.all([undoWith(run, {}), undoWith(run, {})])

  expect(results.flatMap(({ conflicts }) => conflicts)).toEqual([])
  expect([await title(), await title(uid - 1)]).toEqual(before)
  expect([await entries(uid), await entries(uid - 1)]).toEqual(known.map((count) => count + 1))
})

test('the changes of a turn that a new version leaves are counted', async () => {
  const run = await made(rename('One'), rename('Two', uid - 1))
  await bench.edit('news', uid, { title: 'Of another editor' })

  const edited = await editor.post<{ droppedRuns?: object[] }>('edit', {
    conversationId: run.conversationId,
    sequence: 0,
    content: 'Other',
    expectedContent: 'Change it',
  })

  expect(edited.body.droppedRuns).toEqual([{ runId: run.runId, changes: 1 }])
})
