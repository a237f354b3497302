import { describe, expect, test } from 'vitest'
import * as Run from '../../../core/agent/run-record.ts'
import * as Table from '../../../core/base/aws/table.ts'
import { CmsFailure } from '../../../core/cms/cms.ts'
import { encode, type Row } from '../../../core/cms/reference/item.ts'
import * as Rows from '../../../core/cms/reference/rows.ts'
import * as Claim from '../../../core/conversation/claim.ts'
import type * as Queue from '../../../core/conversation/queue.ts'
import type { PendingApproval } from '../../../core/conversation/schema.ts'
import { stuckMs } from '../../../core/conversation/turn-failure.ts'
import type { WireRequest } from '../../../core/model/wire/shape.ts'
import { answerOf, reportRows } from '../../../core/stage/usage/report.ts'
import { consume, jobOf } from '../../../core/turn/consume.ts'
import { bench, benched, editor } from '../../support/benched.ts'
import { gate, never } from '../../support/live.ts'
import { making } from '../../support/put.ts'

/** Many changes as one proposal: decided, written and taken back record by record. */

let next = 1_000

benched()

/** Puts so many news records beside those of the site; their uids. */
async function news(count: number): Promise<number[]> {
  const model = (await Rows.find(bench.site.table, 'news', 1)) as Row
  const uids = Array.from({ length: count }, () => next++)
  for (let at = 0; at < count; at += 100) {
    const some = uids.slice(at, at + 100).map((uid) => encode({ ...model, uid }))
    await Table.transact(some.map((Item) => ({ Put: { TableName: bench.site.table, Item } })))
  }
  return uids
}

const batch = (uids: number[], title = (uid: number) => `New ${uid}`) => ({
  id: 'batch',
  name: 'update_records',
  arguments: { table: 'news', changes: uids.map((uid) => ({ uid, fields: { title: title(uid) } })) },
})

type Proposed = { id: string; pending: PendingApproval }

async function proposed(...calls: { id?: string; name: string; arguments: object }[]): Promise<Proposed> {
  bench.api.reply({ text: 'I propose:', calls })
  const { conversation, pendingApproval } = await editor.turn('Change them all')
  expect(conversation.status).toBe('awaiting_approval')
  return { id: conversation.id, pending: pendingApproval as PendingApproval }
}

async function approve({ id, pending }: Proposed, denied: string[] = []): Promise<void> {
  const { digest } = pending
  const { status } = await editor.post('approve', { conversationId: id, digest, approve: true, denied })
  expect(status).toBe(202)
  bench.api.reply({ text: 'That is how it is.' })
}

const titles = (uids: number[]) => Promise.all(uids.map((uid) => bench.field('news', uid)))

/** What the model got of its calls last: text and whether it is an error. */
function results(request: WireRequest | undefined): [text: string, isError: boolean][] {
  const last = request?.messages.at(-1)?.content
  return (Array.isArray(last) ? last : []).flatMap((block) =>
    block.type === 'tool_result' ? [[JSON.stringify(block.content), block.is_error ?? false] as const] : [],
  ) as [string, boolean][]
}

const outcomes = async (id: string) =>
  (await editor.poll(id, { tail: 100 })).messages.flatMap(({ role, outcome }) =>
    role === 'tool' ? [outcome] : [],
  )

