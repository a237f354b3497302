import { readFile } from 'node:fs/promises'
import { beforeAll, expect, test } from 'vitest'
import { userKey } from '../../../core/user/session/user-key.ts'
import { model, provider } from '../../support/settings.ts'
import type { Inputs, Made } from '../../support/synth/mocks.ts'
import type { Build } from '../../support/synth/rpc.ts'
import { faults } from '../../support/synth/rules.ts'
import { type Statement, type Synth, spoiled, synth } from '../../support/synth/synth.ts'
import { missingInImage } from '../../support/synth/values.ts'

/** A stage with all that the usual ones lack: a name of its own, a CMS elsewhere, keys for models and exchange. */
let full: Synth
/** One with the reference CMS, whose turns are taken by tasks. */
let worker: Synth
/** The same with all that may be asked for beside. */
let asked: Synth
const canary = { everyMinutes: 15, turnsEveryHours: 6, user: 'canary', page: 3 }
const kmsKeyArn = 'arn:aws:kms:us-east-1:123456789012:key/0b1c2d3e-4f50-6172-8394-a5b6c7d8e9f0'
/** A name or an action of KMS. The bare letters also occur in random names of temporary folders. */
const keyInUse = /"\w*[kK]ms\w+":|"kms:\w+|"aws:kms/

beforeAll(async () => {
  worker = await synth('worker')
  asked = await synth('worker', {}, { deployment: { canary, kmsKeyArn }, settings: { dailyTokens: 1_000 } })
  full = await synth(
    'production',
    {},
    {
      deployment: {
        domain: 'chat.example',
        kmsKeyArn,
        cms: { url: 'https://cms.example/bridge', key: 'k1' },
        canary: { everyMinutes: 20, turnsEveryHours: 6, user: 9, page: 'canary' },
      },
      settings: {
        providers: [
          provider({ uid: 1, adapter: 'anthropic', secret: 'anthropic' }),
          provider({ uid: 2, adapter: 'bedrock' }),
        ],
        models: [model({ uid: 1 }), model({ uid: 2, provider: 2, modelId: 'anthropic.claude-opus-5' })],
        exchange: { issuer: 'https://cms.example', audience: 'ai-chat', key: 'exchange' },
      },
    },
  )
})

test('a stage with a name, a CMS elsewhere and keys of its own has no fault', () => {
  expect(faults(full)).toEqual([])
  expect(full.outputs).toMatchObject({
    backend: 'https://chat.example/backend',
    chat: 'https://chat.example/backend/chat.js',
  })
})

test('with a key of the account, all that holds data is under it, and a role reaches it by the services alone', () => {
  const using = full.statements('SendRole').find(({ Resource }) => [Resource].flat().includes(kmsKeyArn))

  expect([faults(asked), faults(worker)]).toEqual([[], []])
  expect(using).toMatchObject({
    Condition: [
      {
        test: 'StringEquals',
        variable: 'kms:ViaService',
        values: ['dynamodb', 'lambda', 's3', 'sqs'].map((service) => `${service}.us-east-1.amazonaws.com`),
      },
    ],
  })
  expect(JSON.stringify(asked.resources)).toMatch(keyInUse)
  expect(JSON.stringify(worker.resources)).not.toMatch(keyInUse)
})

