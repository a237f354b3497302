import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { extractKey, folderOf, pendingKey } from '../../../core/file/item.ts'
import { bundle } from '../../support/bundle.ts'
import { type Synth, synth } from '../../support/synth/synth.ts'

const boundary = 'arn:aws:iam::123456789012:policy/bounds'
let stage: Synth
let elsewhere: Synth

beforeAll(async () => {
  stage = await synth('production')
  elsewhere = await synth(
    'dev',
    {},
    {
      deployment: {
        cms: { url: 'https://cms.example', key: 'k1' },
        frameAncestors: ['https://cms.example'],
        modelProfiles: false,
        permissionsBoundary: boundary,
      },
    },
  )
})

test('a boundary bounds every role, those of schedules too', () => {
  const bounds = (plan: Synth) =>
    new Set(plan.all('aws:iam/role:Role').map(({ permissionsBoundary }) => permissionsBoundary))

  expect([bounds(stage), bounds(elsewhere)]).toEqual([new Set([undefined]), new Set([boundary])])
})

const account = '123456789012'
const table = `table/ai-chat-production-chattable`
const bucket = 'ai-chat-production-filesbucket'

/** What a role may do, as `action resource`, without the log of its own. */
function allowed(role: string | RegExp, service: RegExp): string[] {
  return stage
    .statements(role)
    .filter(({ Effect }) => Effect === 'Allow')
    .flatMap(({ Action, Resource }) =>
      [Action].flat().flatMap((action) => [Resource].flat().map((resource) => `${action} ${resource}`)),
    )
    .filter((line) => service.test(line))
    .map((line) => line.replace(/arn:aws:\w+:[^:]*:[^:]*:/, ''))
}

describe('a function may only', () => {
  test('send: put on the queue of turns', () => {
    expect(allowed('SendRole', /^sqs:/)).toEqual(['sqs:SendMessage ai-chat-production-processqueue'])
    expect(allowed('SendRole', /^s3:/)).toEqual([])
  })

  test.each(['Status', 'Poll', 'Backend'])('%s: neither queue nor files', (name) => {
    expect(allowed(`${name}Role`, /^(sqs|s3):/)).toEqual([])
  })

  test('upload: the folders of uploads and of files, and read the pictures of the site', () => {
    const lines = allowed('UploadRole', /^s3:/)
    const media = `${bucket}/fileadmin/media/*`

    expect(new Set(lines.map((line) => line.split(' ')[1]))).toEqual(
      new Set([`${bucket}/pending/*`, `${bucket}/fileadmin/ai-chat/*`, media, bucket]),
    )
    expect(lines.filter((line) => line.endsWith(media))).toEqual([`s3:GetObject ${media}`])
  })

  test('mcp: list files, and read the pictures of the site', () => {
    expect(allowed('McpRole', /^s3:/)).toEqual([
      `s3:ListBucket ${bucket}`,
      `s3:GetObject ${bucket}/fileadmin/media/*`,
    ])
  })

  test('apply: put the settings', () => {
    expect(allowed('ApplyRole', /^(dynamodb|s3|sqs):/)).toEqual([`dynamodb:PutItem ${table}`])
  })

  test('retire: list the pages, read them and what the release has, keep its notes, remove parts', () => {
    const pages = 'ai-chat-production-webassetsbucket'

    expect(allowed('RetireHandlerRole', /^(dynamodb|s3|sqs|bedrock):/)).toEqual([
      `s3:ListBucket ${pages}`,
      `s3:GetObject ${pages}/backend/*`,
      `s3:GetObject ${pages}/left.json`,
      `s3:PutObject ${pages}/left.json`,
      `s3:DeleteObject ${pages}/backend/assets/*`,
    ])
  })

  test('process: ask the models of the settings, and no others', () => {
    expect(allowed(/^ProcessSubscriber.*Role$/, /^bedrock:InvokeModel /)).toEqual([
      'bedrock:InvokeModel foundation-model/anthropic.claude-sonnet-5-5',
      `bedrock:InvokeModel inference-profile/us.anthropic.claude-sonnet-5-5`,
      `bedrock:InvokeModel application-inference-profile/ai-chat-production-model-us-anthropic-claude-sonnet-5-5`,
    ])
  })

  test('write to its own log', () => {
    expect(allowed('PollRole', /^logs:/)).toEqual([
      'logs:CreateLogStream log-group:/aws/lambda/ai-chat-production-poll:*',
      'logs:PutLogEvents log-group:/aws/lambda/ai-chat-production-poll:*',
    ])
  })

  test.each([
    'UploadRole',
    'SendRole',
    'StatusRole',
    'PollRole',
    'ConversationsRole',
    'ConnectionsRole',
    'McpRole',
    'BackendRole',
    /^ProcessSubscriber.*Role$/,
    'CleanupHandlerRole',
  ])('%s: add to the audit, and change or delete nothing of it', (role) => {
    expect(stage.statements(role).filter(({ Effect }) => Effect === 'Deny')).toEqual([
      {
        Effect: 'Deny',
        Action: ['dynamodb:UpdateItem', 'dynamodb:BatchWriteItem', 'dynamodb:DeleteItem'],
        Resource: [`arn:aws:dynamodb:us-east-1:${account}:${table}`],
        Condition: [
          {
            test: 'ForAllValues:StringLike',
            variable: 'dynamodb:LeadingKeys',
            values: ['audit#*', 'user-data#*'],
          },
          { test: 'Null', variable: 'dynamodb:LeadingKeys', values: ['false'] },
        ],
      },
    ])
  })

  test('no web function may ask a model', () => {
    for (const name of ['Upload', 'Send', 'Status', 'Poll', 'Conversations', 'Connections', 'Mcp', 'Backend'])
      expect(allowed(`${name}Role`, /^bedrock:/)).toEqual([])
  })
})

