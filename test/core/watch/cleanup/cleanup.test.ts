import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import * as Run from '../../../../core/agent/run-record.ts'
import * as Table from '../../../../core/base/aws/table.ts'
import { config } from '../../../../core/base/config.ts'
import { loadLanguage } from '../../../../core/base/language.ts'
import * as Conversations from '../../../../core/chat/conversation.ts'
import { type Cms, CmsFailure } from '../../../../core/cms/cms.ts'
import * as Claim from '../../../../core/conversation/claim.ts'
import * as Item from '../../../../core/conversation/item.ts'
import * as Queue from '../../../../core/conversation/queue.ts'
import * as Quota from '../../../../core/conversation/quota.ts'
import * as Transcript from '../../../../core/conversation/transcript/transcript.ts'
import * as Cleanup from '../../../../core/watch/cleanup/cleanup.ts'
import { takeOver } from '../../../../core/watch/cleanup/stuck-turns.ts'
import { actor } from '../../../support/actor.ts'
import { type Bench, startBench, startedAt } from '../../../support/live.ts'
import { emptyQueue, scan } from '../../../support/scan.ts'

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs
const at = (ms: number) => startedAt + ms
const iso = (ms: number) => new Date(at(ms)).toISOString()
const none = { requeued: 0, resumed: 0, failed: 0, expired: 0, archived: 0, removed: 0 }

let bench: Bench

beforeAll(async () => {
  bench = await startBench()
})
beforeEach(async () => {
  const rows = await scan()
  await Table.removeAll(rows.filter(({ pk }) => !pk.startsWith('settings')))
  await emptyQueue()
})
afterAll(() => bench.stop())

/** A stored conversation of the editor, last changed at the start, and differing as said. */
async function stored(over: Partial<Item.Conversation> = {}, uid = 2): Promise<Item.Conversation> {
  const owner = actor({ uid })
  const conversation = { ...Item.empty(Conversations.newId(owner, startedAt), startedAt), ...over }
  await Table.put(Item.encode(conversation))
  return conversation
}

const processing = (over: Partial<Item.Conversation> = {}, uid = 2) =>
  stored({ ...Claim.begin(startedAt), messageCount: 1, runId: 'r', ...over }, uid)

/** A conversation that a consumer claimed at the start. */
async function locked(over: Partial<Item.Conversation> = {}): Promise<Claim.Hold> {
  const { id, requestId } = await processing(over)
  const hold = await Claim.claim({ conversationId: id, requestId }, startedAt)
  if (!hold) throw new Error('It could not be claimed')
  return hold
}

const clean = (ms: number, options: Partial<Cleanup.CleanupOptions> = {}) =>
  bench.cleanup({ now: at(ms), ...options })

describe('lost queue messages', () => {
  test.each([
    [minuteMs - 1, 0],
    [minuteMs, 1],
    [5 * minuteMs, 1],
  ])('after %i ms of waiting: %i sent again', async (ms, requeued) => {
    const conversation = await processing()

    expect(await clean(ms)).toEqual({ ...none, requeued })

    const jobs = (await Queue.receive(10, 0)).map(({ job }) => job)
    expect(jobs).toEqual(
      requeued ? [{ conversationId: conversation.id, requestId: conversation.requestId }] : [],
    )
  })
})

describe('leases', () => {
  test.each([
    [90_000 - 1, 0],
    [90_000, 1],
    [5 * minuteMs, 1],
  ])('after %i ms without a sign of life: %i given to another consumer', async (ms, resumed) => {
    const { conversation } = await locked()

    expect(await clean(ms)).toEqual({ ...none, resumed })

    const row = await bench.row(conversation.id)
    expect([row.status, row.lapses, row.requestId !== conversation.requestId]).toEqual(
      resumed ? ['processing', 1, true] : ['locked', 0, false],
    )
    expect(await Queue.receive(10, 0)).toHaveLength(resumed)
  })

  test('the third that runs out is not given on: the turn fails when it is stuck', async () => {
    const { conversation } = await locked({ lapses: 2 })

    expect(await clean(5 * minuteMs)).toEqual(none)
    expect(await clean(5 * minuteMs + 1)).toEqual({ ...none, failed: 1 })
    expect(await bench.row(conversation.id)).toMatchObject({ status: 'failed', errorCode: 'turn.stuck' })
  })

  test('a consumer that stores steps is alive, although the index still says when it began', async () => {
    const hold = await locked()
    await Claim.save(hold, {}, [], at(85_000))

    expect(await clean(100_000)).toEqual(none)
    expect(await Claim.look(hold)).toBe('mine')
  })

  test('a cancel is not forgotten with the lease', async () => {
    const { conversation } = await locked()
    const editor = await bench.login('editor')
    await editor.does('cancel', conversation.id)

    await clean(90_000)

    expect(await bench.row(conversation.id)).toMatchObject({ status: 'processing', cancelRequested: true })
  })

  test('work of the consumer that died counts up to its last sign of life', async () => {
    const hold = await locked({ workedMs: 1_000 })
    await Claim.heartbeat(hold, at(20_000))

    await clean(200_000)

    expect(await bench.row(hold.conversation.id)).toMatchObject({ workedMs: 21_000 })
  })
})

