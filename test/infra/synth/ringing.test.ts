import '../../support/setup.ts'
import { randomUUID } from 'node:crypto'
import { SignJWT } from 'jose'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { metrics } from '../../../core/base/metric/name.ts'
import { handler as look, observe } from '../../../functions/canary.ts'
import { cleanUp } from '../../../functions/cleanup.ts'
import { call } from '../../support/call.ts'
import { type Bench, startBench, type User } from '../../support/live.ts'
import { model } from '../../support/settings.ts'
import type { Inputs } from '../../support/synth/mocks.ts'
import { type Point, pointsOf, rings } from '../../support/synth/ringing.ts'
import { type Synth, synth } from '../../support/synth/synth.ts'

/** Every alarm, and the situation that it is for: measured by the code that turns run through, or by AWS. */

Object.assign(process.env, {
  AI_CHAT_LOCAL: 'false',
  AI_CHAT_STAGE: 'worker',
  AI_CHAT_SECRET_CMS: 'an exchange key of at least 32 bytes',
  // No stage answers there: fetch refuses the port.
  AI_CHAT_ORIGIN: 'http://127.0.0.1:9',
})

let stage: Synth
let alarms: Map<string, Inputs>
let bench: Bench
let editor: User
/** Dollars per million tokens. */
const prices = { input: 2, output: 10, cacheRead: 0.2, cacheWrite: 2.5 }
const measured = new Set<string>()
const canary = { everyMinutes: 15, turnsEveryHours: 6, user: 'canary', page: 3 }
const exchangeKey = String(process.env.AI_CHAT_SECRET_CMS)

beforeAll(async () => {
  stage = await synth('worker', {}, { deployment: { canary }, settings: { dailyTokens: 1_000 } })
  const found = stage.resources.filter(({ type }) => type === 'aws:cloudwatch/metricAlarm:MetricAlarm')
  alarms = new Map(found.map(({ name, inputs }) => [name, inputs]))
  const consumer = await synth('production')
  alarms.set('ProcessErrors', consumer.one('aws:cloudwatch/metricAlarm:MetricAlarm', 'ProcessErrors'))
  bench = await startBench({
    maxActiveConversations: null,
    models: [model({ modelId: 'claude-sonnet-5-5', prices })],
  })
  editor = await bench.login('editor')
})
afterEach(() => bench.api.reset())
afterAll(() => bench.stop())

const alarm = (name: string): Inputs => {
  const inputs = alarms.get(name)
  if (!inputs) throw new Error(`There is no alarm ${name}`)
  return inputs
}

/** Asks for sessions with statements that this key signs, as a CMS elsewhere does. */
async function exchanges(count: number, key: string): Promise<void> {
  for (let at = 0; at < count; at++) {
    const token = await new SignJWT({ jti: randomUUID() })
      .setProtectedHeader({ alg: 'HS256' })
      .setIssuer('cms')
      .setAudience('chat')
      .setSubject('2')
      .setExpirationTime(Math.floor(bench.clock.now() / 1_000) + 30)
      .sign(new TextEncoder().encode(key))
    await call(bench.handler, '/backend/exchange', { body: { token } })
  }
}

/** What the service measures while `act` runs. */
async function recorded(act: () => Promise<unknown>): Promise<Point[]> {
  const lines: string[] = []
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    lines.push(...String(text).split('\n'))
    return true
  })
  try {
    await act()
  } finally {
    write.mockRestore()
  }
  const points = pointsOf(lines.filter((line) => line.startsWith('{"_aws"')))
  for (const { name } of points) measured.add(name)
  return points
}

async function turns(count: number): Promise<void> {
  for (let at = 0; at < count; at++) await editor.turn(`Message ${at}`)
}

const whose = (name: string, points: Point[]) => rings(alarm(name), Array(3).fill(points))