describe('a batch', () => {
  test('of new records is one proposal; each approved row becomes a hidden record, and the others none', async () => {
    const records = ['First', 'Second', 'Third'].map((title) => ({ title, date: '2026-12-01' }))
    const one = await proposed({ name: 'create_records', arguments: { table: 'news', page: 7, records } })
    expect(one.pending.calls.map(({ title, preview }) => [title, preview?.uid, preview?.label])).toEqual(
      ['First', 'Second', 'Third'].map((title) => [`Create “${title}”, hidden`, null, title]),
    )

    await approve(one, [one.pending.calls[1]?.id ?? ''])
    await bench.settle()
    expect(await outcomes(one.id)).toEqual(['done', 'denied', 'done'])
    const made = (await editor.poll(one.id, { tail: 100 })).messages.flatMap(({ records = [] }) => records)
    expect(made.map(({ title }) => title)).toEqual(['First', 'Third'])
    const [first, third] = made.map(({ uid }) => Number(uid)) as [number, number]
    expect([await bench.field('news', first, 'hidden'), await bench.field('news', third, 'hidden')]).toEqual([
      true,
      true,
    ])
    const [[text] = ['']] = results(bench.api.requests.at(-1)?.body)
    expect(text).toContain(`Stored: 2 of 3: record 1 [${first}] record 3 [${third}]`)
    expect(text).toContain('Denied by the user, nothing was changed: 1 of 3: record 2')
  })

  test('of 200 is one proposal; those approved are written, the others denied, and the model gets both', async () => {
    const uids = await news(200)
    const old = (await titles(uids.slice(0, 1)))[0]
    const one = await proposed(batch(uids))
    expect(one.pending.calls.map(({ tool, preview }) => [tool, preview?.uid])).toEqual(
      uids.map((uid) => ['update_records', uid]),
    )
    expect(new Set(one.pending.calls.map(({ id }) => id)).size).toBe(200)

    await approve(
      one,
      one.pending.calls.slice(3).map(({ id }) => id),
    )
    await bench.settle()

    expect(await titles(uids.slice(0, 5))).toEqual([...uids.slice(0, 3).map((uid) => `New ${uid}`), old, old])
    const [[text, isError] = ['', true], ...more] = results(bench.api.requests.at(-1)?.body)
    expect([isError, more]).toEqual([false, []])
    expect(text).toContain(`Stored: 3 of 200: [${uids[0]}] [${uids[1]}] [${uids[2]}]`)
    expect(text).toContain('Denied by the user, nothing was changed: 197 of 200')
    const { conversation, activity } = await editor.poll(one.id)
    expect(conversation.status).toBe('idle')
    expect(activity.map(({ kind }) => kind)).toEqual(['llm', 'approval', 'tool', 'llm'])
    expect(activity.flatMap(({ error }) => error ?? [])).toEqual([])
    expect(conversation.messageCount).toBe(203)
  })

  test('has every call, with its result, in the run record', async () => {
    const uids = await news(2)
    const one = await proposed(batch(uids))
    await approve(one, [one.pending.calls[0]?.id ?? ''])
    await bench.settle()

    const [step] = (await Run.steps(await bench.row(one.id))).filter(({ detail }) => detail.kind === 'tool')
    expect(step?.detail.calls).toEqual(
      uids.map((uid, at) => ({
        call: one.pending.calls[at]?.id,
        arguments: { table: 'news', changes: [{ uid, fields: { title: `New ${uid}` } }] },
        result: expect.stringMatching(at === 0 ? /Denied by the user/ : /Stored/),
        isError: at === 0,
      })),
    )
  })

  test('in which a record has changed meanwhile is shown again; one that changes while it runs is a conflict of its own', async () => {
    const uids = await news(4)
    const one = await proposed(batch(uids))
    await bench.edit('news', uids[0] as number, { title: 'By another person' })
    await approve(one)
    await bench.settle()

    const { pendingApproval } = await editor.poll(one.id)
    expect(pendingApproval?.digest).not.toBe(one.pending.digest)
    expect(pendingApproval?.calls[0]?.preview?.changes[0]?.before).toBe('By another person')

    await approve({ id: one.id, pending: pendingApproval as PendingApproval })
    let isFirst = true
    await bench.consume({
      cms: {
        ...bench.live.cms,
        ...making(bench.live.cms, async (...given) => {
          if (isFirst) await bench.edit('news', uids[2] as number, { title: 'In the same moment' })
          isFirst = false
          return bench.live.cms.put(...given)
        }),
      },
    })
    expect(await outcomes(one.id)).toEqual(['done', 'done', 'conflict', 'done'])
    const { activity } = await editor.poll(one.id)
    expect(activity.flatMap(({ error }) => error ?? [])).toEqual(['The record has changed meanwhile.'])
    expect(await titles(uids)).toEqual([
      `New ${uids[0]}`,
      `New ${uids[1]}`,
      'In the same moment',
      `New ${uids[3]}`,
    ])
  })

  test('goes on after each death of a consumer, writes each record once, and shows no step twice', async () => {
    const uids = await news(12)
    const one = await proposed(batch(uids))
    await approve(one)
    const deaths = ['before', 'after']
    for (const [at, death] of deaths.entries()) {
      const point = gate()
      const reached = () => void point.reach()
      let left = at + 1
      const dying = making(bench.live.cms, async (...given) => {
        if (left-- > 0) return bench.live.cms.put(...given)
        if (death === 'after') await bench.live.cms.put(...given)
        reached()
        return never()
      })
      void bench.die(dying)
      await point.reached
      await bench.clock.pass(Claim.leaseMs + 1_000)
      expect(await bench.cleanup()).toMatchObject({ resumed: 1 })
    }
    expect(await bench.settle()).toEqual(['done'])

    const ends = await outcomes(one.id)
    expect(ends.toSorted()).toEqual([...Array(11).fill('done'), 'notRun'])
    const after = await titles(uids)
    expect(after.map((title, at) => title === `New ${uids[at]}`)).toEqual(ends.map((end) => end === 'done'))
    const changes = await Promise.all(
      uids.map((uid) => bench.site.cms.history(bench.site.admin, { table: 'news', uid, limit: 50 })),
    )
    expect(changes.map((entries) => entries?.length)).toEqual(ends.map((end) => (end === 'done' ? 1 : 0)))
    const { activity } = await editor.poll(one.id)
    expect(activity.filter(({ kind }) => kind === 'approval')).toHaveLength(1)
    expect(activity.filter(({ tool }) => tool === 'update_records')).toHaveLength(1)
  })

  test('that is stopped in the middle keeps what was done, and the model learns what was not', async () => {
    const uids = await news(5)
    const one = await proposed(batch(uids))
    await approve(one)
    let written = 0
    await bench.consume({
      cms: {
        ...bench.live.cms,
        ...making(bench.live.cms, async (...given) => {
          const outcome = await bench.live.cms.put(...given)
          // The consumer has not looked at its row since, and learns of it before it writes the next record.
          if (++written === 2) await editor.does('cancel', one.id)
          return outcome
        }),
      },
    })
    await bench.settle()
    bench.api.reset()
    bench.api.reply({ text: 'Two of them.' })
    await editor.turn('What was done?', { conversationId: one.id })

    expect((await titles(uids)).filter((title) => String(title).startsWith('New'))).toHaveLength(2)
    const text = JSON.stringify(bench.api.requests.at(-1)?.body.messages)
    expect(text).toContain('Stored: 2 of 5')
    expect(text).toContain('The other 3: ')
    expect(text).toContain('the user stopped the turn')
  })

  test.each<[string, object, string]>([
    ['with a record twice', batch([1, 1]).arguments, 'name each record once'],
    ['of more than 200', batch(Array.from({ length: 201 }, (_, at) => at + 1)).arguments, 'changes'],
    ['of an unknown form', { table: 'news', changes: [{ uid: 1 }, { uid: 2 }] }, 'changes.0.fields'],
    [
      'that is too long to be judged',
      {
        table: 'news',
        changes: Array.from({ length: 6 }, (_, at) => ({
          uid: at + 1,
          fields: { body: `<p>${'word '.repeat(3_500)}</p>` },
        })),
      },
      'too many to be shown',
    ],
  ])('%s is refused as a whole', async (_, args, words) => {
    bench.api.reply({ calls: [{ id: 'batch', name: 'update_records', arguments: args }] }, { text: 'No.' })

    const { conversation } = await editor.turn('Change them all')

    expect(conversation.status).toBe('idle')
    expect(results(bench.api.requests.at(-1)?.body)).toEqual([[expect.stringContaining(words), true]])
  })

  test('can be taken back in part: the changes of one record, then the rest', async () => {
    const uids = await news(3)
    const before = await titles(uids)
    const one = await proposed(batch(uids))
    await approve(one)
    await bench.settle()
    const { runId } = one.pending
    const [first = 0, ...rest] = uids

    const undo = (more: object) => editor.post('undo', { conversationId: one.id, runId, ...more })
    const { body } = await undo({ record: { table: 'news', uid: first } })
    expect(body).toEqual({ undone: [{ table: 'news', uid: first }], conflicts: [] })
    expect(await titles(uids)).toEqual([before[0], ...rest.map((uid) => `New ${uid}`)])

    await undo({})
    expect(await titles(uids)).toEqual(before)
  })
})