describe('stuck turns', () => {
  test.each([
    ['processing', 'turn.notStarted', () => processing()],
    ['locked', 'turn.stuck', async () => (await locked({ lapses: 2 })).conversation],
    ['tool_loop', 'turn.stuck', () => stored({ status: 'tool_loop', progressAt: iso(0) })],
    [
      'tool_loop of an old release, without a sign of life',
      'turn.stuck',
      () => stored({ status: 'tool_loop' }),
    ],
  ])('%s for more than five minutes fails as %s', async (_, errorCode, make) => {
    const { id } = await make()

    expect((await clean(5 * minuteMs)).failed).toBe(0)
    expect(await clean(5 * minuteMs + 1)).toEqual({ ...none, failed: 1 })

    expect(await bench.row(id)).toMatchObject({
      status: 'failed',
      errorCode,
      errorMessage: expect.stringContaining('5 minutes'),
      updatedAt: iso(5 * minuteMs + 1),
    })
    expect(await clean(6 * minuteMs)).toEqual(none)
  })

  test('the sentence is in the language of the owner', async () => {
    await loadLanguage('de')
    const { id } = await processing({}, 3)

    await clean(6 * minuteMs)

    expect((await bench.row(id)).errorMessage).toContain('5 Minuten')
  })

  test('give their place among the active back, and forget a write whose intent is not there', async () => {
    const { conversation } = await locked({ lapses: 2, writing: 'r/c/h' })
    await Table.transact([Quota.take(2, conversation.id, { active: 3, conversations: null }, false)])

    await clean(6 * minuteMs)

    expect(Quota.decode(await Table.get(Quota.key(2))).active).toEqual([])
    expect((await bench.row(conversation.id)).writing).toBeUndefined()
  })

  test('the consumer that comes back finds its claim gone and writes nothing', async () => {
    const hold = await locked({ lapses: 2 })
    await clean(6 * minuteMs)
    const before = await scan()

    expect(await Claim.save(hold, { title: 'Late' }, [], at(7 * minuteMs))).toBe(false)
    expect(await Claim.heartbeat(hold, at(7 * minuteMs))).toBe(false)
    expect(await scan()).toEqual(before)
  })
})

