import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb'
import { GetObjectCommand, ListObjectsV2Command, PutObjectCommand } from '@aws-sdk/client-s3'
import {
  ChangeMessageVisibilityCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
} from '@aws-sdk/client-sqs'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { names, secrets } from '../../../infra/local/environment.ts'
import { type Clients, connect, createResources } from '../../../infra/local/resources.ts'

const url = (name: string) => JSON.stringify(new URL(`../../../infra/local/${name}`, import.meta.url).href)
const program = `
  import { startDynamo } from ${url('dynamo.ts')}
  import { startQueueAndStore } from ${url('fauxqs.ts')}
  const folder = process.argv[1]
  const dynamo = await startDynamo(folder + '/table.sqlite')
  const store = await startQueueAndStore(folder + '/store')
  console.log(JSON.stringify({ dynamodb: dynamo.endpoint, queueAndStore: store.endpoint }))
  setInterval(() => {}, 1e6)
`

let folder: string
let child: ChildProcess

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'emulators-'))
})

afterEach(async () => {
  await kill()
  await rm(folder, { recursive: true })
})

type Emulators = Clients & { queueUrl: string; dynamodb: string }

/** A stage's emulators in a process of their own, which can be killed. */
async function start(): Promise<Emulators> {
  const { DYNAMODB_ENDPOINT, ...env } = process.env
  child = spawn(process.execPath, ['--no-warnings', '--input-type=module', '-e', program, folder], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream })
  const [line] = (await once(lines, 'line')) as [string]
  const addresses = JSON.parse(line)
  const named = names({ origin: 'http://127.0.0.1:3000', ...addresses })
  const everything = { ...named, ...secrets('secret', {}) }
  const clients = connect(everything)
  await createResources(clients, everything)
  return { ...clients, queueUrl: named.AI_CHAT_QUEUE_URL as string, dynamodb: addresses.dynamodb }
}

async function kill(): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}

async function counts({ sqs, queueUrl }: Emulators): Promise<string[]> {
  const { Attributes = {} } = await sqs.send(
    new GetQueueAttributesCommand({ QueueUrl: queueUrl, AttributeNames: ['All'] }),
  )
  const { ApproximateNumberOfMessages = '', ApproximateNumberOfMessagesNotVisible = '' } = Attributes
  return [ApproximateNumberOfMessages, ApproximateNumberOfMessagesNotVisible]
}

test('whatever was acknowledged before SIGKILL is there after the next start', async () => {
  const before = await start()
  const { sqs, s3, dynamo } = before
  const item = { pk: { S: 'p' }, sk: { S: 's' }, text: { S: '👋' } }
  await dynamo.send(new PutItemCommand({ TableName: 'chat', Item: item }))
  for (const MessageBody of ['waiting 👋', 'hidden'])
    await sqs.send(new SendMessageCommand({ QueueUrl: before.queueUrl, MessageBody }))
  await sqs.send(new ReceiveMessageCommand({ QueueUrl: before.queueUrl, MaxNumberOfMessages: 1 }))
  const Key = `fileadmin/ai-chat/2/1/${'ü'.repeat(200)}.txt`
  await s3.send(new PutObjectCommand({ Bucket: 'files', Key, Body: 'bytes', ContentType: 'text/plain' }))

  await kill()
  const after = await start()

  const { Item } = await after.dynamo.send(
    new GetItemCommand({ TableName: 'chat', Key: { pk: item.pk, sk: item.sk }, ConsistentRead: true }),
  )
  expect(Item).toEqual(item)
  expect(await counts(after)).toEqual(['1', '1'])
  const object = await after.s3.send(new GetObjectCommand({ Bucket: 'files', Key }))
  expect([object.ContentType, await object.Body?.transformToString()]).toEqual(['text/plain', 'bytes'])
  const { Contents } = await after.s3.send(new ListObjectsV2Command({ Bucket: 'files' }))
  expect(Contents?.map((entry) => entry.Key)).toEqual([Key])
})

test('a message that is given back keeps its count and is delivered again', async () => {
  const emulators = await start()
  const { sqs, queueUrl: QueueUrl } = emulators
  await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: 'job' }))
  const receive = async () => {
    const { Messages } = await sqs.send(new ReceiveMessageCommand({ QueueUrl, AttributeNames: ['All'] }))
    return Messages?.[0]
  }

  const first = await receive()
  await sqs.send(
    new ChangeMessageVisibilityCommand({
      QueueUrl,
      ReceiptHandle: first?.ReceiptHandle ?? '',
      VisibilityTimeout: 0,
    }),
  )
  const second = await receive()

  expect([first, second].map((message) => message?.Attributes?.ApproximateReceiveCount)).toEqual(['1', '2'])
})

test('the table emulator does not outlive a process that was killed', async () => {
  const { dynamodb } = await start()

  await kill()

  await expect
    .poll(() =>
      fetch(dynamodb).then(
        () => 'up',
        () => 'gone',
      ),
    )
    .toBe('gone')
})
