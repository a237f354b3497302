import { randomUUID } from 'node:crypto'
import {
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs'
import type { SQSEvent } from 'aws-lambda'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { maxReceiveCount } from '../../../infra/limits.ts'
import { createQueues, startMapping } from '../../../infra/local/queue.ts'

const endpoint = process.env.SQS_ENDPOINT as string
const sqs = new SQSClient({ endpoint, useQueueUrlAsEndpoint: false })
let queueUrl: string
let deadUrl: string
let stop: (() => Promise<void>) | undefined

beforeEach(async () => {
  const id = randomUUID()
  queueUrl = `${endpoint}/000000000000/process-${id}`
  deadUrl = `${endpoint}/000000000000/dead-${id}`
  await createQueues(sqs, queueUrl, deadUrl)
})

afterEach(async () => {
  await stop?.()
  stop = undefined
})

const send = (body: string, group?: string) =>
  sqs.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: body, MessageGroupId: group }))

async function counts(url: string): Promise<{ waiting: string | undefined; hidden: string | undefined }> {
  const { Attributes } = await sqs.send(
    new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ['All'] }),
  )
  return {
    waiting: Attributes?.ApproximateNumberOfMessages,
    hidden: Attributes?.ApproximateNumberOfMessagesNotVisible,
  }
}

/** Runs the mapping until `act` has been invoked so many times. */
function invoked(
  times: number,
  act: (event: SQSEvent, count: number) => unknown,
  concurrency = 10,
): Promise<SQSEvent[]> {
  return new Promise((done) => {
    const events: SQSEvent[] = []
    stop = startMapping({
      sqs,
      queueUrl,
      concurrency,
      report: () => {},
      invoke: async (event) => {
        events.push(event)
        if (events.length === times) queueMicrotask(() => done(events))
        return act(event, events.length)
      },
    })
  })
}

test('each message is an invocation of its own, with the event of SQS', async () => {
  await send('{"emoji":"👋"}')

  const [event] = await invoked(1, () => undefined)

  expect(event?.Records).toEqual([
    expect.objectContaining({
      body: '{"emoji":"👋"}',
      eventSource: 'aws:sqs',
      messageId: expect.any(String),
      receiptHandle: expect.any(String),
      attributes: expect.objectContaining({ ApproximateReceiveCount: '1' }),
    }),
  ])
})

test('a message that was processed is gone', async () => {
  await send('one')

  await invoked(1, () => ({ batchItemFailures: [] }))
  await stop?.()

  expect(await counts(queueUrl)).toEqual({ waiting: '0', hidden: '0' })
})

test.each<[string, (event: SQSEvent) => unknown]>([
  [
    'throws',
    () => {
      throw new Error('no')
    },
  ],
  [
    'names the message as failed',
    (event) => ({ batchItemFailures: [{ itemIdentifier: event.Records[0]?.messageId }] }),
  ],
])(
  'a message whose function %s is delivered again, and after five times moves to the dead-letter queue',
  async (_, act) => {
    await createQueues(sqs, queueUrl, deadUrl, 0)
    await send('poison')

    const events = await invoked(maxReceiveCount, act)

    expect(events.map((event) => event.Records[0]?.attributes.ApproximateReceiveCount)).toEqual([
      '1',
      '2',
      '3',
      '4',
      '5',
    ])
    const { Messages } = await sqs.send(new ReceiveMessageCommand({ QueueUrl: deadUrl, WaitTimeSeconds: 10 }))
    expect(Messages?.map((message) => message.Body)).toEqual(['poison'])
    await stop?.()
    expect(await counts(queueUrl)).toEqual({ waiting: '0', hidden: '0' })
  },
)

test('no more invocations run at once than the concurrency allows', async () => {
  await Promise.all(['a', 'b', 'c', 'd', 'e', 'f'].map((name) => send(name)))
  let running = 0
  let most = 0

  await invoked(
    6,
    async () => {
      running++
      most = Math.max(most, running)
      await new Promise((done) => setImmediate(done))
      running--
    },
    2,
  )

  expect(most).toBe(2)
})

test('the many messages of a group do not hold up those of another, however few run at once', async () => {
  for (const name of ['a1', 'a2', 'a3', 'a4']) await send(name, 'a')
  for (const name of ['b1', 'b2']) await send(name, 'b')

  const events = await invoked(6, () => undefined, 1)

  expect(events.map(({ Records: [record] }) => record?.body)).toEqual(['a1', 'b1', 'a2', 'b2', 'a3', 'a4'])
})

test('a group with messages in flight waits for one without', async () => {
  for (const name of ['a1', 'a2', 'a3']) await send(name, 'a')
  const receive = async (max: number) => {
    const { Messages = [] } = await sqs.send(
      new ReceiveMessageCommand({ QueueUrl: queueUrl, MaxNumberOfMessages: max }),
    )
    return Messages.map(({ Body }) => Body)
  }

  expect(await receive(2)).toEqual(['a1', 'a2'])
  for (const name of ['b1', 'b2', 'b3']) await send(name, 'b')

  expect(await receive(10)).toEqual(['b1', 'b2', 'a3', 'b3'])
})

test('stopping waits for what runs and takes no more', async () => {
  await send('first')
  let release = () => {}
  const held = new Promise<void>((done) => {
    release = done
  })
  await invoked(1, () => held)

  const stopped = stop?.()
  await send('second')
  release()
  await stopped

  expect(await counts(queueUrl)).toEqual({ waiting: '1', hidden: '0' })
})

test('a message that comes while a stop waits for the queue is left to others', async () => {
  const polling = Promise.withResolvers<void>()
  const watched = new SQSClient({ endpoint, useQueueUrlAsEndpoint: false })
  watched.middlewareStack.add(
    (next, { commandName }) =>
      (args) => {
        if (commandName === 'ReceiveMessageCommand') polling.resolve()
        return next(args)
      },
    { step: 'deserialize' },
  )
  const invoke = async () => expect.unreachable('nothing is to be invoked')
  const stopIdle = startMapping({ sqs: watched, queueUrl, concurrency: 10, report: () => {}, invoke })
  await polling.promise
  // The queue has answered a later request: it has the earlier one.
  await counts(queueUrl)

  const stopped = stopIdle()
  await send('late')
  await stopped

  expect(await counts(queueUrl)).toEqual({ waiting: '1', hidden: '0' })
})