describe('a CMS that does not answer', () => {
  const down = () => Promise.reject(new CmsFailure('cms.unavailable', 'It is down'))
  const cleanWithout = (cms: Partial<Cms>, ms: number) =>
    Cleanup.run({ ...bench.live, cms: { ...bench.live.cms, ...cms } }, { now: at(ms) })
  const writing = 'run/call/hash'
  const kept = { state: 'done', table: 'news', uid: 2, version: '1', before: {}, after: {} } as const

  /** A turn that died in a write, of which the stage may know the outcome. */
  async function died(isKnown: boolean): Promise<string> {
    const { conversation } = await locked({ lapses: 2, writing })
    const { owner, id } = conversation
    const run = await Run.start(owner, id, 'run', startedAt, null)
    await Table.transact([
      Run.intention(run, { id: 'call', tool: 'update_record', order: 0 }, writing, startedAt),
    ])
    if (isKnown) await Run.conclude(run, writing, kept)
    return id
  }

  test('does not keep a turn from failing: the sentence is English', async () => {
    const { id } = await processing({}, 3)

    expect(await cleanWithout({ user: down }, 6 * minuteMs)).toEqual({ ...none, failed: 1 })

    expect(await bench.row(id)).toMatchObject({
      status: 'failed',
      errorMessage: expect.stringContaining('5 minutes'),
    })
  })

  test.each([
    ['about the owner', { user: down }, false],
    ['about the write', { settle: down }, false],
    ['about the record that was written', { record: down }, true],
  ])('%s does not keep a turn from failing; its write stays in doubt', async (_, cms, isKnown) => {
    const id = await died(isKnown)

    expect(await cleanWithout(cms, 6 * minuteMs)).toEqual({ ...none, failed: 1 })

    expect(await bench.row(id)).toMatchObject({ status: 'failed', errorCode: 'turn.stuck', writing })
  })

  test('is asked once in a run, however many turns fail', async () => {
    let asked = 0
    const user = () => {
      asked++
      return down()
    }
    await Promise.all([processing(), processing(), died(false)])

    expect(await cleanWithout({ user }, 6 * minuteMs)).toEqual({ ...none, failed: 3 })

    expect(asked).toBe(1)
  })

  test('is asked once in a run, however many messages wait; they stay for the next run', async () => {
    const next = [['m1', 0]] as [string, number][]
    const waiting = await Promise.all([2, 2, 3].map((uid) => stored({ next }, uid)))
    let asked = 0
    const user = () => {
      asked++
      return down()
    }

    expect(await cleanWithout({ user }, minuteMs)).toEqual(none)

    expect(asked).toBe(1)
    for (const { id } of waiting) expect(await bench.row(id)).toMatchObject({ next, nextHeld: false })
  })

  test('about one user is asked about the others', async () => {
    const asked: number[] = []
    const user = (uid: number) => {
      asked.push(uid)
      return Promise.reject(new CmsFailure('cms.misconfigured', 'It answers for another user'))
    }
    await Promise.all([processing({}, 2), processing({}, 3)])

    expect(await cleanWithout({ user }, 6 * minuteMs)).toEqual({ ...none, failed: 2 })

    expect(asked.toSorted()).toEqual([2, 3])
  })

  test('does not keep a proposal from its end', async () => {
    const { id } = await stored({ status: 'awaiting_approval', awaitingUntil: iso(7 * dayMs) })

    expect(await cleanWithout({ user: down }, 7 * dayMs)).toEqual({ ...none, expired: 1 })

    expect((await bench.row(id)).status).toBe('idle')
  })
})

describe('old proposals', () => {
  const awaiting = () => stored({ status: 'awaiting_approval', awaitingUntil: iso(7 * dayMs) })

  test.each([
    [7 * dayMs - 1, 0],
    [7 * dayMs, 1],
  ])('after %i ms: %i expired', async (ms, expired) => {
    const { id } = await awaiting()

    expect(await clean(ms)).toEqual({ ...none, expired })

    expect((await bench.row(id)).status).toBe(expired ? 'idle' : 'awaiting_approval')
  })
})

describe('inactive conversations', () => {
  test.each([
    ['idle', {}, 30 * dayMs - 1, 0],
    ['idle', {}, 30 * dayMs, 1],
    ['pinned', { pinned: true }, 400 * dayMs, 0],
    ['failed', { status: 'failed' as const }, 400 * dayMs, 0],
    [
      'awaiting a decision',
      { status: 'awaiting_approval' as const, awaitingUntil: iso(1000 * dayMs) },
      400 * dayMs,
      0,
    ],
  ])('%s %j after %i ms: %i archived', async (_, over, ms, archived) => {
    const conversation = await stored(over)

    expect(await clean(ms)).toEqual({ ...none, archived })

    expect(await bench.row(conversation.id)).toMatchObject({
      archived: archived === 1,
      updatedAt: conversation.updatedAt,
    })
  })

  test.each([
    ['unarchived', { archived: true, archivedAt: iso(-9 * dayMs) }, 'archive', { archived: false }],
    ['unpinned', { pinned: true }, 'pin', { pinned: false }],
  ])('an old one that its user has %s stays for another 30 days', async (_, over, verb, body) => {
    const { id, updatedAt } = await stored({ updatedAt: iso(-40 * dayMs), ...over })
    const editor = await bench.login('editor')

    expect(await editor.does(verb, id, body)).toMatchObject({ archived: false, pinned: false, updatedAt })

    expect(await clean(30 * dayMs - 1)).toEqual(none)
    expect(await clean(30 * dayMs)).toEqual({ ...none, archived: 1 })
  })

  test('0 days is at once, and null is never', async () => {
    await bench.configure({ autoArchiveDays: null })
    const { id } = await stored()

    expect(await clean(1_000 * dayMs)).toEqual(none)
    expect(await clean(0, { autoArchiveDays: 0 })).toEqual({ ...none, archived: 1 })
    expect(await bench.row(id)).toMatchObject({ archived: true, archivedAt: iso(0) })
    await bench.configure()
  })
})