describe('words of the user in a batch', () => {
  test('that are too many to be shown with the others are refused, where the user can shorten them', async () => {
    const uids = await news(10)
    const changes = uids.map((uid) => ({ uid, fields: { body: `${uid} ${'word '.repeat(1_850)}` } }))
    const one = await proposed({ name: 'update_records', arguments: { table: 'news', changes } })
    const amend = (value: string) =>
      editor.post<{ pendingApproval: PendingApproval; error?: { code: string } }>('amend', {
        conversationId: one.id,
        digest: one.pending.digest,
        callId: one.pending.calls[0]?.id,
        field: 'body',
        value,
      })

    const long = await amend('mine '.repeat(3_500))
    const { body } = await amend('My own words')

    expect([long.status, long.body.error?.code]).toEqual([422, 'approval.refused'])
    await approve({ id: one.id, pending: body.pendingApproval })
    await bench.settle()
    expect(await bench.field('news', uids[0] as number, 'body')).toBe('My own words')
  })
})

describe('an undo of more than ten records', () => {
  /** A turn that changed so many records, and its undo, which waits for a consumer. */
  async function changed(count = 12) {
    const uids = await news(count)
    const before = await titles(uids)
    const one = await proposed(batch(uids))
    await approve(one)
    await bench.settle()
    return { uids, before, id: one.id, runId: one.pending.runId }
  }
  type Answer = { conversation?: { status: string }; undone?: object[] }
  const undo = (id: string, runId: string) => editor.post<Answer>('undo', { conversationId: id, runId })
  const rows = async (id: string) =>
    (await editor.poll(id, { tail: 100 })).messages.filter(({ notice }) => notice === 'undone')
  const named = (uids: number[]) =>
    uids.toReversed().map((uid) => ({ table: 'news', uid, title: expect.any(String) }))
  const puttingWith = (put: Parameters<typeof making>[1]) => ({
    ...bench.live.cms,
    ...making(bench.live.cms, put),
  })

  test('is answered at once, shows how far it is, and is reported by a row', async () => {
    const { uids, before, id, runId } = await changed()
    const activity = (await editor.poll(id)).activity

    const { status, body } = await undo(id, runId)
    expect([status, body.conversation?.status]).toEqual([202, 'processing'])
    expect(await titles(uids)).toEqual(uids.map((uid) => `New ${uid}`))
    expect((await undo(id, runId)).status).toBe(409)

    const seen: unknown[] = []
    const cms = puttingWith(async (...given) => {
      seen.push((await editor.poll(id)).progress)
      await bench.clock.pass(1_000)
      return bench.live.cms.put(...given)
    })
    expect(await bench.consume({ cms })).toBe('done')

    expect(seen).toEqual(uids.map((_, n) => ({ call: runId, n, total: 12 })))
    expect(await titles(uids)).toEqual(before)
    const after = await editor.poll(id)
    expect([after.conversation.status, after.progress, after.activity]).toEqual(['idle', null, activity])
    expect((await rows(id)).map(({ records, conflicts }) => [records, conflicts])).toEqual([
      [named(uids), undefined],
    ])
    expect(await undo(id, runId)).toMatchObject({ status: 200, body: { undone: [], conflicts: [] } })
  })

  test('goes on after the death of its consumer, takes back each record once, and has one row', async () => {
    const { uids, before, id, runId } = await changed()
    await undo(id, runId)
    const point = gate()
    let left = 5
    void bench.die(
      puttingWith(async (...given) => {
        if (left-- > 0) return bench.live.cms.put(...given)
        await bench.live.cms.put(...given)
        void point.reach()
        return never()
      }),
    )
    await point.reached
    await bench.clock.pass(Claim.leaseMs + 1_000)
    expect(await bench.cleanup()).toMatchObject({ resumed: 1 })
    expect(await bench.settle()).toEqual(['done'])

    expect(await titles(uids)).toEqual(before)
    const changes = await Promise.all(
      uids.map((uid) => bench.site.cms.history(bench.site.admin, { table: 'news', uid, limit: 50 })),
    )
    expect(changes.map((entries) => entries?.length)).toEqual(uids.map(() => 2))
    const told = (await rows(id)).flatMap(({ records = [] }) => records)
    expect(told).toHaveLength(12)
    expect(told).toEqual(expect.arrayContaining(named(uids)))
  })

  test('of an earlier turn leaves one that failed as failed', async () => {
    const { uids, before, id, runId } = await changed()
    bench.api.reply({ fault: 'status', status: 401 })
    await editor.turn('And now?', { conversationId: id })

    await undo(id, runId)

    expect(await bench.settle()).toEqual(['done'])
    expect(await titles(uids)).toEqual(before)
    expect((await editor.poll(id)).conversation).toMatchObject({
      status: 'failed',
      errorCode: 'model.unauthorized',
    })
  })

  test('by a user who may no longer chat takes nothing back: access.lost', async () => {
    const { uids, id, runId } = await changed()
    await undo(id, runId)
    await bench.configure({ allowedGroups: [2] })

    const endings = await bench.settle()

    await bench.configure()
    expect([endings, (await bench.row(id)).errorCode]).toEqual([['failed'], 'access.lost'])
    expect(await titles(uids)).toEqual(uids.map((uid) => `New ${uid}`))
  })

  test('is handed over near the end of an invocation, and ended by the next', async () => {
    const { uids, before, id, runId } = await changed()
    await undo(id, runId)
    const job = (await jobOf(id)) as Queue.Job
    let records = 3
    const remainingMs = () => (records-- > 0 ? 600_000 : 1_000)

    expect(await consume(bench.live, job, { remainingMs })).toBe('handedOver')

    const isBack = async () => (await titles(uids)).map((title, at) => title === before[at])
    expect(await isBack()).toEqual(uids.map((_, at) => at >= 9))
    await bench.settle()
    expect(await isBack()).toEqual(uids.map(() => true))
    expect((await rows(id)).flatMap(({ records = [] }) => records)).toHaveLength(12)
  })

  test('that is stopped keeps what it took back, and leaves a proposal that waits as it is', async () => {
    const { uids, id, runId } = await changed()
    bench.api.reply({ text: 'And:', calls: [batch(uids.slice(0, 1), () => 'Once more')] })
    await editor.send('Once more', { conversationId: id })
    await bench.settle()
    const { pendingApproval } = await editor.poll(id)
    await undo(id, runId)
    let made = 0
    const cms = puttingWith(async (...given) => {
      const outcome = await bench.live.cms.put(...given)
      if (++made === 2) {
        await editor.does('cancel', id)
        await bench.clock.pass(2_000)
      }
      return outcome
    })
    expect(await bench.consume({ cms })).toBe('done')

    const after = await editor.poll(id)
    expect([after.conversation.status, after.pendingApproval?.digest]).toEqual([
      'awaiting_approval',
      pendingApproval?.digest,
    ])
    const told = (await rows(id)).flatMap(({ records = [] }) => records)
    expect(told.length).toBeGreaterThanOrEqual(2)
    expect(told.length).toBeLessThan(12)
    const open = (await titles(uids)).filter((title) => String(title).startsWith('New')).length
    expect(told.length + open).toBe(12)
  })

  test('ends where the CMS does not answer, says so, and goes on when it is asked for again', async () => {
    const { uids, before, id, runId } = await changed(14)
    await undo(id, runId)
    let made = 0
    const cms = puttingWith(async (...given) => {
      if (++made > 2) throw new CmsFailure('cms.unavailable', 'down')
      return bench.live.cms.put(...given)
    })
    expect(await bench.consume({ cms })).toBe('done')

    const [row] = await rows(id)
    const [last, next, third] = uids.toReversed()
    expect(row?.records?.map(({ uid }) => uid)).toEqual([last, next])
    expect(row?.conflicts).toEqual([
      { table: 'news', uid: third, title: `New ${third}`, reason: expect.stringContaining('did not answer') },
    ])
    expect((await undo(id, runId)).status).toBe(202)
    expect(await bench.settle()).toEqual(['done'])
    expect(await titles(uids)).toEqual(before)
    expect((await rows(id)).flatMap(({ records = [] }) => records)).toHaveLength(14)
  })

  test.each(['its consumer', 'cleanup'])(
    'that fails by %s while a proposal waits gives the proposal a result, and is no turn that failed',
    async (by) => {
      const { uids, id, runId } = await changed()
      bench.api.reply({
        text: 'And:',
        calls: [{ ...batch(uids.slice(0, 1), () => 'Once more'), id: 'again' }],
      })
      await editor.send('Once more', { conversationId: id })
      await bench.settle()
      const day = new Date(bench.clock.now()).toISOString().slice(0, 10)
      const days = { from: day, to: day }
      const counted = async () => answerOf(days, await reportRows(days), []).total
      const before = await counted()
      await undo(id, runId)
      if (by === 'cleanup') {
        await bench.clock.pass(stuckMs + 1)
        await bench.cleanup()
      } else {
        const user = () => Promise.reject(new CmsFailure('cms.unavailable', 'down'))
        expect(await bench.consume({ cms: { ...bench.live.cms, user } })).toBe('failed')
      }

      const { conversation, messages, pendingApproval } = await editor.poll(id)
      expect([conversation.status, pendingApproval, messages.at(-1)]).toMatchObject([
        'failed',
        null,
        { role: 'tool', toolCallId: 'again', isError: true, outcome: 'notRun' },
      ])
      expect(await counted()).toEqual(before)
    },
  )

  const again = { retry: () => ({}), undo: (runId: string) => ({ runId }) }
  test.each(['retry', 'undo'] as const)(
    'is taken up by %s where it failed, even if tokens are used up',
    async (act) => {
      const { uids, before, id, runId } = await changed()
      await bench.configure({ dailyTokensPerUser: 1 })
      expect((await undo(id, runId)).status).toBe(202)
      const user = () => Promise.reject(new CmsFailure('cms.unavailable', 'down'))
      expect(await bench.consume({ cms: { ...bench.live.cms, user } })).toBe('failed')

      await editor.does(act, id, again[act](runId))
      await bench.configure()
      expect(await bench.settle()).toEqual(['done'])
      expect(await titles(uids)).toEqual(before)
      expect((await editor.poll(id)).conversation).toMatchObject({ status: 'idle', errorCode: null })
    },
  )
})