/** The actions of AWS that a command of the SDK needs. */
const actionsOf: Record<string, string[]> = {
  BatchGetCommand: ['dynamodb:BatchGetItem'],
  PutCommand: ['dynamodb:PutItem'],
  UpdateCommand: ['dynamodb:UpdateItem'],
  DeleteCommand: ['dynamodb:DeleteItem'],
  BatchWriteCommand: ['dynamodb:BatchWriteItem'],
  TransactWriteCommand: ['dynamodb:PutItem', 'dynamodb:UpdateItem'],
  DescribeTableCommand: ['dynamodb:DescribeTable'],
  SendMessageCommand: ['sqs:SendMessage'],
  ChangeMessageVisibilityCommand: ['sqs:ChangeMessageVisibility'],
  GetQueueAttributesCommand: ['sqs:GetQueueAttributes'],
  GetObjectCommand: ['s3:GetObject'],
  HeadObjectCommand: ['s3:GetObject', 's3:ListBucket'],
  PutObjectCommand: ['s3:PutObject'],
  CopyObjectCommand: ['s3:GetObject', 's3:PutObject'],
  DeleteObjectCommand: ['s3:DeleteObject'],
  ListObjectsV2Command: ['s3:ListBucket'],
  // In every bundle, because the clients bring them along; nothing here scans, or opens S3 Express sessions.
  QueryCommand: [],
  ScanCommand: [],
  CreateSessionCommand: [],
}

/** What a function has in its bundle and never sends: the store comes whole, for exports that are large. */
const never: Record<string, string[]> = { conversations: ['s3:DeleteObject', 's3:ListBucket'] }

test.each([
  ['upload', 'UploadRole'],
  ['send', 'SendRole'],
  ['status', 'StatusRole'],
  ['poll', 'PollRole'],
  ['conversations', 'ConversationsRole'],
  ['connections', 'ConnectionsRole'],
  ['mcp', 'McpRole'],
  ['backend', 'BackendRole'],
  ['process', /^ProcessSubscriber.*Role$/],
  ['cleanup', 'CleanupHandlerRole'],
  ['apply', 'ApplyRole'],
  ['retire', 'RetireHandlerRole'],
] as const)('%s may do all that its code can do', async (name, role) => {
  const folder = await mkdtemp(join(tmpdir(), 'bundle-'))
  const { commands } = await bundle(name, folder)
  await rm(folder, { recursive: true })
  const needed = new Set([...commands].flatMap((command) => actionsOf[command] ?? [`unknown: ${command}`]))
  const granted = new Set(stage.statements(role).flatMap(({ Action }) => [Action].flat()))

  const missing = [...needed].filter((action) => !granted.has(action))
  expect(missing).toEqual(never[name] ?? [])
})

