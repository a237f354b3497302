import { beforeEach, describe, expect, test } from 'vitest'
import * as Run from '../../../core/agent/run-record.ts'
import * as Undo from '../../../core/chat/undo.ts'
import type { Cms } from '../../../core/cms/cms.ts'
import * as Claim from '../../../core/conversation/claim.ts'
import { stuckMs } from '../../../core/conversation/turn-failure.ts'
import { type Attempt, timeout, under } from '../../faults/inject.ts'
import { bench, benched, editor } from '../../support/benched.ts'
import { gate, startedAt } from '../../support/live.ts'
import type { Step } from '../../support/messages-api.ts'
import { storedWith } from '../../support/seeded.ts'

let uid = 0
const settings = { retainAuditDays: 1 }

benched()
beforeEach(() => {
  bench.api.always({ text: 'Answer.' })
  uid += 2
})

const rename = (title: string, record = uid) => ({
  name: 'update_record',
  arguments: { table: 'news', uid: record, fields: { title } },
})
const title = (record = uid) => bench.field('news', record)

/** A turn that changed two records. */
async function changed() {
  bench.api.reply({ calls: [rename('Changed one'), rename('Changed two', uid - 1)] })
  const { conversation } = await editor.turn('Change both')
  await editor.decide(conversation.id, true)
  await bench.settle()
  expect([await title(), await title(uid - 1)]).toEqual(['Changed one', 'Changed two'])
  return { id: conversation.id, runId: (await bench.row(conversation.id)).runId }
}

const undo = (conversationId: string, runId: string) => editor.post('undo', { conversationId, runId })
const asRecord = (record: number) => ({ table: 'news', uid: record })

test('takes back all changes of the turn, and tells user and model', async () => {
  const before = [await title(), await title(uid - 1)]
  const { id, runId } = await changed()

  const { status, body } = await undo(id, runId)

  expect([status, body]).toEqual([
    200,
    { undone: expect.arrayContaining([asRecord(uid), asRecord(uid - 1)]), conflicts: [] },
  ])
  expect([await title(), await title(uid - 1)]).toEqual(before)
  const { messages, conversation } = await editor.poll(id)
  expect([messages.at(-1)?.notice, conversation.status]).toEqual(['undone', 'idle'])
  await editor.turn('What now?', { conversationId: id })
  expect(JSON.stringify(bench.api.requests.at(-1)?.body.messages)).toContain('were taken back')
})

test('reports a record although the answer that its outcome is stored was lost', async () => {
  const { id, runId } = await changed()
  const lost = new Set<string>()
  const once = ({ input }: Attempt) => {
    const sent = JSON.stringify(input)
    const [key] = /intent#[^"]*\/undo\/[^"]*/.exec(sent) ?? []
    if (!key || !sent.includes('"#outcome"') || lost.has(key)) return undefined
    lost.add(key)
    return { when: 'after' as const, error: timeout() }
  }

  const { body } = await under(once, () => undo(id, runId))

  expect(lost.size).toBe(2)
  expect(body).toEqual({
    undone: expect.arrayContaining([asRecord(uid), asRecord(uid - 1)]),
    conflicts: [],
  })
  expect((await editor.poll(id)).messages.at(-1)?.notice).toBe('undone')
})

test('a record that two consumers of one turn changed has its first value again', async () => {
  const before = await title()
  // Later in the alphabet, so that the order of the ids is not that of the changes.
  bench.api.reply({ calls: [{ id: 'z', ...rename('First') }] })
  const { conversation } = await editor.turn('Rename it')
  const { id } = conversation
  bench.api.reply({ calls: [{ id: 'a', ...rename('Second') }] })
  for (const changed of ['First', 'Second']) {
    await editor.decide(id, true)
    await bench.settle()
    expect(await title()).toBe(changed)
  }

  const { body } = await undo(id, (await bench.row(id)).runId)

  expect([body, await title()]).toEqual([{ undone: [asRecord(uid)], conflicts: [] }, before])
})

test('the same key again answers as before and takes nothing back, and belongs to this undo', async () => {
  const { id, runId } = await changed()
  const take = (run: string) =>
    editor.post<{ error?: { code: string } }>('undo', { conversationId: id, runId: run }, { key: 'undo' })
  const first = await take(runId)
  await bench.edit('news', uid, { title: 'Changed one' })

  expect([(await take(runId)).body, await title()]).toEqual([first.body, 'Changed one'])
  expect((await take(runId.replace(/.$/, 'x'))).body.error?.code).toBe('request.keyReused')
})