test('its canary comes by exchange every 20 minutes, may do nothing by its role, and has its alarms', () => {
  const inputs = (name: string) => full.one('aws:cloudwatch/metricAlarm:MetricAlarm', name)
  const { scheduleExpression, target } = full.one<Inputs & { target: { input: string } }>(
    'aws:scheduler/schedule:Schedule',
    'CanarySchedule',
  )

  expect(scheduleExpression).toBe('rate(20 minutes)')
  expect(JSON.parse(target.input)).toEqual({
    who: { uid: 9, issuer: 'https://cms.example', audience: 'ai-chat' },
    page: 'canary',
    turns: false,
  })
  const linked = full.builds.find(({ handler }) => handler === 'functions/canary.handler')?.links ?? {}
  expect(Object.keys(linked).sort()).toEqual(['CanarySecret', 'Stage'])
  expect(linked.CanarySecret).toMatchObject({ value: userKey('exchange-key', '9') })
  expect(
    full
      .statements('CanaryHandlerRole')
      .flatMap(({ Action }) => [Action].flat().filter((it) => !/^kms:/.test(it))),
  ).toEqual(['logs:CreateLogStream', 'logs:PutLogEvents'])
  expect(full.one('aws:lambda/function:Function', /^CanaryHandler/)).toMatchObject({ timeout: 300 })
  const own = { namespace: 'AIChat', dimensions: { service: 'backend-ai-chat', stage: 'production' } }
  expect(inputs('CanaryFailed')).toMatchObject({
    ...own,
    metricName: 'CanaryFailed',
    comparisonOperator: 'GreaterThanThreshold',
    threshold: 0,
    period: 1_200,
    statistic: 'Sum',
    treatMissingData: 'notBreaching',
  })
  expect(inputs('CanarySilent')).toMatchObject({
    ...own,
    metricName: 'CanarySucceeded',
    comparisonOperator: 'LessThanThreshold',
    threshold: 1,
    period: 3_600,
    statistic: 'Sum',
    treatMissingData: 'breaching',
  })
  // CloudWatch takes no period of more than a day.
  expect(inputs('CanaryTurnsSilent')).toMatchObject({
    ...own,
    metricName: 'CanaryTurnsSucceeded',
    comparisonOperator: 'LessThanThreshold',
    threshold: 1,
    period: 21_600,
    evaluationPeriods: 2,
    statistic: 'Sum',
    treatMissingData: 'breaching',
  })
})

test('a canary comes with its own password where the reference CMS is', () => {
  const { one, builds } = asked
  const { target } = one<{ target: { input: string } }>('aws:scheduler/schedule:Schedule', 'CanarySchedule')
  const linked = builds.find(({ handler }) => handler === 'functions/canary.handler')?.links ?? {}

  expect(JSON.parse(target.input)).toEqual({ who: { username: 'canary' }, page: 3, turns: false })
  expect(Object.keys(linked).sort()).toEqual(['CanarySecret', 'Stage'])
  expect(linked.CanarySecret).toMatchObject({ value: 'canary-password' })
  expect(builds.filter(({ links }) => 'CanarySecret' in links)).toHaveLength(1)
})

test('a stage with a limit of its tokens has an alarm at 80 % of it', () => {
  expect(asked.one('aws:cloudwatch/metricAlarm:MetricAlarm', 'StageTokens')).toMatchObject({
    namespace: 'AIChat',
    metricName: 'StageTokensPercent',
    dimensions: { service: 'backend-ai-chat', stage: 'worker' },
    statistic: 'Maximum',
    comparisonOperator: 'GreaterThanThreshold',
    threshold: 80,
  })
})

test('a stage asks each model on Bedrock by a profile of its own, which the budget of the stage counts', async () => {
  const container = JSON.stringify(worker.all('aws:ecs/taskDefinition:TaskDefinition'))

  expect(worker.all('aws:bedrock/inferenceProfile:InferenceProfile')).toEqual([
    {
      description: 'us.anthropic.claude-sonnet-5-5',
      modelSource: {
        copyFrom: 'arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.anthropic.claude-sonnet-5-5',
      },
    },
  ])
  expect(container).toContain(
    'application-inference-profile/ai-chat-worker-model-us-anthropic-claude-sonnet-5-5',
  )
})

test('a model of one region is asked there, and one that is not on Bedrock by its provider', () => {
  expect(full.all('aws:bedrock/inferenceProfile:InferenceProfile')).toMatchObject([
    { modelSource: { copyFrom: 'arn:aws:bedrock:us-east-1::foundation-model/anthropic.claude-opus-5' } },
  ])
})

test('no stage has a canary whose deployment file asks for none', () => {
  expect(worker.builds.map(({ handler }) => handler)).not.toContain('functions/canary.handler')
})

test('the image of the worker runs as a user without rights', async () => {
  const lines = (await readFile('infra/worker.Dockerfile', 'utf8')).split('\n')

  expect(lines.filter((line) => line.startsWith('USER'))).toEqual(['USER node'])
})

test('the image of the worker holds all that the worker imports, and a folder less is caught', async () => {
  const whole = await readFile('infra/worker.Dockerfile', 'utf8')
  const ignored = await readFile('infra/worker.Dockerfile.dockerignore', 'utf8')

  expect(await missingInImage(whole, ignored)).toEqual([])
  expect(await missingInImage(whole.replace('COPY core ./core\n', ''), ignored)).toContain('core/live.ts')
  expect(await missingInImage(whole, ignored.replace('!core\n', ''))).toContain('core/live.ts')
})

