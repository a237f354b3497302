import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ServiceQuotasClient } from '@aws-sdk/client-service-quotas'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Untried } from '../../../core/watch/canary/proof.ts'
import { alarms, askTopics, describePrices, quotas, refuseEnds } from '../../../scripts/doctor/account.ts'
import { model, provider, settings } from '../../support/settings.ts'

/** Answers as SNS (query protocol) and Service Quotas (JSON protocol) give them. */
let server: Server
let subscriptions: [endpoint: string, arn: string][] = []
let known: Record<string, number> = {}
let options: {
  endpoint: string
  region: string
  credentials: { accessKeyId: string; secretAccessKey: string }
}

beforeAll(async () => {
  server = createServer((request, answer) => {
    const isQuotas = request.headers['x-amz-target'] === 'ServiceQuotasV20190624.ListServiceQuotas'
    answer.setHeader('content-type', isQuotas ? 'application/x-amz-json-1.1' : 'text/xml')
    answer.end(isQuotas ? listed() : subscribed())
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' }
  options = { endpoint: `http://127.0.0.1:${port}`, region: 'us-east-1', credentials }
})
afterAll(() => server.close())

const listed = () =>
  JSON.stringify({ Quotas: Object.entries(known).map(([QuotaName, Value]) => ({ QuotaName, Value })) })

function subscribed(): string {
  const members = subscriptions.map(
    ([endpoint, arn]) =>
      `<member><Endpoint>${endpoint}</Endpoint><SubscriptionArn>${arn}</SubscriptionArn></member>`,
  )
  return `<ListSubscriptionsByTopicResponse xmlns="http://sns.amazonaws.com/doc/2010-03-31/"><ListSubscriptionsByTopicResult><Subscriptions>${members.join('')}</Subscriptions></ListSubscriptionsByTopicResult></ListSubscriptionsByTopicResponse>`
}

const topic = 'arn:aws:sns:us-east-1:123456789012:alarms'

test('an address that has not confirmed its subscription is named', async () => {
  subscriptions = [
    ['ops@example.com', `${topic}:1`],
    ['boss@example.com', 'PendingConfirmation'],
  ]

  await expect(alarms(topic, options)).rejects.toThrow(
    `boss@example.com has not confirmed ${topic}, and gets no alarm`,
  )
})

test('the report names the addresses that get the alarms, or says that there is none', async () => {
  subscriptions = [['ops@example.com', `${topic}:1`]]
  expect(await alarms(topic, options)).toBe('ops@example.com')
  subscriptions = []
  expect(await alarms(topic, options)).toBe('no address gets them')
})

test('each topic of the alarms is asked about in its region, and what they have in common is told once', async () => {
  const topics = ['arn:aws:sns:eu-central-1:123456789012:alarms', topic]
  const regions = (about: (region: string) => string) =>
    askTopics(topics, async (asked, { region }) => about(`${topics.indexOf(asked)} ${region}`))

  expect(await regions((region) => region)).toBe('0 eu-central-1, 1 us-east-1')
  expect(await regions(() => 'ops@example.com')).toBe('ops@example.com')
  await expect(askTopics([], alarms)).rejects.toBeInstanceOf(Untried)
})

const asked = (modelId: string, limits: Parameters<typeof provider>[0] = {}) =>
  quotas(
    new ServiceQuotasClient(options),
    settings({ providers: [provider({ adapter: 'bedrock', ...limits })], models: [model({ modelId })] }),
  )

const requests = 'model inference requests per minute for Anthropic Claude Sonnet'
const tokens = 'model inference tokens per minute for Anthropic Claude Sonnet'

test.each([
  ['global.anthropic.claude-sonnet-4-5-20250929-v1:0', '200 requests, 400000 tokens a minute'],
  ['eu.anthropic.claude-sonnet-4-5-20250929-v1:0', '20 requests a minute'],
  ['anthropic.claude-sonnet-4-20250514-v1:0', '7 requests a minute'],
  ['global.anthropic.claude-opus-9', 'no quota has its name'],
])('the quotas of %s: %s', async (modelId, told) => {
  known = {
    [`Global cross-region ${requests} 4.5 V1`]: 200,
    [`Global cross-region ${tokens} 4.5 V1`]: 400_000,
    [`Cross-region ${requests} 4.5 V1`]: 20,
    [`On-demand ${requests} 4 V1`]: 7,
    [`On-demand ${requests} 4.5 V1`]: 8,
  }

  expect(await asked(modelId)).toBe(`${modelId}: ${told}`)
})

test('a quota of a new account that is 0 is a fault, and one below the limits of the settings', async () => {
  const modelId = 'global.anthropic.claude-sonnet-5-5'
  known = { [`Global cross-region ${requests} 5.5`]: 0 }
  await expect(asked(modelId)).rejects.toThrow(`${modelId}: the account may ask for 0 requests a minute`)
  known = { [`Global cross-region ${requests} 5.5`]: 50 }
  await expect(asked(modelId, { requestsPerMinute: 60 })).rejects.toThrow('for 50 requests a minute')
  expect(await asked(modelId, { requestsPerMinute: 50 })).toContain('50 requests a minute')
})

test('where no model of Bedrock is named, no quota is looked for', async () => {
  const demo = settings({ providers: [provider({ adapter: 'demo' })], models: [model({})] })

  await expect(quotas(new ServiceQuotasClient(options), demo)).rejects.toBeInstanceOf(Untried)
})

const asking = (modelId: string, more: Partial<Parameters<typeof model>[0]> = {}) =>
  settings({ providers: [provider({ adapter: 'anthropic' })], models: [model({ modelId, ...more })] })

test('a model without prices is named, and is no failure', () => {
  expect(describePrices(asking('qwen3'))).toBe('no prices for qwen3')
  const prices = { input: 2, output: 10, cacheRead: 0.1, cacheWrite: 2.5 }
  expect(describePrices(asking('qwen3', { prices, pricesAsOf: '2026-11-23' }))).toBe('qwen3 as of 2026-11-23')
})

test.each([
  ['2026-10-02', 'claude-sonnet-4-5 retires on 2026-11-30, in 59 days'],
  ['2026-12-01', 'claude-sonnet-4-5 has been retired since 2026-11-30'],
])('on %s the end of a model is told', (day, words) => {
  expect(() => refuseEnds(asking('claude-sonnet-4-5'), Date.parse(day))).toThrow(words)
})

test('an end that is far or not announced is none', () => {
  expect(refuseEnds(asking('claude-sonnet-4-5'), Date.parse('2026-09-30'))).toContain('none announced')
  expect(refuseEnds(asking('claude-sonnet-5-5'), Date.parse('2030-01-01'))).toContain('none announced')
})
