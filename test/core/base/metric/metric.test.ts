import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

/** What a process prints that counts or measures. */
async function printed(statement: string, isLocal = false): Promise<string> {
  const code = `
    const { count, measure } = await import('./core/base/metric/metric.ts')
    const { metrics } = await import('./core/base/metric/name.ts')
    ${statement}`
  const env = { ...process.env, AI_CHAT_STAGE: 'production', AI_CHAT_LOCAL: String(isLocal) }
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', code], { env })
  return stdout
}

const lines = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

const filed = (name: string, unit: string, dimensions: string[]) => ({
  _aws: {
    Timestamp: expect.any(Number),
    CloudWatchMetrics: [
      { Namespace: 'AIChat', Dimensions: [dimensions], Metrics: [{ Name: name, Unit: unit }] },
    ],
  },
})
const own = { service: 'backend-ai-chat', stage: 'production' }

test('a count is one line of the embedded format, under the names that the alarms look for', async () => {
  expect(lines(await printed('count(metrics.turnsStuck, 3)'))).toEqual([
    { ...filed('TurnsStuck', 'Count', ['service', 'stage']), ...own, TurnsStuck: 3 },
  ])
})

test('a count of a kind is filed under the kind as well', async () => {
  expect(lines(await printed("count(metrics.turnsFailed, 1, { code: 'model.unavailable' })"))).toEqual([
    { ...filed('TurnsFailed', 'Count', ['service', 'stage']), ...own, TurnsFailed: 1 },
    {
      ...filed('TurnsFailed', 'Count', ['service', 'stage', 'code']),
      ...own,
      code: 'model.unavailable',
      TurnsFailed: 1,
    },
  ])
})

test.each([
  ['service.maintenance', ['RequestsDeclined', 'RequestsDeclined']],
  ['service.busy', ['RequestsDeclined', 'RequestsDeclined']],
  ['service.unavailable', []],
])('an answer with %s counts %j, so that no alarm rings for what is intended', async (code, names) => {
  const text = await printed(`
    const { VisibleError } = await import('./core/base/error.ts')
    const { failure } = await import('./functions/http/response.ts')
    await failure(new VisibleError('${code}'), 'request', 'en')`)

  expect((text ? lines(text) : []).map((line) => line._aws.CloudWatchMetrics[0].Metrics[0].Name)).toEqual(
    names,
  )
})

test('a duration is in milliseconds', async () => {
  expect(lines(await printed('measure(metrics.queueWaitMs, 1500)'))).toEqual([
    { ...filed('QueueWaitMs', 'Milliseconds', ['service', 'stage']), ...own, QueueWaitMs: 1500 },
  ])
})

test.each([
  ['0 on a deployed stage', 'count(metrics.turnsStuck, 0)', false],
  ['a count on the local stage', 'count(metrics.turnsStuck, 3)', true],
])('%s prints nothing', async (_what, statement, isLocal) => {
  expect(await printed(statement, isLocal)).toBe('')
})