test('again: nothing more is undone, and nothing more is said', async () => {
  const { id, runId } = await changed()
  await undo(id, runId)
  const seen = await editor.poll(id)

  expect((await undo(id, runId)).body).toEqual({ undone: [], conflicts: [] })
  expect(await editor.poll(id)).toEqual(seen)
})

test('lists what changed again since, and takes back the rest', async () => {
  const { id, runId } = await changed()
  await bench.edit('news', uid, { title: 'Of another editor' })

  const body = (await undo(id, runId)).body as { conflicts: { reason: string }[] }

  expect(body).toEqual({
    undone: [asRecord(uid - 1)],
    conflicts: [{ ...asRecord(uid), reason: expect.any(String) }],
  })
  expect(await title()).toBe('Of another editor')
  const [conflict] = body.conflicts
  const row = (await editor.poll(id)).messages.at(-1)
  expect(row).toMatchObject({
    notice: 'undone',
    runId,
    records: [{ ...asRecord(uid - 1), title: await title(uid - 1) }],
    conflicts: [{ ...asRecord(uid), title: 'Of another editor', reason: conflict?.reason }],
  })
  expect(row?.content).toContain(`Not taken back: Of another editor [${uid}]: ${conflict?.reason}`)
  await editor.turn('What now?', { conversationId: id })
  expect(JSON.stringify(bench.api.requests.at(-1)?.body.messages)).toContain(
    `Taken back: news [${uid - 1}]. Could not be taken back, so still as they are: news [${uid}].`,
  )
})

test('while a later proposal waits: reported all the same, and the proposal is checked again', async () => {
  const { id, runId } = await changed()
  bench.api.reply({ text: 'And:', calls: [rename('Third title')] })
  await editor.send('Once more', { conversationId: id })
  await bench.settle()
  const before = await editor.poll(id)
  expect(before.conversation.status).toBe('awaiting_approval')

  await undo(id, runId)

  const after = await editor.poll(id)
  expect([after.conversation.status, after.messages.at(-1)?.notice]).toEqual(['awaiting_approval', 'undone'])
  await editor.decide(id, true)
  await bench.settle()
  const again = await editor.poll(id)
  expect(again.pendingApproval?.digest).not.toBe(before.pendingApproval?.digest)
  await editor.decide(id, true)
  await bench.settle()
  expect(await title()).toBe('Third title')
  expect(JSON.stringify(bench.api.requests.at(-1)?.body.messages)).toContain('were taken back')
})

describe('an undo whose process dies before its row is stored', () => {
  /** Takes back, and stores no row of it; the record that is named alone, or all. */
  async function interrupted(record?: { table: string; uid: number }) {
    const { id, runId } = await changed()
    const actor = await bench.live.cms.user(2)
    if (!actor) throw new Error('There is no editor')
    const [row, now] = [await bench.row(id), bench.clock.now()]
    // The titles for the row are asked for when everything is taken back.
    const cms: Cms = { ...bench.live.cms, record: () => Promise.reject(new Error('The process died')) }
    const run = await Run.ofConversation(2, id, runId, now)
    const asked = Undo.undo({ actor, settings, now }, cms, row, run, record)
    await expect(asked).rejects.toThrow('The process died')
    return { id, runId }
  }
  const undone = async (id: string) =>
    (await editor.poll(id)).messages.flatMap(({ notice, records = [] }) =>
      notice === 'undone' ? [records.map(({ table, uid }) => ({ table, uid }))] : [],
    )

  test('has one row when it is asked for again', async () => {
    const { id, runId } = await interrupted()
    const both = expect.arrayContaining([asRecord(uid), asRecord(uid - 1)])

    expect((await undo(id, runId)).body).toEqual({ undone: both, conflicts: [] })
    expect(await undone(id)).toEqual([both])
    expect((await undo(id, runId)).body).toEqual({ undone: [], conflicts: [] })
    expect(await undone(id)).toHaveLength(1)
  })

  test('of one record is in the row of the rest', async () => {
    const { id, runId } = await interrupted(asRecord(uid))
    await bench.edit('news', uid - 1, { title: 'Of another editor' })

    expect((await undo(id, runId)).body).toMatchObject({
      undone: [asRecord(uid)],
      conflicts: [asRecord(uid - 1)],
    })
    expect(await undone(id)).toEqual([[asRecord(uid)]])
  })

  test('has a row with all records, although it is asked for again for one', async () => {
    const { id, runId } = await interrupted()

    const one = await editor.post('undo', { conversationId: id, runId, record: asRecord(uid) })
    expect(one.body).toEqual({ undone: [asRecord(uid)], conflicts: [] })
    expect((await undo(id, runId)).body).toEqual({ undone: [asRecord(uid - 1)], conflicts: [] })
    expect((await undone(id)).flat()).toHaveLength(2)
  })
})