type Plan = { resources: Made[]; builds: Build[] }
type Spoil = (plan: Plan) => void

const found = (plan: Plan, type: string, name: RegExp) => {
  const [one] = plan.resources.filter((it) => it.type.endsWith(`:${type}`) && name.test(it.name))
  if (!one) throw new Error(`There is no ${type} ${name}`)
  return one
}
/** Sets inputs of a resource. */
const set =
  (type: string, name: RegExp, inputs: Inputs): Spoil =>
  (plan) => {
    const one = found(plan, type, name)
    one.inputs = { ...one.inputs, ...inputs }
  }
/** The plan without the resource. */
const without =
  (type: string, name: RegExp): Spoil =>
  (plan) => {
    plan.resources = plan.resources.filter((it) => it !== found(plan, type, name))
  }
/** Changes the statements of a role. */
const grants =
  (role: RegExp, change: (statement: Statement) => Partial<Statement>): Spoil =>
  (plan) => {
    const policies = found(plan, 'Role', role).inputs.inlinePolicies as { policy: string }[]
    for (const one of policies) {
      const document = JSON.parse(one.policy) as { Statement: Statement[] }
      const Statement = document.Statement.map((it) => ({ ...it, ...change(it) }))
      one.policy = JSON.stringify({ ...document, Statement })
    }
  }
const lacking =
  (action: string, table = '') =>
  ({ Action, Resource }: Statement) =>
    [Resource].flat().some((arn) => arn.includes(table))
      ? { Action: [Action].flat().filter((one) => one !== action) }
      : {}
const widened =
  (from: string, to: string) =>
  ({ Resource }: Statement) => ({
    Resource: [Resource].flat().map((arn) => (arn.includes(from) ? to : arn)),
  })
/** Changes text anywhere in the inputs of a resource. */
const reworded =
  (type: string, name: RegExp, from: RegExp, to: string): Spoil =>
  (plan) => {
    const one = found(plan, type, name)
    const text = JSON.stringify(one.inputs)
    if (!from.test(text)) throw new Error(`${one.name} does not say ${from}`)
    one.inputs = JSON.parse(text.replace(from, to))
  }
const unlinked =
  (handler: string, name: string): Spoil =>
  ({ builds }) => {
    const build = builds.find((it) => it.handler === `functions/${handler}.handler`)
    if (!build || !(name in build.links)) throw new Error(`${handler} has no ${name}`)
    delete build.links[name]
  }
const consumer = /^ProcessSubscriber\w+Role$/