test('more days than a calendar has are never, and the other steps go on', async () => {
  await stored()
  await stored({ deletedAt: iso(0) })
  const days = Number.MAX_SAFE_INTEGER

  expect(await clean(dayMs, { autoArchiveDays: days, deleteAfterDays: days })).toEqual({
    ...none,
    removed: 1,
  })
})

describe('removal', () => {
  test.each([
    ['deleted', { deletedAt: iso(0) }, dayMs - 1, 0],
    ['deleted', { deletedAt: iso(0) }, dayMs, 1],
    ['archived', { archived: true, archivedAt: iso(0) }, 90 * dayMs - 1, 0],
    ['archived', { archived: true, archivedAt: iso(0) }, 90 * dayMs, 1],
    ['archived and pinned', { archived: true, archivedAt: iso(0), pinned: true }, 900 * dayMs, 0],
  ])('%s %j after %i ms: %i removed', async (_, over, ms, removed) => {
    const { id } = await stored(over)

    expect(await clean(ms)).toEqual({ ...none, removed })

    expect((await scan()).filter(({ pk }) => pk.includes(id))).toHaveLength(1 - removed)
  })

  test('of an archived one that its user has unpinned waits for another 90 days', async () => {
    const { id } = await stored({ archived: true, archivedAt: iso(-100 * dayMs), pinned: true })
    const editor = await bench.login('editor')
    await editor.does('pin', id, { pinned: false })

    expect(await clean(90 * dayMs - 1)).toEqual(none)
    expect(await clean(90 * dayMs)).toEqual({ ...none, removed: 1 })
  })

  test('takes a conversation whose versions name more files than one transaction writes', async () => {
    const left = Array.from({ length: 30 }, (_, version) => ({
      path: [[version, 0]] as [number, number][],
      messageCount: 4,
      files: [0, 1, 2, 3].map((row): [number, number] => [row, 1_000 + 4 * version + row]),
    }))
    const { id } = await stored({ left, deletedAt: iso(0) })

    expect(await clean(dayMs)).toEqual({ ...none, removed: 1 })

    expect((await scan()).filter(({ pk }) => pk.includes(id))).toEqual([])
  })

  test('takes rows, runs, and the files that no other conversation names', async () => {
    const editor = await bench.login('editor')
    const upload = async (name: string) => {
      const form = new FormData()
      form.set('file', new Blob([`Text of ${name}`], { type: 'text/plain' }), name)
      return (await editor.ask<{ fileUid: number }>('/ai-chat/file-upload', { form })).body.fileUid
    }
    const [own, shared, waits] = [
      await upload('own.txt'),
      await upload('shared.txt'),
      await upload('waits.txt'),
    ]
    bench.api.always({ text: 'Read.' })
    const { conversation } = await editor.turn('One', { fileUid: own })
    const { id } = conversation
    await editor.turn('Two', { fileUid: shared, conversationId: id })
    const other = await editor.turn('Three', { fileUid: shared })
    const { runId } = await bench.row(id)
    await editor.send('Four', { conversationId: id })
    await editor.post('next', { conversationId: id, act: 'add', content: 'Five', fileUid: waits })
    await editor.does('cancel', id)
    await editor.does('delete', id, { deleted: true })

    const now = bench.clock.now() + 2 * dayMs
    expect(await bench.cleanup({ now })).toEqual({ ...none, removed: 1 })

    const left = (await scan()).filter(({ pk }) => pk === `conversation#${id}` || pk === `run#2#${runId}`)
    expect(left).toEqual([])
    expect(await Run.find(2, runId, bench.clock.now())).toBeUndefined()
    for (const fileUid of [own, waits]) expect((await editor.get('/file-info', { fileUid })).status).toBe(404)
    expect((await editor.get('/file-info', { fileUid: shared })).status).toBe(200)
    expect(Quota.decode(await Table.get(Quota.key(2))).conversations).toBe(1)
    expect((await editor.poll(other.conversation.id)).messages).toHaveLength(2)
  })

  test('what was interrupted is taken up by the next cleanup', async () => {
    const conversation = await stored({ deletedAt: iso(0), messageCount: 1 })
    const row = { role: 'user' as const, content: 'Left', createdAt: iso(0) }
    await Table.transact(Transcript.append({ ...conversation, messageCount: 0 }, [row]))

    // As if the children were gone already, and the process with them.
    await Table.remove({ pk: `conversation#${conversation.id}`, sk: 'message#00000000' })
    expect(await clean(dayMs)).toEqual({ ...none, removed: 1 })
  })

  test('0 days is at once; what is inactive is archived and removed in one run, in this order', async () => {
    await stored()

    expect(await clean(0, { autoArchiveDays: 0, deleteAfterDays: 0 })).toEqual({
      ...none,
      archived: 1,
      removed: 1,
    })
  })
})

