import { beforeEach, describe, expect, test } from 'vitest'
import * as Run from '../../../core/agent/run-record.ts'
import * as Table from '../../../core/base/aws/table.ts'
import * as Claim from '../../../core/conversation/claim.ts'
import * as Queue from '../../../core/conversation/queue.ts'
import * as Quota from '../../../core/conversation/quota.ts'
import { consume, jobOf } from '../../../core/turn/consume.ts'
import { work } from '../../../core/turn/worker.ts'
import { bench, benched, editor } from '../../support/benched.ts'
import { storedWith } from '../../support/seeded.ts'

const forever = { remainingMs: () => Number.POSITIVE_INFINITY }

benched({ maxActiveConversations: null })
beforeEach(async () => {
  await bench.configure()
  bench.api.always({ text: 'Answer.' })
})

const active = async () => Quota.decode(await Table.get(Quota.key(2))).active

describe('a job', () => {
  test('delivered to twenty consumers at once is worked on once', async () => {
    const { conversation } = await editor.send('Once')
    const job = await jobOf(conversation.id)
    if (!job) throw new Error('nothing is queued')

    const endings = await Promise.all(Array.from({ length: 20 }, () => consume(bench.live, job, forever)))

    expect(endings.sort()).toEqual(['done', ...Array.from({ length: 19 }, () => 'lost')])
    expect(bench.api.requests).toHaveLength(1)
    expect(await consume(bench.live, job, forever)).toBe('lost')
    expect((await editor.poll(conversation.id)).messages).toHaveLength(2)
    await bench.settle()
  })

  test('of another request is dropped', async () => {
    const { conversation } = await editor.send('Mine')

    expect(await consume(bench.live, { conversationId: conversation.id, requestId: 'other' }, forever)).toBe(
      'lost',
    )
    expect(await jobOf(conversation.id)).toBeDefined()
  })

  test('is known by name while it waits, and not before or after', async () => {
    const { conversation } = await editor.turn('Done')

    expect(await jobOf(conversation.id)).toBeUndefined()
    await expect(jobOf('2-01arz3ndektsv4rrffq69g5fav')).rejects.toMatchObject({
      code: 'conversation.notFound',
    })
  })
})

describe('claims', () => {
  test('of one request: one of many', async () => {
    const conversation = await storedWith(['Question'], { ...Claim.begin(bench.clock.now()) })
    const job = { conversationId: conversation.id, requestId: conversation.requestId }

    const holds = await Promise.all([1, 2, 3, 4, 5].map(() => Claim.claim(job, bench.clock.now())))

    expect(holds.filter((hold) => hold !== undefined)).toHaveLength(1)
    const row = await bench.row(conversation.id)
    expect(row).toMatchObject({ status: 'locked', claim: 1, version: conversation.version + 1 })
    expect(row.requestId).not.toBe(conversation.requestId)
  })

  test('that were taken away write nothing', async () => {
    const conversation = await storedWith(['Question'], { ...Claim.begin(bench.clock.now()) })
    const first = await Claim.claim(
      { conversationId: conversation.id, requestId: conversation.requestId },
      bench.clock.now(),
    )
    if (!first) throw new Error('not claimed')
    await bench.cleanup({ now: bench.clock.now() + Claim.leaseMs })
    const { requestId } = await bench.row(conversation.id)
    const second = await Claim.claim({ conversationId: conversation.id, requestId }, bench.clock.now())

    expect(await Claim.save(first, { title: 'Late' }, [], bench.clock.now())).toBe(false)
    expect(await Claim.heartbeat(first, bench.clock.now())).toBe(false)
    expect([await Claim.look(first), second && (await Claim.look(second))]).toEqual(['lost', 'mine'])
  })
})