const onFull: [what: string, spoil: Spoil, said: string | RegExp][] = [
  ['no queries', grants(/^SendRole$/, lacking('dynamodb:Query')), /SendRole: may not dynamodb:Query/],
  [
    'no conditions in transactions',
    grants(/^SendRole$/, lacking('dynamodb:ConditionCheckItem')),
    /SendRole: may not dynamodb:ConditionCheckItem/,
  ],
  [
    'lists without their index',
    grants(/^ConversationsRole$/, ({ Resource }) => ({
      Resource: [Resource].flat().filter((arn) => !arn.includes('/index/')),
    })),
    /ConversationsRole: may not dynamodb:Query on .*index/,
  ],
  [
    'starts that queue nothing',
    grants(/^SendRole$/, lacking('sqs:SendMessage')),
    /SendRole: may not sqs:Send/,
  ],
  [
    'exports that go nowhere',
    grants(/^ConversationsRole$/, lacking('s3:PutObject')),
    /ConversationsRole: may not s3:PutObject on .*exports/,
  ],
  [
    'queues of every region',
    grants(/^SendRole$/, widened('processqueue', 'arn:aws:sqs:*:*:*')),
    'SendRole: arn:aws:sqs:*:*:* is more than the stage',
  ],
  [
    'the files of every bucket',
    grants(consumer, widened('filesbucket/', 'arn:aws:s3:::*/*')),
    /arn:aws:s3:::\*\/\* is more than the stage/,
  ],
  [
    'the files of another stage',
    grants(consumer, widened('filesbucket/', 'arn:aws:s3:::ai-chat-dev-filesbucket/*')),
    /ai-chat-dev-filesbucket\/\* is more than the stage/,
  ],
  ['settings that are not stored', grants(/^ApplyRole$/, lacking('dynamodb:PutItem')), /ApplyRole: may not/],
  [
    'an alarm for a foreign metric',
    set('MetricAlarm', /^StuckTurns$/, { metricName: 'StuckTurns' }),
    'alarm StuckTurns: watches StuckTurns',
  ],
  [
    'an alarm that rings too late',
    set('MetricAlarm', /^WaitingTurns$/, { threshold: 1_200_000 }),
    'alarm WaitingTurns: rings above 1200000',
  ],
  [
    'an alarm for all APIs',
    set('MetricAlarm', /^RequestErrors$/, { metricQueries: [{ metric: { metricName: '5xx' } }] }),
    'alarm RequestErrors: of no resource',
  ],
  [
    'an alarm that tells no topic',
    set('MetricAlarm', /^ProcessErrors$/, { alarmActions: undefined }),
    'alarm ProcessErrors: tells no topic',
  ],
  [
    'a dead man whose silence is health',
    set('MetricAlarm', /^CleanupSilent$/, { treatMissingData: 'notBreaching' }),
    'alarm CleanupSilent: takes silence for health',
  ],
  [
    'a share of failed turns without failed turns',
    reworded('MetricAlarm', /^FailedTurns$/, /"TurnsFailed"/, '"FailedTurns"'),
    'alarm FailedTurns: does not count TurnsFailed',
  ],
  ['no recipient', without('TopicSubscription', /^AlarmsEmail$/), 'alarms: no recipient'],
  [
    'a topic for another service',
    reworded('TopicPolicy', /./, /cloudwatch\.amazonaws/, 'events.amazonaws'),
    'alarms: cloudwatch may not publish',
  ],
  [
    'a topic for every account',
    reworded('TopicPolicy', /./, /aws:SourceAccount/, 'aws:SourceArn'),
    'alarms: every account may publish',
  ],
  [
    'a budget that tells no topic',
    reworded('Budget', /^Cost$/, /subscriberSnsTopicArns/, 'subscriberEmailAddresses'),
    'budget: tells no topic',
  ],
  [
    'one request a second',
    set('Stage', /^ApiStage$/, { defaultRouteSettings: { throttlingRateLimit: 1, throttlingBurstLimit: 1 } }),
    'gateway: 1 requests a second, 1 at once',
  ],
  [
    'a Router without patience',
    reworded('Resource', /^RouterRoute.*KvKeys$/, /(readTimeout\W+)30/, '$11'),
    'router: gives up after 1 s',
  ],
  [
    'a distribution that does not know its name',
    set('Distribution', /^Router/, { aliases: [] }),
    'router: does not answer for chat.example',
  ],
  [
    'errors for everybody',
    set('Distribution', /^Router/, { customErrorResponses: [] }),
    'router: keeps errors for all users',
  ],
  [
    'a request that outlasts the gateway',
    set('Function', /^SendFunction$/, { timeout: 60 }),
    'ai-chat-production-send: outlasts its caller',
  ],
  [
    'turns of a minute',
    set('Function', /^ProcessSubscriber\w+FunctionFunction$/, { timeout: 60 }),
    'ai-chat-production-process: has 60 s for a turn',
  ],
  [
    'a small consumer',
    set('Function', /^ProcessSubscriber\w+FunctionFunction$/, { memorySize: 128 }),
    'ai-chat-production-process: has 128 MB',
  ],
  [
    'no native images',
    ({ builds }) => {
      for (const { properties } of builds) delete (properties as { install?: unknown }).install
    },
    'process: sharp is not installed',
  ],
  [
    'no sandbox beside the consumer',
    ({ builds }) => {
      for (const build of builds) build.files = []
    },
    'process: no sandbox beside it',
  ],
  [
    'a consumer without the key of its model',
    unlinked('process', 'AnthropicSecret'),
    'functions/process.handler: the secret anthropic is not linked',
  ],
  [
    'sessions without the key of the exchange',
    unlinked('backend', 'ExchangeSecret'),
    'functions/backend.handler: the secret exchange is not linked',
  ],
  [
    'a poll that cannot sign for the CMS',
    unlinked('poll', 'CmsSecret'),
    'functions/poll.handler: the secret cms is not linked',
  ],
  [
    'a canary without its own key',
    unlinked('canary', 'CanarySecret'),
    'functions/canary.handler: the secret canary is not linked',
  ],
  [
    'a canary that could be any user',
    ({ builds }) => {
      for (const { handler, links } of builds)
        if (handler === 'functions/canary.handler') links.ExchangeSecret = { value: 'exchange-key' }
    },
    'functions/canary.handler: ExchangeSecret is more than it needs',
  ],
  [
    'a canary whose silence is health',
    set('MetricAlarm', /^CanarySilent$/, { treatMissingData: 'notBreaching' }),
    'alarm CanarySilent: takes silence for health',
  ],
  [
    'a canary whose alarm watches a foreign metric',
    set('MetricAlarm', /^CanaryFailed$/, { metricName: 'Canary' }),
    'alarm CanaryFailed: watches Canary',
  ],
  [
    'an origin of another stage',
    ({ builds }) => {
      const [build] = builds
      if (build)
        build.links.Stage = { ...(build.links.Stage as Inputs), AI_CHAT_ORIGIN: 'https://other.example' }
    },
    /is given another origin than chat\.example/,
  ],
  [
    'a table under the keys of AWS',
    set('Table', /^ChatTable$/, { serverSideEncryption: undefined }),
    'ChatTable: not under the key',
  ],
  [
    'a queue under the keys of AWS',
    set('Queue', /^ProcessDeadQueue$/, { sqsManagedSseEnabled: true }),
    'ProcessDeadQueue: not under the key',
  ],
  [
    'files under the keys of AWS',
    without('BucketServerSideEncryptionConfiguration', /^FilesEncryption$/),
    'files: not under the key',
  ],
  [
    'a log under the keys of AWS',
    set('LogGroup', /^SendLogGroup$/, { kmsKeyId: undefined }),
    'SendLogGroup: not under the key',
  ],
  [
    'rows that cannot be read',
    grants(/^PollRole$/, lacking('kms:Decrypt')),
    'PollRole: may not kms:Decrypt with the key',
  ],
  [
    'dead letters that the scheduler cannot write',
    grants(/^CleanupRole$/, lacking('kms:GenerateDataKey')),
    'CleanupRole: may not kms:GenerateDataKey with the key',
  ],
]

