import { randomBytes } from 'node:crypto'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3'
import { CreateQueueCommand, SQSClient } from '@aws-sdk/client-sqs'
import { waits } from '../../core/aws/transport.ts'
import { createChatTable, createCmsTable } from '../../infra/local/table.ts'

// All test files share the emulators: on a busy machine an answer may take longer than any of AWS.
waits.table = waits.store = 60_000

const id = randomBytes(6).toString('hex')
const endpoint = process.env.SQS_ENDPOINT as string
Object.assign(process.env, {
  AI_CHAT_STAGE: 'test',
  // The log goes to stderr past the reporter; a test that is looked into can set another level.
  POWERTOOLS_LOG_LEVEL: process.env.POWERTOOLS_LOG_LEVEL ?? 'SILENT',
  AI_CHAT_LOCAL: 'true',
  AI_CHAT_TABLE: `chat-${id}`,
  AI_CHAT_CMS_TABLE: `cms-${id}`,
  AI_CHAT_BUCKET: `files-${id}`,
  AI_CHAT_ORIGIN: 'http://127.0.0.1:3000',
  AI_CHAT_SECRET: randomBytes(32).toString('hex'),
  AWS_REGION: 'us-east-1',
  AWS_ACCESS_KEY_ID: 'local',
  AWS_SECRET_ACCESS_KEY: 'local',
})

const dynamo = new DynamoDBClient({ endpoint: process.env.DYNAMODB_ENDPOINT as string })
const sqs = new SQSClient({ endpoint, useQueueUrlAsEndpoint: false })
const s3 = new S3Client({ endpoint, forcePathStyle: true })
const dead = await sqs.send(new CreateQueueCommand({ QueueName: `dead-${id}` }))
// The message of a consumer that a test lets die stays hidden, however long the tests of a file take.
const hidden = { VisibilityTimeout: '43200' }
const [queue] = await Promise.all([
  sqs.send(new CreateQueueCommand({ QueueName: `process-${id}`, Attributes: hidden })),
  s3.send(new CreateBucketCommand({ Bucket: `files-${id}` })),
  createChatTable(dynamo, `chat-${id}`),
  createCmsTable(dynamo, `cms-${id}`),
])
process.env.AI_CHAT_QUEUE_URL = queue.QueueUrl as string
process.env.AI_CHAT_DLQ_URL = dead.QueueUrl as string