test('asked for twice at the same time has one row', async () => {
  const { id, runId } = await changed()
  const actor = await bench.live.cms.user(2)
  if (!actor) throw new Error('There is no editor')
  let other: Promise<{ body: unknown }> | undefined
  const cms: Cms = {
    ...bench.live.cms,
    // The first has taken the changes back and names them when the second one passes it.
    record: async (...given) => {
      other ??= undo(id, runId)
      await other
      return bench.live.cms.record(...given)
    },
  }
  const both = expect.arrayContaining([asRecord(uid), asRecord(uid - 1)])

  const run = await Run.ofConversation(2, id, runId, startedAt)
  const first = await Undo.undo({ actor, settings, now: startedAt }, cms, await bench.row(id), run)
  expect([first, (await other)?.body]).toEqual([
    { undone: both, conflicts: [] },
    { undone: both, conflicts: [] },
  ])
  const told = (await editor.poll(id)).messages.filter(({ notice }) => notice === 'undone')
  expect(told.map(({ records }) => records?.length)).toEqual([2])
})

describe('while a consumer takes a turn between the undo and its row', () => {
  /** Takes the changes back; a consumer has the next turn before the row of the undo is stored. */
  async function overtaken(end: Step = { text: 'Answer.' }) {
    const { id, runId } = await changed()
    bench.api.reply(end)
    const point = gate()
    const opening: Cms['opening'] = async (...given) => {
      await point.reach()
      return bench.live.cms.opening(...given)
    }
    let turn: Promise<unknown> = Promise.resolve()
    let isOvertaken = false
    const cms: Cms = {
      ...bench.live.cms,
      // The titles for the row are asked for when everything is taken back.
      record: async (...given) => {
        if (!isOvertaken) {
          isOvertaken = true
          await editor.send('Meanwhile', { conversationId: id })
          turn = (await bench.die({ opening })).ending
          await point.reached
        }
        return bench.live.cms.record(...given)
      },
    }
    const actor = await bench.live.cms.user(2)
    if (!actor) throw new Error('There is no editor')
    const [row, at] = [await bench.row(id), bench.clock.now()]
    await Undo.undo({ actor, settings, now: at }, cms, row, await Run.ofConversation(2, id, runId, at))
    return { id, open: point.open, turn: () => turn }
  }

  test('its row follows the answer of that turn, and reaches the model of the next', async () => {
    const { id, open, turn } = await overtaken()
    open()
    await turn()

    const { messages, conversation } = await editor.poll(id)
    expect([
      conversation.status,
      ...messages.slice(-3).map(({ notice, content }) => notice ?? content),
    ]).toEqual(['idle', 'Meanwhile', 'Answer.', 'undone'])
    expect(messages.at(-1)?.records).toHaveLength(2)
    await editor.turn('What now?', { conversationId: id })
    expect(JSON.stringify(bench.api.requests.at(-1)?.body.messages)).toContain('were taken back')
    expect((await editor.poll(id)).messages.filter(({ notice }) => notice === 'undone')).toHaveLength(1)
  })

  test('its row follows that turn also where it failed', async () => {
    const { id, open, turn } = await overtaken({ fault: 'status', status: 401 })
    open()
    await turn()

    const { messages, conversation } = await editor.poll(id)
    expect([conversation.status, messages.at(-2)?.content, messages.at(-1)?.notice]).toEqual([
      'failed',
      'Meanwhile',
      'undone',
    ])
  })

  test('its row is stored also where the consumer died and cleanup failed the turn', async () => {
    const { id, open, turn } = await overtaken()
    const lease = (await bench.row(id)).requestId
    await bench.clock.pass(stuckMs + 1)
    await bench.cleanup()

    const { messages, conversation } = await editor.poll(id)
    expect([conversation.status, messages.at(-1)?.notice]).toEqual(['failed', 'undone'])
    expect((await bench.row(id)).requestId).not.toBe(lease)
    open()
    await turn()
    expect((await editor.poll(id)).messages).toEqual(messages)
  })
})

test('while busy is refused', async () => {
  const { id } = await storedWith(['Question'], { ...Claim.begin(startedAt), runId: 'run' })

  const answer = await undo(id, 'run')

  expect([answer.status, answer.body]).toMatchObject([409, { error: { code: 'conversation.busy' } }])
})

test.each([
  ['that is none', async () => 'nothing'],
  ['of another conversation', async () => (await changed()).runId],
])('of a run %s is not found', async (_, other) => {
  const { id } = await storedWith(['Question', 'Answer'])

  const answer = await undo(id, await other())

  expect([answer.status, answer.body]).toMatchObject([404, { error: { code: 'run.notFound' } }])
})