describe('a turn that fails', () => {
  test.each([
    ['the model is away', { fault: 'status', status: 401 } as const, 'model.unauthorized'],
    ['the request is refused', { fault: 'status', status: 400 } as const, 'model.rejected'],
    ['the request is too large', { fault: 'status', status: 413 } as const, 'model.tooLarge'],
  ])('because %s says why, keeps what is there, and gives its place back', async (_, fault, errorCode) => {
    bench.api.reply({ text: 'I look.', calls: [{ name: 'get_page_tree', arguments: {} }] })
    bench.api.always(fault)

    const { conversation, messages } = await editor.turn('Look')

    expect(conversation).toMatchObject({ status: 'failed', errorCode })
    expect(conversation.errorMessage).not.toMatch(/127\.0\.0\.1|key-of-the-test|<data/)
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool'])
    expect(await active()).toEqual([])
  })

  test('goes on behind the last stored row when it is tried again, as the same run', async () => {
    bench.api.reply(
      { text: 'I look.', calls: [{ name: 'get_page_tree', arguments: {} }] },
      { fault: 'status', status: 401 },
    )
    const { conversation } = await editor.turn('Look')
    const { id } = conversation
    const { runId } = await bench.row(id)

    expect((await editor.post('retry', { conversationId: id })).status).toBe(202)
    expect((await editor.poll(id)).activity).toEqual([])
    await bench.settle()

    const { messages, conversation: after } = await editor.poll(id)
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant'])
    expect(new Set(messages.flatMap((message) => message.runId ?? []))).toEqual(new Set([runId]))
    expect(after).toMatchObject({ status: 'idle', errorCode: null, errorMessage: null })
  })

  test('because the user may no longer chat: access.lost', async () => {
    const { conversation } = await editor.send('Am I in?')
    await bench.configure({ allowedGroups: [2] })

    await bench.settle()

    expect(await bench.row(conversation.id)).toMatchObject({ status: 'failed', errorCode: 'access.lost' })
    expect(bench.api.requests).toEqual([])
  })

  test('because today’s tokens are used up: the call that uses the last is answered, no other is made', async () => {
    type Status = { usage: { todayTokens: number; dailyTokens: number } }
    const { todayTokens } = (await editor.get<Status>('/status')).body.usage
    await bench.configure({ dailyTokensPerUser: todayTokens + 1 })
    bench.api.reply({ calls: [{ name: 'get_page_tree', arguments: {} }] })

    const { conversation, messages } = await editor.turn('Much to do')

    expect(conversation).toMatchObject({ status: 'failed', errorCode: 'user.budgetSpent' })
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool'])
    expect(bench.api.requests).toHaveLength(1)
    const refused = await editor.post<{ error: { code: string } }>('retry', {
      conversationId: conversation.id,
    })
    expect([refused.status, refused.body.error.code]).toEqual([429, 'user.budgetSpent'])
  })

  test('by an error that nobody foresaw says nothing of it, to an administrator neither', async () => {
    const admin = await bench.login('admin')
    const { conversation } = await admin.send('Look')

    const model = () => Promise.reject(new Error('connect ECONNREFUSED 10.1.2.3'))
    expect(await bench.consume({ model })).toBe('failed')

    const { errorCode, errorMessage } = (await admin.poll(conversation.id)).conversation
    expect([errorCode, errorMessage]).toEqual(['internal.error', expect.not.stringContaining('10.1.2.3')])
  })

  test('with open calls: a new message answers them to the model', async () => {
    const cms = { ...bench.live.cms }
    cms.user = async (uid) => {
      if (bench.api.requests.length > 0) throw new Error('The table of users is away')
      return bench.live.cms.user(uid)
    }
    bench.api.reply({ text: 'I look.', calls: [{ name: 'get_page_tree', arguments: {} }] })
    const { conversation } = await editor.send('Look')
    expect(await bench.consume({ cms })).toBe('failed')
    expect((await editor.poll(conversation.id)).conversation.errorCode).toBe('internal.error')

    const { messages } = await editor.turn('Again', { conversationId: conversation.id })

    expect(messages.at(-1)?.content).toBe('Answer.')
    expect(JSON.stringify(bench.api.requests.at(-1)?.body.messages)).toContain('the turn ended before it')
  })
})

describe('retry', () => {
  test.each([
    ['idle', 'conversation.notFailed'],
    ['awaiting_approval', 'conversation.notFailed'],
    ['processing', 'conversation.busy'],
    ['locked', 'conversation.busy'],
    ['tool_loop', 'conversation.busy'],
  ] as const)('of %s is refused: %s', async (status, code) => {
    const { id } = await storedWith(['Question'], { status })

    const answer = await editor.post('retry', { conversationId: id })

    expect([answer.status, answer.body]).toMatchObject([409, { error: { code } }])
  })

  test('with the same key starts one turn', async () => {
    const { id } = await storedWith(['Question'], { status: 'failed' })
    const retry = () => editor.post('retry', { conversationId: id }, { key: 'retry-1' })

    const answers = await Promise.all([retry(), retry(), retry()])

    expect(answers.map(({ status }) => status)).toEqual([202, 202, 202])
    // A repetition that does not see the job in the queue queues it again; the second job finds nothing to do.
    const endings = await bench.settle()
    expect(endings.filter((ending) => ending !== 'lost')).toEqual(['done'])
    expect(bench.api.requests.length).toBe(1)
  })
})