/** One conversation for each step at a time when all of them have something to do. */
async function oneForEach(): Promise<void> {
  await stored({ ...Claim.begin(at(100 * dayMs - 2 * minuteMs)) })
  await locked({ ...Claim.begin(at(0)) }).then((hold) =>
    Claim.heartbeat(hold, at(100 * dayMs - 2 * minuteMs)),
  )
  await processing()
  await stored({ status: 'awaiting_approval', awaitingUntil: iso(7 * dayMs) })
  await stored()
  await stored({ deletedAt: iso(0) })
}

test('a dry run tells what a run would do and writes nothing', async () => {
  await oneForEach()
  const before = await scan()

  const dry = await clean(100 * dayMs, { isDryRun: true })

  expect(dry).toEqual({
    requeued: 1,
    resumed: 1,
    failed: 1,
    expired: 1,
    archived: 1,
    removed: 1,
  })
  expect(await scan()).toEqual(before)
  expect(await Queue.receive(10, 0)).toEqual([])
  expect(await clean(100 * dayMs)).toEqual(dry)
})

test('two cleanups at once do everything once', async () => {
  await oneForEach()

  const reports = await Promise.all([clean(100 * dayMs), clean(100 * dayMs)])

  const sum = (step: keyof Cleanup.Report) => reports[0][step] + reports[1][step]
  expect([sum('resumed'), sum('failed'), sum('expired'), sum('archived'), sum('removed')]).toEqual([
    1, 1, 1, 1, 1,
  ])
  expect(await clean(100 * dayMs)).toEqual({ ...none, requeued: expect.any(Number) })
})

test.each([
  [0, 0, { archived: 1, removed: 2 }],
  [1, 0, { archived: 0, removed: 1 }],
  [0, 1, { archived: 1, removed: 0 }],
  [0, null, { archived: 1, removed: 0 }],
])(
  'a dry run and a run after it say the same with %s days to the archive and %s to the removal',
  async (autoArchiveDays, deleteAfterDays, counts) => {
    await stored()
    await stored({ archived: true, archivedAt: iso(0) })
    const days = { autoArchiveDays, ...(deleteAfterDays === null ? {} : { deleteAfterDays }) }

    const dry = await clean(0, { ...days, isDryRun: true })

    expect(dry).toEqual({ ...none, ...counts })
    expect(await clean(0, days)).toEqual(dry)
  },
)

test('a step takes a hundred in a run, the oldest first, and the next run takes the rest', async () => {
  const all = await Promise.all(Array.from({ length: 105 }, (_, n) => stored({ updatedAt: iso(n) })))

  expect(await clean(40 * dayMs, { isDryRun: true })).toEqual({ ...none, archived: 100 })
  expect(await clean(40 * dayMs)).toEqual({ ...none, archived: 100 })

  const rows = await Promise.all(all.map(({ id }) => bench.row(id)))
  expect(rows.map(({ archived }) => archived)).toEqual(all.map((_, n) => n < 100))
  expect(await clean(40 * dayMs)).toEqual({ ...none, archived: 5 })
})