describe('measured by the service itself', () => {
  test('FailedTurns rings for a revoked key, which the code of the failures names, and not for good turns', async () => {
    bench.api.always({ fault: 'status', status: 401 })
    const failed = await recorded(() => turns(5))
    bench.api.always({ text: 'Answer.' })
    const good = await recorded(() => turns(5))

    expect(whose('FailedTurns', failed)).toBe(true)
    expect(failed.map(({ dimensions }) => dimensions.code).filter(Boolean)).toEqual(
      Array(5).fill('model.unauthorized'),
    )
    expect(whose('FailedTurns', good)).toBe(false)
  })

  test('FailedTurns stays silent for four failed turns, which are too few for a share', async () => {
    bench.api.always({ fault: 'status', status: 401 })

    expect(whose('FailedTurns', await recorded(() => turns(4)))).toBe(false)
  })

  test('FailedTurnsOfHours rings for three failed turns of a small stage, and not for three good ones', async () => {
    bench.api.always({ fault: 'status', status: 401 })
    const failed = await recorded(() => turns(3))
    bench.api.always({ text: 'Answer.' })
    const good = await recorded(() => turns(3))

    expect(whose('FailedTurnsOfHours', failed)).toBe(true)
    expect(whose('FailedTurnsOfHours', good)).toBe(false)
    expect(whose('FailedTurnsOfHours', [...failed, ...good])).toBe(false)
  })

  test('RefusedSessions rings when every exchange is refused, whose code it names, and not for good ones', async () => {
    await bench.configure({ exchange: { issuer: 'cms', audience: 'chat', key: 'cms' } })
    const refused = await recorded(() => exchanges(5, 'a key that the CMS has and the stage has not'))
    const good = await recorded(() => exchanges(5, exchangeKey))
    await bench.configure()

    expect(whose('RefusedSessions', refused)).toBe(true)
    expect(refused.map(({ dimensions }) => dimensions.code).filter(Boolean)).toEqual(
      Array(5).fill('login.failed'),
    )
    expect(whose('RefusedSessions', good)).toBe(false)
    expect(whose('RefusedSessions', [...refused, ...good])).toBe(false)
  })

  test('SlowModel rings for calls of more than two minutes, SlowTurns for turns of more than ten', async () => {
    bench.api.always(async () => {
      await bench.clock.pass(20_000)
      return { text: 'Answer.' }
    })
    const points = await recorded(() => turns(1))
    const longer = (times: number) => points.map((point) => ({ ...point, value: point.value * times }))

    expect(whose('SlowModel', longer(6))).toBe(false)
    expect(whose('SlowModel', longer(7))).toBe(true)
    expect(whose('SlowTurns', longer(30))).toBe(false)
    expect(whose('SlowTurns', longer(31))).toBe(true)
  })

  test('RequestErrors counts neither maintenance nor a stage that is too busy', async () => {
    await bench.configure({ maintenance: true })
    const declined = await recorded(async () => {
      for (let at = 0; at < 6; at++)
        expect((await editor.post('send', { content: 'Hello' })).status).toBe(503)
    })
    await bench.configure()

    expect(whose('RequestErrors', [...declined, failedRequests(6)])).toBe(false)
    expect(whose('RequestErrors', [...declined, failedRequests(12)])).toBe(true)
  })

  test('WaitingTurns rings when turns wait for longer than two minutes, hand-overs and all', async () => {
    bench.api.always({ text: 'Answer.' })
    const waited = (ms: number) =>
      recorded(async () => {
        await editor.send('Wait')
        await bench.clock.pass(ms)
        await bench.settle()
      })

    expect(whose('WaitingTurns', await waited(119_000))).toBe(false)
    expect(whose('WaitingTurns', await waited(121_000))).toBe(true)
  })

  test('a turn whose message cleanup sent again has waited since it was queued', async () => {
    bench.api.always({ text: 'Answer.' })
    const points = await recorded(async () => {
      await editor.send('Wait')
      await bench.clock.pass(70_000)
      await cleanUp(bench.live)
      await bench.clock.pass(60_000)
      await bench.settle()
    })

    expect(points.filter(({ name }) => name === metrics.queueWaitMs).map(({ value }) => value)).toEqual([
      130_000,
    ])
  })

  test('StuckTurns rings when cleanup fails a turn, and not when it finds none', async () => {
    const idle = await recorded(() => cleanUp(bench.live))
    const stuck = await recorded(async () => {
      await editor.send('Wait')
      await bench.clock.pass(5 * 60_000 + 1_000)
      await cleanUp(bench.live)
    })

    expect(whose('StuckTurns', idle)).toBe(false)
    expect(whose('StuckTurns', stuck)).toBe(true)
    await bench.settle()
  })

  test('StageTokens rings when the users have used more than 80 % of the tokens of the day', async () => {
    const used = async (tokens: number) => {
      bench.api.always({ text: 'Answer.', usage: { input: tokens - 1, output: 1 } })
      await recorded(() => turns(1))
      return recorded(() => cleanUp(bench.live))
    }
    await bench.clock.pass(24 * 3_600_000)
    editor = await bench.login('editor')
    await bench.configure({ dailyTokens: 1_000 })

    expect(whose('StageTokens', await used(800))).toBe(false)
    expect(whose('StageTokens', await used(10))).toBe(true)
    await bench.configure()
  })

  test('ModelDollars rings when the calls of a day cost a tenth of the budget of the month', async () => {
    bench.api.always({ text: 'Answer.', usage: { input: 100, output: 20 } })
    const points = await recorded(() => turns(1))
    const sumOf = (metric: string) => points.find(({ name }) => name === metric)?.value

    // $2 for a million tokens in and $10 out; the budget of the stage is $300.
    expect([sumOf(metrics.modelTokens), sumOf(metrics.modelMicroDollars)]).toEqual([120, 400])
    expect(whose('ModelDollars', Array(75_000).fill(points).flat())).toBe(false)
    expect(whose('ModelDollars', Array(75_001).fill(points).flat())).toBe(true)
  })
})