describe('time', () => {
  test('an invocation that is nearly over hands the turn on, which stays the same run', async () => {
    bench.api.reply(async () => {
      await bench.clock.pass(10_000)
      return { text: 'I look.', calls: [{ name: 'get_page_tree', arguments: {} }] }
    })
    const { conversation } = await editor.send('Look')
    const { id } = conversation
    const [received] = await Queue.receive(1, 0)
    if (!received?.job) throw new Error('nothing is queued')
    const remainingMs = () => (bench.api.requests.length > 0 ? 1_000 : 600_000)

    expect(await consume(bench.live, received.job, { remainingMs })).toBe('handedOver')
    expect(await bench.row(id)).toMatchObject({
      status: 'processing',
      handovers: 1,
      lapses: 0,
      workedMs: 10_000,
    })
    expect(await active()).toEqual([id])
    expect(await bench.settle()).toEqual(['done'])

    const { messages, activity } = await editor.poll(id)
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant'])
    expect(new Set(messages.flatMap(({ runId }) => runId ?? [])).size).toBe(1)
    expect(activity.map(({ kind }) => kind)).toEqual(['llm', 'tool', 'llm'])
    const steps = await Run.steps(await bench.row(id))
    expect(steps.map(({ detail }) => detail.kind)).toEqual(['llm', 'tool', 'llm'])
  })

  test('the sixth hand-over is none: turn.tooLong', async () => {
    const conversation = await storedWith(['Question'], { ...Claim.begin(bench.clock.now()), handovers: 5 })

    const ending = await consume(
      bench.live,
      { conversationId: conversation.id, requestId: conversation.requestId },
      { remainingMs: () => 1_000 },
    )

    expect([ending, (await bench.row(conversation.id)).errorCode]).toEqual(['failed', 'turn.tooLong'])
  })

  test('half an hour of work over all consumers is the most: turn.tooLong', async () => {
    const conversation = await storedWith(['Question'], {
      ...Claim.begin(bench.clock.now()),
      workedMs: Claim.workMs + 1,
    })

    const ending = await consume(
      bench.live,
      { conversationId: conversation.id, requestId: conversation.requestId },
      forever,
    )

    expect([ending, (await bench.row(conversation.id)).errorCode]).toEqual(['failed', 'turn.tooLong'])
    expect(bench.api.requests).toEqual([])
  })

  test('a new turn counts work, lapses and hand-overs anew', async () => {
    const spent = { workedMs: Claim.workMs, lapses: Claim.maxLapses, handovers: Claim.maxHandovers }
    const { id } = await storedWith(['Question', 'Answer'], spent)

    await editor.send('Another', { conversationId: id })

    expect(await bench.row(id)).toMatchObject({ workedMs: 0, lapses: 0, handovers: 0 })
    expect(await bench.settle()).toEqual(['done'])
  })

  test('a consumer gives a sign of life every 20 seconds while the model thinks', async () => {
    bench.api.reply({ fault: 'hang', where: 'stream' })
    const { conversation } = await editor.send('Think')
    const working = bench.consume()
    await bench.api.received(1)
    const before = (await bench.row(conversation.id)).progressAt

    await bench.clock.pass(22_500)
    await expect.poll(async () => (await bench.row(conversation.id)).progressAt).not.toBe(before)

    await editor.does('cancel', conversation.id)
    await bench.clock.pass(2_000)
    expect(await working).toBe('done')
  })
})

describe('a worker', () => {
  test('works on many turns at once, and ends after the number that was asked for', async () => {
    const sent = await Promise.all(['a', 'b', 'c', 'd'].map((content) => editor.send(content)))

    const taken = await work(bench.live, {
      concurrency: 2,
      maxTurns: 4,
      pollIntervalMs: 1_000,
      stopping: new AbortController().signal,
    })

    expect(taken).toBe(4)
    for (const { conversation } of sent) expect((await bench.row(conversation.id)).status).toBe('idle')
  })

  test('that is stopped hands its turns over, and takes no more', async () => {
    bench.api.reply({ fault: 'hang', where: 'stream' })
    const { conversation } = await editor.send('Long')
    const stopping = new AbortController()
    const working = work(bench.live, {
      concurrency: 1,
      maxTurns: undefined,
      pollIntervalMs: 1_000,
      stopping: stopping.signal,
    })
    await bench.api.received(1)

    stopping.abort()

    expect(await working).toBe(1)
    expect(await bench.row(conversation.id)).toMatchObject({ status: 'processing', handovers: 1 })
    expect(await bench.settle()).toEqual(['done'])
  })
})