test('more than a hundred turns in one shard that are at work do not hide one that is stuck', async () => {
  const { id } = await stored({ status: 'tool_loop', progressAt: iso(0) })
  const row = (await Table.get(Item.key(id))) as Table.Row & Table.Key
  // Alive by their rows; the index still has their begin, before that of the stuck one.
  await Promise.all(
    Array.from({ length: 120 }, async () => {
      const alive = await stored({ status: 'locked', requestId: 'a', progressAt: iso(5 * minuteMs) })
      const stale = { busy_pk: row.busy_pk, busy_sk: `${iso(-minuteMs)}#${alive.id}` }
      await Table.put({ ...Item.encode(alive), ...stale })
    }),
  )

  expect(await clean(5 * minuteMs + 1)).toEqual({ ...none, failed: 1 })
  expect((await bench.row(id)).status).toBe('failed')
})

test.each([
  ['tool_loop', 'progress_at'],
  ['tool_loop', 'version'],
  ['locked', 'progress_at'],
  ['processing', 'progress_at'],
  ['locked', 'version'],
] as const)(
  'a turn that is %s in a row without the attribute %s is failed when it is stuck',
  async (status, name) => {
    const { id } = await stored({ status, requestId: 'a', progressAt: iso(0), lapses: 2 })
    const { [name]: _, ...row } = (await Table.get(Item.key(id))) as Table.Row & Table.Key
    await Table.put(row as Table.Row & Table.Key)

    expect(await clean(5 * minuteMs + 1)).toEqual({ ...none, failed: 1 })

    expect(await bench.row(id)).toMatchObject({ status: 'failed', unread: {} })
    expect(await clean(6 * minuteMs)).toEqual(none)
  },
)

test('runs of turns that an edit dropped, and of turns that failed, are removed with the conversation', async () => {
  await bench.configure({ retainRunDays: null })
  const editor = await bench.login('editor')
  bench.api.always({ text: 'Answer.' })
  const { conversation } = await editor.turn('One')
  const { id } = conversation
  await editor.turn('Two', { conversationId: id })
  const edit = { conversationId: id, sequence: 0, content: 'Three', expectedContent: 'One' }
  expect((await editor.post('edit', edit)).status).toBe(202)
  await bench.settle()
  bench.api.always({ fault: 'status', status: 401 })
  await editor.turn('Four', { conversationId: id })
  bench.api.always({ text: 'Answer.' })
  await editor.turn('Five', { conversationId: id })
  const runs = async () => (await scan()).filter(({ pk, sk }) => pk.startsWith('run#2#') && sk === 'run')
  expect(await runs()).toHaveLength(5)

  await editor.does('delete', id, { deleted: true })
  expect(await bench.cleanup({ now: bench.clock.now() + 2 * dayMs })).toEqual({ ...none, removed: 1 })

  expect((await scan()).filter(({ pk }) => pk.startsWith('run#') || pk === `conversation#${id}`)).toEqual([])
  await bench.configure()
})

test('an entry of the index that no longer holds is skipped', async () => {
  const { id, updatedAt } = await stored()
  const stale = { state_pk: Item.statePartition('deleted', '0'), state_sk: `${updatedAt}#${id}` }
  await Table.put({ ...(await scan()).find(({ pk }) => pk.endsWith(id)), ...stale } as Table.Row & Table.Key)

  expect(await clean(20 * dayMs)).toEqual(none)
})

test('a stage that starts again takes over what its earlier consumers had', async () => {
  const { conversation } = await locked()
  const waiting = await processing()
  const old = await stored({ status: 'tool_loop', progressAt: iso(0) })

  expect(await takeOver(at(10 * dayMs))).toBe(2)

  expect(await bench.row(conversation.id)).toMatchObject({
    status: 'processing',
    lapses: 1,
    progressAt: iso(10 * dayMs),
  })
  expect(await bench.row(waiting.id)).toMatchObject({
    status: 'processing',
    lapses: 0,
    progressAt: iso(10 * dayMs),
  })
  expect((await bench.row(old.id)).status).toBe('tool_loop')
  expect(await Queue.receive(10, 0)).toHaveLength(2)
  expect(config().isLocal).toBe(true)
})
