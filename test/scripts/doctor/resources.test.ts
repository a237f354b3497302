import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { CostExplorerClient } from '@aws-sdk/client-cost-explorer'
import { LambdaClient } from '@aws-sdk/client-lambda'
import { SchedulerClient } from '@aws-sdk/client-scheduler'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { Untried } from '../../../core/watch/canary/proof.ts'
import { consumer, costsByStage, ringing, schedules } from '../../../scripts/doctor/resources.ts'

/** Answers as Lambda and EventBridge Scheduler (REST), CloudWatch (JSON) and Cost Explorer (JSON) give them. */
let server: Server
let answers: Map<string, { status?: number; body: object }>
let options: {
  endpoint: string
  region: string
  credentials: { accessKeyId: string; secretAccessKey: string }
}

beforeAll(async () => {
  server = createServer((request, answer) => {
    const target = request.headers['x-amz-target'] ?? new URL(request.url ?? '', 'http://x').pathname
    const { status = 200, body } = answers.get(String(target)) ?? { status: 404, body: { message: target } }
    if (status === 404) answer.setHeader('x-amzn-errortype', 'ResourceNotFoundException')
    answer.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' }
  options = { endpoint: `http://127.0.0.1:${port}`, region: 'us-east-1', credentials }
})
afterAll(() => server.close())
beforeEach(() => {
  answers = new Map()
})

type Lambda = { state?: string; turns?: number; reserved?: number; executions?: number }

function lambda({ state = 'Enabled', turns = 50, reserved, executions = 1_000 }: Lambda = {}) {
  const mapping = { State: state, ScalingConfig: { MaximumConcurrency: turns } }
  answers.set('/2015-03-31/event-source-mappings', { body: { EventSourceMappings: [mapping] } })
  answers.set('/2019-09-30/functions/ai-chat-production-process/concurrency', {
    body: reserved === undefined ? {} : { ReservedConcurrentExecutions: reserved },
  })
  answers.set('/2016-08-19/account-settings', {
    body: { AccountLimit: { ConcurrentExecutions: executions } },
  })
  return consumer(new LambdaClient(options), 'production')
}

test('the turns at once are told beside the executions of the account', async () => {
  expect(await lambda()).toBe('50 turns at once, of 1000 executions of the account')
  expect(await lambda({ reserved: 50 })).toContain('50 turns at once')
})

test.each<[Lambda, string]>([
  [{ state: 'Disabled' }, 'The queue starts no function: its mapping is Disabled'],
  [{ reserved: 0 }, '0 executions are reserved for 50 turns'],
  [{ executions: 10 }, 'The account has 10 executions at once, and the stage may have 50 turns'],
])('a consumer that cannot work is a fault: %j', async (state, sentence) => {
  await expect(lambda(state)).rejects.toThrow(sentence)
})

test('a stage whose turns are taken by tasks has no consumer to look at', async () => {
  await expect(consumer(new LambdaClient(options), 'worker')).rejects.toBeInstanceOf(Untried)
})

const schedule = (stage: string, name: string, State = 'ENABLED') => ({
  Name: `${name}-1a2b`,
  State,
  Target: { Arn: `arn:aws:lambda:us-east-1:123456789012:function:ai-chat-${stage}-${name}` },
})

function scheduled(...Schedules: object[]) {
  answers.set('/schedules', { body: { Schedules } })
  return schedules(new SchedulerClient(options), 'production')
}

test('the schedules of the stage are named, and none of another stage', async () => {
  expect(
    await scheduled(
      schedule('production', 'cleanup'),
      schedule('production', 'retire'),
      schedule('dev', 'canary'),
    ),
  ).toBe('cleanup, retire')
})

test('a schedule that is switched off or gone is a fault', async () => {
  await expect(
    scheduled(schedule('production', 'cleanup'), schedule('production', 'retire', 'DISABLED')),
  ).rejects.toThrow('Switched off: retire')
  await expect(scheduled(schedule('dev', 'cleanup'))).rejects.toThrow('Cleanup has no schedule')
})

const topic = 'arn:aws:sns:us-east-1:123456789012:alarms'

test('the alarms that ring are named with their sentence, those of another stage are not', async () => {
  const alarm = (AlarmName: string, action: string) => ({
    AlarmName,
    AlarmDescription: 'Turns wait.',
    AlarmActions: [action],
  })
  const rings = (...MetricAlarms: object[]) =>
    answers.set('GraniteServiceVersion20100801.DescribeAlarms', { body: { MetricAlarms } })
  rings(alarm('WaitingTurns-1a2b', topic), alarm('Other', `${topic}-of-dev`))

  expect(await ringing(topic, options)).toBe('WaitingTurns-1a2b: Turns wait.')
  rings()
  expect(await ringing(topic, options)).toBe('none in us-east-1')
})

test('the tag of the costs is looked for, and told where bills do not count by it', async () => {
  const client = new CostExplorerClient(options)
  const tags = (...CostAllocationTags: object[]) =>
    answers.set('AWSInsightsIndexService.ListCostAllocationTags', { body: { CostAllocationTags } })
  tags({ TagKey: 'sst:stage', Type: 'UserDefined', Status: 'Active' })
  expect(await costsByStage(client)).toBe('by the tag sst:stage')
  tags({ TagKey: 'sst:stage', Type: 'UserDefined', Status: 'Inactive' })
  await expect(costsByStage(client)).rejects.toThrow('the budget of the stage counts nothing')
  answers.set('AWSInsightsIndexService.ListCostAllocationTags', {
    status: 400,
    body: { __type: 'AccessDeniedException' },
  })
  await expect(costsByStage(client)).rejects.toThrow('only the account that pays may ask')
})
