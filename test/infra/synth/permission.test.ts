import { beforeAll, describe, expect, test } from 'vitest'
import { type Synth, synth } from '../../support/synth/synth.ts'

let stage: Synth
let elsewhere: Synth

beforeAll(async () => {
  stage = await synth('production')
  elsewhere = await synth('dev', {
    'infra/deployment.ts': (text) =>
      text.replace(
        'return parsed.data',
        "return { ...parsed.data, cms: { url: 'https://cms.example', key: 'k1' }, frameAncestors: ['https://cms.example'] }",
      ),
  })
})

const account = '123456789012'
const table = `table/ai-chat-production-chattable`
const bucket = 'ai-chat-production-filesbucket'

/** What a role may do, as `action resource`, without the log of its own. */
function allowed(role: string | RegExp, service: RegExp): string[] {
  return stage
    .statements(role)
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

  test('upload: the folders of uploads and of files', () => {
    expect(new Set(allowed('UploadRole', /^s3:/).map((line) => line.split(' ')[1]))).toEqual(
      new Set([`${bucket}/pending/*`, `${bucket}/fileadmin/ai-chat/*`, bucket]),
    )
  })

  test('apply: put the settings', () => {
    expect(allowed('ApplyRole', /^(dynamodb|s3|sqs):/)).toEqual([
      `dynamodb:PutItem ${table}`,
      `dynamodb:PutItem ${table}/index/*`,
    ])
  })

  test('process: ask the models of the settings, and no others', () => {
    expect(allowed(/^ProcessSubscriber.*Role$/, /^bedrock:InvokeModel /)).toEqual([
      'bedrock:InvokeModel foundation-model/anthropic.claude-sonnet-5-5',
      `bedrock:InvokeModel inference-profile/global.anthropic.claude-sonnet-5-5`,
    ])
  })

  test('write to its own log', () => {
    expect(allowed('PollRole', /^logs:/)).toEqual([
      'logs:CreateLogStream log-group:/aws/lambda/ai-chat-production-poll:*',
      'logs:PutLogEvents log-group:/aws/lambda/ai-chat-production-poll:*',
    ])
  })

  test('no web function may ask a model', () => {
    for (const name of ['Upload', 'Send', 'Status', 'Poll', 'Conversations', 'Backend'])
      expect(allowed(`${name}Role`, /^bedrock:/)).toEqual([])
  })
})

describe('names and secrets', () => {
  test('reach a function as links, under the names that it reads', () => {
    const poll = stage.builds.find(({ handler }) => handler === 'functions/poll.handler')

    expect(poll?.links).toEqual({
      Stage: {
        type: expect.any(String),
        AI_CHAT_STAGE: 'production',
        AI_CHAT_TABLE: 'ai-chat-production-chattable',
        AI_CHAT_CMS_TABLE: 'ai-chat-production-cmstable',
        AI_CHAT_BUCKET: bucket,
        AI_CHAT_QUEUE_URL: `https://sqs.us-east-1.amazonaws.com/${account}/ai-chat-production-processqueue`,
        AI_CHAT_DLQ_URL: `https://sqs.us-east-1.amazonaws.com/${account}/ai-chat-production-processdeadqueue`,
        AI_CHAT_ORIGIN: 'https://d111.cloudfront.net',
        AI_CHAT_SECRET_ROUTER: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
      StageSecret: { type: expect.any(String), value: expect.any(String) },
    })
  })

  test('stand in no environment', () => {
    const environments = JSON.stringify(
      stage.all('aws:lambda/function:Function').map(({ environment }) => environment),
    )

    expect(environments).not.toMatch(/AI_CHAT|stage-secret/)
  })
})

describe('a stage whose CMS is elsewhere', () => {
  test('has no table for one, and is told where it is', () => {
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
    expect(code).toContain('/backend/chat.js')
    expect(code).not.toContain('text/html')
  })
})
