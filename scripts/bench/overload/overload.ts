/**
 * `npm run bench:overload [-- --part 0.1 --seconds 900 --seed 1]`: simulates the busiest minutes of a day with a
 * million messages of 10,000 editors. It runs the real code of start, queue, claim, pace and cleanup on a simulated
 * clock. `--part` scales the stage: editors, messages, consumers and limits. `--batch 2000` simulates a usual load
 * instead, into which one group sends this many turns at once. `--carry` finds the turns a second at which 95 of 100
 * turns wait for less than 5 s, for workers and for functions.
 */
import { parseArgs } from 'node:util'
import { worker } from '../../../infra/limits.ts'
import { configuration, model, provider, settings } from '../../../test/support/settings.ts'
import { print, requireNode } from '../../command.ts'
import { quantile } from '../sample.ts'
import { type Outcome, simulate } from './simulate.ts'

/** A million messages a day, four times as many a second in the busiest hour as on average. */
const fullLoad = { editors: 10_000, turnsPerSecond: 46 }
/** Calls a minute at the peak: 46 turns a second with 2.5 calls each. */
const peakCalls = 6_900

/** The time of a turn of 2.5 calls that take 6 s each. */
const secondsOfTurn = 15

/** Dollars of AWS: a second of a function with 1 GB (arm64), a write unit, a request to the queue. */
const dollars = { second: 0.0000133334, write: 0.000000625, message: 0.0000004 }

/** The shapes that are compared; `quota` as a share of the demand at the peak. */
const shapes = [
  { name: '50 turns at once, no refusals', consumers: 50, quota: 10, isPaced: false, refuses: false },
  { name: '50 turns at once', consumers: 50, quota: 10, isPaced: false, refuses: true },
  { name: '400 turns at once, no refusals', consumers: 400, quota: 10, isPaced: false, refuses: false },
  { name: '400 turns at once', consumers: 400, quota: 10, isPaced: false, refuses: true },
  { name: '900 turns at once', consumers: 900, quota: 10, isPaced: false, refuses: true },
  {
    name: '900, provider takes 70 %, no refusals, no limiter',
    consumers: 900,
    quota: 0.7,
    isPaced: false,
    refuses: false,
  },
  {
    name: '900, provider takes 70 %, refusals alone',
    consumers: 900,
    quota: 0.7,
    isPaced: false,
    refuses: true,
  },
  {
    name: '900, provider takes 70 %, limiter alone',
    consumers: 900,
    quota: 0.7,
    isPaced: true,
    refuses: false,
  },
  { name: '900, provider takes 70 %, both', consumers: 900, quota: 0.7, isPaced: true, refuses: true },
]

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      part: { type: 'string', default: '0.1' },
      seconds: { type: 'string', default: '900' },
      seed: { type: 'string', default: '1' },
      only: { type: 'string' },
      batch: { type: 'string' },
      carry: { type: 'boolean' },
    },
  })
  if (values.carry) return carry(Number(values.seconds), Number(values.seed))
  if (values.batch) return besideBatch(Number(values.batch), Number(values.seed), values.only)
  const part = Number(values.part)
  print('| shape | wait p50 | wait p95 | refused | failed | calls refused | AWS per 1,000 answers |')
  print('|---|---|---|---|---|---|---|')
  for (const shape of shapes.filter(({ name }) => !values.only || name.includes(values.only))) {
    const quota = peakCalls * shape.quota * part
    const limits = { requestsPerMinute: shape.isPaced ? Math.round(quota) : null }
    const outcome = await simulate({
      editors: Math.round(fullLoad.editors * part),
      turnsPerSecond: fullLoad.turnsPerSecond * part,
      seconds: Number(values.seconds),
      consumers: Math.max(1, Math.round(shape.consumers * part)),
      quota,
      seed: Number(values.seed),
      settings: settings({
        providers: [provider(limits)],
        models: [model()],
        configurations: [configuration()],
        maxActiveConversations: null,
        maxConversationsPerUser: null,
        ...(!shape.refuses && { refuseAfterWaitMs: null }),
      }),
    })
    print(line(shape.name, outcome))
  }
}

/**
 * A stage with default settings under a usual load. Then the same load while one group sends very many turns at once,
 * or groups with these weights share them.
 */
const batchShapes = [
  { name: 'no batch', weights: [], isFair: true },
  { name: 'batch, the queue knows no groups', weights: [1], isFair: false },
  { name: 'batch, the queue knows groups', weights: [1], isFair: true },
  { name: 'no batch, provider takes 240 calls a minute', weights: [], isFair: true, perMinute: 240 },
  { name: 'batch, provider takes 240 calls a minute', weights: [1], isFair: true, perMinute: 240 },
  { name: 'batch of weight 4, 240 calls', weights: [4], isFair: true, perMinute: 240 },
  { name: 'two batches of weight 1, 240 calls', weights: [1, 1], isFair: true, perMinute: 240 },
  { name: 'batches of weight 1 and 3, 240 calls', weights: [1, 3], isFair: true, perMinute: 240 },
]

