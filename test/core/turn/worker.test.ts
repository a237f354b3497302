import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { GetQueueAttributesCommand, SendMessageCommand, SetQueueAttributesCommand } from '@aws-sdk/client-sqs'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import * as Queue from '../../../core/conversation/queue.ts'
import type { Live } from '../../../core/live.ts'
import { config } from '../../../core/stage/config.ts'
import { consume } from '../../../core/turn/consume.ts'
import { type WorkerOptions, work } from '../../../core/turn/worker.ts'
import { slowDown, under } from '../../faults/inject.ts'
import { type Bench, startBench, type User } from '../../support/live.ts'

let bench: Bench
let editor: User

beforeAll(async () => {
  bench = await startBench({ maxActiveConversations: null, maxConversationsPerUser: null })
})
beforeEach(async () => {
  bench.api.reset()
  bench.api.always({ text: 'An answer.' })
  editor = await bench.login('editor')
})
afterAll(() => bench.stop())

const options = (over: Partial<WorkerOptions> = {}): WorkerOptions => ({
  concurrency: 2,
  maxTurns: undefined,
  pollIntervalMs: 1_000,
  stopping: new AbortController().signal,
  ...over,
})

test('never works on more turns at a time than it is told, and on as many', async () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f']
  for (const name of names) await editor.send(name)
  const running = { now: 0, most: 0 }
  bench.api.always(async () => {
    running.now += 1
    running.most = Math.max(running.most, running.now)
    await new Promise((done) => setTimeout(done, 300))
    running.now -= 1
    return { text: 'An answer.' }
  })

  await work(bench.live, options({ concurrency: 3, maxTurns: names.length }))

  expect(running.most).toBe(3)
})

test('a message that is no job goes to the dead-letter queue, and keeps nobody waiting', async () => {
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

  // Three attempts at the poison, and three turns.
  await work(bench.live, options({ maxTurns: 6 }))

  for (const { conversation } of sent) expect((await bench.row(conversation.id)).status).toBe('idle')
  await expect
    .poll(async () => (await Queue.receive(1, 0)).length + ((await Queue.depth()).dead ?? 0))
    .toBe(1)
  expect(await Queue.depth()).toEqual({ waiting: 0, inFlight: 0, dead: 1 })
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
  const { conversation } = await editor.send('Again and again')
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
      // The transcript stays short, so that what grows is the worker's.
      const body = { conversationId: conversation.id, sequence: 0, content: 'Again and again' }
      await editor.post('edit', { ...body, expectedContent: 'Again and again' })
    }
  }

  // Until everything is loaded and compiled.
  await take(turns / 4)
  const before = await heap()
  await take(turns)

  expect((await heap()) - before).toBeLessThan(10)
})