describe('measured by the canary', () => {
  const errand = { who: { username: 'canary' }, page: 3, turns: true }
  const good = (turns = false) =>
    observe(async () => [{ name: 'login', outcome: 'good', detail: '', ms: 1 }], turns)

  test('CanaryFailed rings for a stage that does not answer, and names what failed', async () => {
    const failed = await recorded(() => look(errand))

    expect(whose('CanaryFailed', failed)).toBe(true)
    expect(failed.map(({ dimensions }) => dimensions.code).filter(Boolean)).toEqual(['pages', 'login'])
    expect(whose('CanaryFailed', await recorded(() => good()))).toBe(false)
  })

  test('CanarySilent rings where no visit has succeeded, and where none was made', async () => {
    expect(whose('CanarySilent', await recorded(() => look(errand)))).toBe(true)
    expect(whose('CanarySilent', [])).toBe(true)
    expect(whose('CanarySilent', await recorded(() => good()))).toBe(false)
  })

  test('CanaryTurnsSilent rings where visits without turns succeed, and those with turns die', async () => {
    expect(whose('CanaryTurnsSilent', await recorded(() => good()))).toBe(true)
    expect(whose('CanaryTurnsSilent', await recorded(() => look(errand)))).toBe(true)
    expect(whose('CanaryTurnsSilent', await recorded(() => good(true)))).toBe(false)
  })
})

/** Points as AWS measures them of a resource, under the dimensions that its documentation names. */
const byAws = (namespace: string, name: string, dimensions: Record<string, string>, value = 1): Point => ({
  namespace,
  name,
  dimensions,
  value,
})
const dead = (queue: string, count: number) =>
  byAws('AWS/SQS', 'ApproximateNumberOfMessagesVisible', { QueueName: `ai-chat-worker-${queue}` }, count)
const cleanup = (name: string, value: number) =>
  byAws('AWS/Lambda', name, { FunctionName: 'ai-chat-worker-cleanuphandlerfunction' }, value)
const task = byAws('AWS/ECS', 'CPUUtilization', {
  ClusterName: 'ai-chat-worker-clustercluster',
  ServiceName: 'ai-chat-worker-workerservice',
})
const failedRequests = (count: number) =>
  byAws('AWS/ApiGateway', '5xx', { ApiId: 'ai-chat-worker-apiapi' }, count)
const edgeErrors = (percent: number) =>
  byAws(
    'AWS/CloudFront',
    '5xxErrorRate',
    { DistributionId: 'ai-chat-worker-routercdndistribution', Region: 'Global' },
    percent,
  )
const retireError = byAws('AWS/Lambda', 'Errors', { FunctionName: 'ai-chat-worker-retirehandlerfunction' })
const consumerErrors = (): Point => {
  const { dimensions } = alarm('ProcessErrors') as { dimensions: Record<string, string> }
  return byAws('AWS/Lambda', 'Errors', dimensions)
}

const situations: [alarm: string, bad: () => Point[], good: () => Point[]][] = [
  ['DeadTurns', () => [dead('processdeadqueue', 1)], () => [dead('processdeadqueue', 0)]],
  ['DeadCleanups', () => [dead('cleanupdeadqueue', 1)], () => [dead('cleanupdeadqueue', 0)]],
  ['RequestErrors', () => [failedRequests(6)], () => [failedRequests(5)]],
  ['EdgeErrors', () => [edgeErrors(26)], () => [edgeErrors(25)]],
  ['RetireErrors', () => [retireError], () => []],
  ['CleanupErrors', () => Array(3).fill(cleanup('Errors', 1)), () => [cleanup('Errors', 1)]],
  ['CleanupSilent', () => [], () => [cleanup('Invocations', 1)]],
  ['WorkerSilent', () => [], () => [task]],
  ['ProcessErrors', () => [consumerErrors()], () => []],
  [
    'Throttles',
    () => [byAws('AWS/Lambda', 'Throttles', {})],
    () => [byAws('AWS/Lambda', 'Throttles', {}, 0)],
  ],
]

describe('measured by AWS', () => {
  test.each(situations)('%s rings for its situation, and not without it', (name, bad, good) => {
    const periods = (points: Point[]) => Array<Point[]>(5).fill(points)

    expect(rings(alarm(name), periods(bad()))).toBe(true)
    expect(rings(alarm(name), periods(good()))).toBe(false)
  })
})

test('no alarm is without a situation, and none watches a metric of the service that no code measures', () => {
  const own = [...alarms].filter(([, it]) => JSON.stringify(it).includes('"AIChat"')).map(([name]) => name)
  const watched = [...alarms.values()].flatMap((it) => [
    ...JSON.stringify(it).matchAll(/"metricName":"(\w+)"/g),
  ])
  const names = new Set(Object.values(metrics) as string[])

  expect(own.toSorted()).toEqual([
    'CanaryFailed',
    'CanarySilent',
    'CanaryTurnsSilent',
    'FailedTurns',
    'FailedTurnsOfHours',
    'ModelDollars',
    'RefusedSessions',
    'RequestErrors',
    'SlowModel',
    'SlowTurns',
    'StageTokens',
    'StuckTurns',
    'WaitingTurns',
  ])
  const situated = situations.map(([name]) => name)
  expect([...alarms.keys()].toSorted()).toEqual([...new Set([...own, ...situated])].toSorted())
  for (const [, name = ''] of watched) if (names.has(name)) expect(measured).toContain(name)
})