async function besideBatch(turns: number, seed: number, only?: string): Promise<void> {
  print(
    '| shape | wait p50 of the others | p95 | others refused or failed | batch done | batch wait p50 | p95 |',
  )
  print('|---|---|---|---|---|---|---|')
  for (const shape of batchShapes.filter(({ name }) => !only || name.includes(only))) {
    const size = Math.round(turns / Math.max(1, shape.weights.length))
    const { waits, batchWaits, others } = await simulate({
      editors: 500,
      groups: 10,
      turnsPerSecond: 1,
      seconds: 1_200,
      consumers: 50,
      quota: shape.perMinute ?? peakCalls,
      seed,
      isFair: shape.isFair,
      batch: { turns: size, afterMs: 120_000, weights: shape.weights },
      settings: settings({
        providers: [provider({ requestsPerMinute: shape.perMinute ?? null })],
        models: [model()],
        configurations: [configuration()],
        maxActiveConversations: null,
        maxConversationsPerUser: null,
      }),
    })
    const seconds = (of: number[], q: number) => (of.length > 0 ? `${quantile(of, q).toFixed(1)} s` : '')
    const lost = `${((100 * (others - waits.length)) / others).toFixed(1)} %`
    const ofBatches = (said: (of: number[]) => string) => batchWaits.map(said).join(', ')
    const row = [
      shape.name,
      seconds(waits, 0.5),
      seconds(waits, 0.95),
      lost,
      ofBatches((of) => `${((100 * of.length) / size).toFixed(0)} %`),
      ofBatches((of) => seconds(of, 0.5)),
      ofBatches((of) => seconds(of, 0.95)),
    ]
    print(`| ${row.join(' | ')} |`)
  }
}

/** Consumers whose capacity is compared, by their turns at once. */
const carriers = [
  { name: 'one worker', consumers: worker.concurrency },
  { name: 'functions as delivered', consumers: 50 },
  { name: 'ten workers', consumers: 10 * worker.concurrency },
]

async function carry(seconds: number, seed: number): Promise<void> {
  print('| shape | turns at once | turns a second | wait p95 |')
  print('|---|---|---|---|')
  for (const { name, consumers } of carriers) {
    const most = consumers / secondsOfTurn
    for (let share = 1; share > 0.5; share -= 0.05) {
      const turnsPerSecond = most * share
      const outcome = await simulate({
        editors: 10_000,
        turnsPerSecond,
        seconds,
        consumers,
        quota: peakCalls,
        seed,
        settings: settings({
          providers: [provider()],
          models: [model()],
          configurations: [configuration()],
          maxActiveConversations: null,
          maxConversationsPerUser: null,
        }),
      })
      const wait = quantile(outcome.waits, 0.95)
      if (wait > 5 || outcome.failed + outcome.refused > 0) continue
      print(`| ${name} | ${consumers} | ${turnsPerSecond.toFixed(2)} | ${wait.toFixed(1)} s |`)
      break
    }
  }
}

function line(name: string, outcome: Outcome): string {
  const { sent, refused, failed, done, waits, held, calls, throttled, writes, messages } = outcome
  const seconds = (q: number) => `${quantile(waits, q).toFixed(1)} s`
  const percent = (count: number, of: number) => `${((100 * count) / Math.max(1, of)).toFixed(1)} %`
  const cost = held * dollars.second + writes * dollars.write + messages * dollars.message
  return `| ${[
    name,
    seconds(0.5),
    seconds(0.95),
    percent(refused, sent + refused),
    percent(failed, sent),
    percent(throttled, calls),
    `$${((1_000 * cost) / Math.max(1, done)).toFixed(2)}`,
  ].join(' | ')} |`
}

requireNode()
Object.assign(process.env, {
  AI_CHAT_STAGE: 'simulated',
  AI_CHAT_TABLE: 'chat',
  AI_CHAT_CMS_TABLE: 'cms',
  AI_CHAT_BUCKET: 'files',
  AI_CHAT_QUEUE_URL: 'http://127.0.0.1/queue',
  AI_CHAT_ORIGIN: 'http://127.0.0.1',
  AI_CHAT_SECRET: 'a simulation signs nothing with these words',
  AI_CHAT_LOCAL: 'true',
  AWS_ACCESS_KEY_ID: 'simulated',
  AWS_SECRET_ACCESS_KEY: 'simulated',
})
await main()
