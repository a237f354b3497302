import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { GetQueueAttributesCommand, SendMessageCommand, SetQueueAttributesCommand } from '@aws-sdk/client-sqs'
import { beforeEach, describe, expect, test } from 'vitest'
import { config } from '../../../core/base/config.ts'
import * as Queue from '../../../core/conversation/queue.ts'
import type { Live } from '../../../core/live.ts'
import { consume } from '../../../core/turn/consume.ts'
import { type WorkerOptions, work } from '../../../core/turn/worker.ts'
import { slowDown, under } from '../../faults/inject.ts'
import { bench, benched, editor } from '../../support/benched.ts'

benched({ maxActiveConversations: null, maxConversationsPerUser: null })
beforeEach(() => {
  bench.api.always({ text: 'An answer.' })
})

const options = (over: Partial<WorkerOptions> = {}): WorkerOptions => ({
  concurrency: 2,
  maxTurns: undefined,
  pollIntervalMs: 1_000,
  stopping: new AbortController().signal,
  ...over,
})

test('works on as many turns at a time as its limit, and never on more', async () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f']
  for (const name of names) await editor.send(name)
  const running = { now: 0, most: 0 }
  const three = Promise.withResolvers<void>()
  bench.api.always(async () => {
    running.now += 1
    running.most = Math.max(running.most, running.now)
    if (running.now === 3) three.resolve()
    await three.promise
    // Time for a fourth to begin where it may not.
    await new Promise((done) => setTimeout(done, 300))
    running.now -= 1
    return { text: 'An answer.' }
  })

  await work(bench.live, options({ concurrency: 3, maxTurns: names.length }))

  expect(running.most).toBe(3)
})

test('a message that is no job goes to the dead-letter queue, and blocks no other', async () => {
  const { queueUrl, dlqUrl } = config()
  const dead = await Queue.client().send(
    new GetQueueAttributesCommand({ QueueUrl: dlqUrl, AttributeNames: ['QueueArn'] }),
  )
  const RedrivePolicy = JSON.stringify({
    deadLetterTargetArn: dead.Attributes?.QueueArn,
    maxReceiveCount: 3,
  })
  await Queue.client().send(
    new SetQueueAttributesCommand({ QueueUrl: queueUrl, Attributes: { RedrivePolicy } }),
  )
  const poison = new SendMessageCommand({
    QueueUrl: queueUrl,
    MessageBody: '{"conversationId":"drop table"}',
  })
  await Queue.client().send(poison)
  const sent = await Promise.all(['a', 'b', 'c'].map((name) => editor.send(name)))

  const stopping = new AbortController()
  const working = work(bench.live, options({ stopping: stopping.signal }))

  await expect.poll(() => Queue.depth()).toEqual({ waiting: 0, inFlight: 0, dead: 1 })
  stopping.abort()

  expect(await working).toBe(3)
  for (const { conversation } of sent) expect((await bench.row(conversation.id)).status).toBe('idle')
})

test('outlives a queue that does not answer', async () => {
  const { conversation } = await editor.send('Are you there?')
  const clock: Live['clock'] = { ...bench.clock, sleep: async () => undefined }
  let refused = 0

  const taken = await under(
    ({ command }) =>
      command === 'ReceiveMessage' && refused++ < 6 ? { when: 'before', error: slowDown() } : undefined,
    () => work({ ...bench.live, clock: patient(clock) }, options({ maxTurns: 1 })),
  )

  expect([taken, (await bench.row(conversation.id)).status]).toEqual([1, 'idle'])
})

test('counts turns, not messages: one whose turn is done already is none', async () => {
  await editor.send('Done by another consumer')
  const [first] = await Queue.receive(1, 0)
  if (!first?.job) throw new Error('No turn is queued')
  await consume(bench.live, first.job, { remainingMs: () => Number.POSITIVE_INFINITY })
  await Queue.hide(first.receipt, 0)
  const { conversation } = await editor.send('Still to do')

  expect(await work(bench.live, options({ concurrency: 1, maxTurns: 1 }))).toBe(1)

  expect((await bench.row(conversation.id)).status).toBe('idle')
  expect(await Queue.depth()).toMatchObject({ waiting: 0, inFlight: 0 })
})

test('takes no more turns than its limit, however many it may work on at once', async () => {
  await Promise.all(['a', 'b', 'c'].map((name) => editor.send(name)))

  expect(await work(bench.live, options({ concurrency: 8, maxTurns: 2 }))).toBe(2)

  expect(await Queue.depth()).toMatchObject({ waiting: 1, inFlight: 0 })
  expect(await bench.settle()).toEqual(['done'])
})

describe('a worker that waits for a message', () => {
  /** Starts a worker, and calls `act` while the worker's request for messages is on its way. */
  async function whileWaiting(act: (stopping: AbortController) => Promise<void>): Promise<number> {
    const stopping = new AbortController()
    const asked = Promise.withResolvers<void>()
    return under(
      ({ command }) => {
        if (command === 'ReceiveMessage') asked.resolve()
        return undefined
      },
      async () => {
        const working = work(bench.live, options({ stopping: stopping.signal }))
        await asked.promise
        // The queue has answered a later request: it has the earlier one.
        await Queue.depth()
        await act(stopping)
        return working
      },
    )
  }

  test('and is stopped leaves the next message to others', async () => {
    const taken = await whileWaiting(async (stopping) => {
      stopping.abort()
      await editor.send('Is anybody there?')
    })

    expect(taken).toBe(0)
    expect(await Queue.depth()).toMatchObject({ waiting: 1, inFlight: 0 })
    expect(await bench.settle()).toEqual(['done'])
  })

  test('hides what it takes for two minutes, so that its sudden death does not lose the message', async () => {
    const hidden: unknown[] = []
    const stopping = new AbortController()
    await editor.send('Hello')

    await under(
      ({ command, input }) => {
        if (command === 'ReceiveMessage') hidden.push(input.VisibilityTimeout)
        return undefined
      },
      () => work(bench.live, options({ maxTurns: 1, stopping: stopping.signal })),
    )

    expect(hidden).toEqual([120])
  })
})

/** Long waits never end by themselves, so that nothing spins. */
function patient(clock: Live['clock']): Live['clock'] {
  return {
    ...clock,
    sleep: (ms, signal) =>
      ms === 5_000
        ? clock.sleep(ms, signal)
        : new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason))),
  }
}

/** How many turns the memory is watched over; the recorded measurement took 2,000. */
const turns = Number(process.env.WORKER_TURNS ?? 200)

test(`keeps its memory over ${turns} turns`, { timeout: turns * 1_000 }, async () => {
  setFlagsFromString('--expose_gc')
  const collect = runInNewContext('gc') as () => void
  await editor.send('Again and again')
  const heap = async () => {
    await new Promise((done) => setImmediate(done))
    collect()
    return process.memoryUsage().heapUsed / 1_048_576
  }
  const take = async (count: number) => {
    for (let turn = 0; turn < count; turn++) {
      const [received] = await Queue.receive(1, 1)
      if (!received?.job) throw new Error('No turn is queued')
      await consume(bench.live, received.job, { remainingMs: () => Number.POSITIVE_INFINITY })
      await Queue.remove(received.receipt)
      bench.api.requests.length = 0
      // Each transcript is short, so that what grows is the worker's.
      await editor.send('Again and again')
    }
  }

  // Until everything is loaded and compiled.
  await take(turns / 4)
  const before = await heap()
  await take(turns)

  expect((await heap()) - before).toBeLessThan(10)
})