test.each([
  ['UploadRole', 's3:PutObject', pendingKey(2, 1)],
  ['UploadRole', 's3:PutObject', `${folderOf(2)}1.pdf`],
  ['UploadRole', 's3:GetObject', `${folderOf(2)}1.pdf`],
  ['UploadRole', 's3:GetObject', 'fileadmin/media/products/a.jpg'],
  [/^ProcessSubscriber.*Role$/, 's3:GetObject', `${folderOf(2)}1.pdf`],
  [/^ProcessSubscriber.*Role$/, 's3:GetObject', extractKey('hash')],
  [/^ProcessSubscriber.*Role$/, 's3:GetObject', 'fileadmin/media/products/a.jpg'],
  [/^ProcessSubscriber.*Role$/, 's3:PutObject', extractKey('hash')],
  ['CleanupHandlerRole', 's3:DeleteObject', pendingKey(2, 1)],
  ['CleanupHandlerRole', 's3:DeleteObject', `${folderOf(2)}1.pdf`],
  ['CleanupHandlerRole', 's3:DeleteObject', extractKey('hash')],
])('%s may %s where the code puts %s', (role, action, key) => {
  const places = allowed(role, new RegExp(`^${action} `)).map((line) =>
    line.slice(`${action} ${bucket}/`.length),
  )

  expect(places.some((place) => key.startsWith(place.replace('*', '')))).toBe(true)
})

describe('names and secrets', () => {
  test('reach a function as links, under the names that it reads', () => {
    const poll = stage.builds.find(({ handler }) => handler === 'functions/poll.handler')

    expect(poll?.links).toEqual({
      Stage: {
        type: expect.any(String),
        AI_CHAT_STAGE: 'production',
        AWS_REGION: 'us-east-1',
        AI_CHAT_TABLE: 'ai-chat-production-chattable',
        AI_CHAT_CMS_TABLE: 'ai-chat-production-cmstable',
        AI_CHAT_BUCKET: bucket,
        AI_CHAT_QUEUE_URL: `https://sqs.us-east-1.amazonaws.com/${account}/ai-chat-production-processqueue`,
        AI_CHAT_DLQ_URL: `https://sqs.us-east-1.amazonaws.com/${account}/ai-chat-production-processdeadqueue`,
        AI_CHAT_ORIGIN: 'https://d111.cloudfront.net',
        AI_CHAT_ALARMS: `arn:aws:sns:us-east-1:${account}:ai-chat-production-alarms`,
        AI_CHAT_MODEL_PROFILES: JSON.stringify({
          'us.anthropic.claude-sonnet-5-5': `arn:aws:bedrock:us-east-1:${account}:application-inference-profile/ai-chat-production-model-us-anthropic-claude-sonnet-5-5`,
        }),
      },
      RouterSecret: { type: expect.any(String), value: expect.stringMatching(/^[0-9a-f]{64}$/) },
      StageSecret: { type: expect.any(String), value: expect.any(String) },
    })
  })

  test('are in no environment', () => {
    const environments = JSON.stringify(
      stage.all('aws:lambda/function:Function').map(({ environment }) => environment),
    )

    expect(environments).not.toMatch(/AI_CHAT|stage-secret/)
  })
})

describe('a stage whose CMS is elsewhere', () => {
  test('has no table for one, and knows where it is', () => {
    const [build] = elsewhere.builds

    expect(() => elsewhere.one('aws:dynamodb/table:Table', 'CmsTable')).toThrow()
    expect(build?.links.Stage).toMatchObject({
      AI_CHAT_CMS_URL: 'https://cms.example',
      AI_CHAT_CMS_KEY: 'k1',
    })
    expect(build?.links.CmsSecret).toMatchObject({ value: 'cms-key' })
  })

  test('may be shown in its frames, and serves the chat alone', () => {
    const headers = elsewhere.one('aws:cloudfront/responseHeadersPolicy:ResponseHeadersPolicy', 'Headers')
    const { code } = elsewhere.one<{ code: string }>('aws:cloudfront/function:Function', /Request$/)

    expect(JSON.stringify(headers)).toContain('frame-ancestors https://cms.example')
    expect(code).toContain('(?:chat|embed)\\.js')
    expect(code).not.toContain('text/html')
  })
})

test('a stage without profiles of its own asks models by their ids', () => {
  expect(elsewhere.all('aws:bedrock/inferenceProfile:InferenceProfile')).toEqual([])
  expect(elsewhere.builds[0]?.links.Stage).toMatchObject({ AI_CHAT_MODEL_PROFILES: '{}' })
  expect(
    elsewhere
      .statements(/^ProcessSubscriber.*Role$/)
      .find(({ Action }) => Action.includes('bedrock:InvokeModel'))?.Resource,
  ).toEqual([
    'arn:aws:bedrock:*::foundation-model/anthropic.claude-sonnet-5-5',
    `arn:aws:bedrock:*:${account}:inference-profile/us.anthropic.claude-sonnet-5-5`,
  ])
})