test('of several proposed calls those that the user unticks are denied, the others done', async () => {
  const [first = 0, second = 0] = await news(2)
  const call = (uid: number) => ({
    id: `call_${uid}`,
    name: 'update_record',
    arguments: { table: 'news', uid, fields: { title: 'Renamed' } },
  })
  const one = await proposed(call(first), call(second))

  const wrong = { conversationId: one.id, digest: one.pending.digest, approve: true, denied: ['other'] }
  expect((await editor.post('approve', wrong)).status).toBe(400)
  await approve(one, [`call_${first}`])
  await bench.settle()

  expect(await outcomes(one.id)).toEqual(['denied', 'done'])
  expect(await titles([second])).toEqual(['Renamed'])
})

test('ids that a model gives its calls are never those of a batch', async () => {
  const [uid = 0] = await news(1)
  const one = await proposed({
    id: 'call#1',
    name: 'update_record',
    arguments: { table: 'news', uid, fields: { title: 'Renamed' } },
  })

  expect(one.pending.calls.map(({ id }) => id)).toEqual(['call_1'])
  await approve(one)
  await bench.settle()
  expect(await titles([uid])).toEqual(['Renamed'])
})

test('a batch under a very long id is proposed, decided and written, and the model gets its own id back', async () => {
  const uids = await news(200)
  const [first = 0, second = 0] = uids
  const id = `call_${'x'.repeat(7_900)}`
  const one = await proposed({ ...batch(uids), id })

  await approve(one, [one.pending.calls[0]?.id ?? ''])
  await bench.settle()

  expect((await editor.poll(one.id)).conversation.status).toBe('idle')
  expect(await titles([first, second])).toEqual([expect.not.stringContaining('New'), `New ${second}`])
  const sent = JSON.stringify(bench.api.requests.at(-1)?.body.messages)
  expect(sent).toContain(`"type":"tool_use","id":"${id}"`)
  expect(sent).toContain(`"tool_use_id":"${id}"`)
  expect(sent).toContain('Stored: 199 of 200')
})
