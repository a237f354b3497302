import { randomBytes } from 'node:crypto'

/** The environment of a stage, with names of its own for each test file. Without emulators nothing answers there. */
const id = randomBytes(6).toString('hex')
const nowhere = 'http://127.0.0.1:9'
process.env.DYNAMODB_ENDPOINT ??= nowhere
process.env.SQS_ENDPOINT ??= nowhere
process.env.S3_ENDPOINT ??= nowhere
Object.assign(process.env, {
  AI_CHAT_STAGE: 'test',
  // The log goes to stderr past the reporter; a test that is looked into can set another level.
  POWERTOOLS_LOG_LEVEL: process.env.POWERTOOLS_LOG_LEVEL ?? 'SILENT',
  AI_CHAT_LOCAL: 'true',
  AI_CHAT_TABLE: `chat-${id}`,
  AI_CHAT_CMS_TABLE: `cms-${id}`,
  AI_CHAT_BUCKET: `files-${id}`,
  AI_CHAT_QUEUE_URL: `${process.env.SQS_ENDPOINT}/process-${id}`,
  AI_CHAT_DLQ_URL: `${process.env.SQS_ENDPOINT}/dead-${id}`,
  AI_CHAT_ORIGIN: 'http://127.0.0.1:3000',
  AI_CHAT_SECRET: randomBytes(32).toString('hex'),
  AWS_REGION: 'us-east-1',
  AWS_ACCESS_KEY_ID: 'local',
  AWS_SECRET_ACCESS_KEY: 'local',
})
