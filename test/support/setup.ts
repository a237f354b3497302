import './environment.ts'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3'
import { CreateQueueCommand, SQSClient } from '@aws-sdk/client-sqs'
import { waits } from '../../core/base/aws/transport.ts'
import { createChatTable, createCmsTable } from '../../infra/local/resources.ts'

// All test files share the emulators: on a busy machine an answer may take longer than any of AWS.
waits.table = waits.store = 60_000

const env = process.env as Record<string, string>
const lastOf = (url = '') => url.split('/').at(-1)
const dynamo = new DynamoDBClient({ endpoint: env.DYNAMODB_ENDPOINT as string })
const sqs = new SQSClient({ endpoint: env.SQS_ENDPOINT as string, useQueueUrlAsEndpoint: false })
const s3 = new S3Client({ endpoint: env.S3_ENDPOINT as string, forcePathStyle: true })
const dead = await sqs.send(new CreateQueueCommand({ QueueName: lastOf(env.AI_CHAT_DLQ_URL) }))
// The message of a consumer that a test lets die stays hidden, however long the tests of a file take.
const hidden = { VisibilityTimeout: '43200' }
const [queue] = await Promise.all([
  sqs.send(new CreateQueueCommand({ QueueName: lastOf(env.AI_CHAT_QUEUE_URL), Attributes: hidden })),
  s3.send(new CreateBucketCommand({ Bucket: env.AI_CHAT_BUCKET as string })),
  createChatTable(dynamo, env.AI_CHAT_TABLE as string),
  createCmsTable(dynamo, env.AI_CHAT_CMS_TABLE as string),
])
env.AI_CHAT_QUEUE_URL = queue.QueueUrl as string
env.AI_CHAT_DLQ_URL = dead.QueueUrl as string