test.each(onFull)('%s: caught', (_, spoil, said) => {
  expect(faults(spoiled(full, spoil))).toContainEqual(
    typeof said === 'string' ? said : expect.stringMatching(said),
  )
})

const onAsked: typeof onFull = [
  [
    'secrets of tasks under the keys of AWS',
    set('Parameter', /^WorkerAI_CHAT_SECRET$/, { keyId: undefined }),
    'WorkerAI_CHAT_SECRET: not under the key',
  ],
  [
    'a worker that cannot read what it receives',
    grants(/^WorkerTaskRole$/, lacking('kms:Decrypt')),
    'WorkerTaskRole: may not kms:Decrypt with the key',
  ],
]

test.each(onAsked)('%s: caught', (_, spoil, said) => {
  expect(faults(spoiled(asked, spoil))).toContain(said)
})

const onWorker: [what: string, spoil: Spoil, said: RegExp][] = [
  [
    'a worker that may not receive',
    grants(/^WorkerTaskRole$/, lacking('sqs:ReceiveMessage')),
    /WorkerTaskRole: may not sqs:ReceiveMessage/,
  ],
  [
    'changes that are approved and cannot be made',
    grants(/^WorkerTaskRole$/, lacking('dynamodb:PutItem', 'cmstable')),
    /WorkerTaskRole: may not dynamodb:PutItem on .*cmstable/,
  ],
  [
    'edits by hand that cannot be made',
    grants(/^BackendRole$/, lacking('dynamodb:UpdateItem', 'cmstable')),
    /BackendRole: may not dynamodb:UpdateItem on .*cmstable/,
  ],
  [
    'a worker whose end is silent',
    set('MetricAlarm', /^WorkerSilent$/, { treatMissingData: 'notBreaching' }),
    /alarm WorkerSilent: takes silence for health/,
  ],
]

test.each(onWorker)('%s: caught', (_, spoil, said) => {
  expect(faults(spoiled(worker, spoil))).toContainEqual(expect.stringMatching(said))
})
