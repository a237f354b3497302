import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

/** What a process prints that counts so many stuck turns. */
async function printed(times: number, isLocal: boolean): Promise<string> {
  const code = `
    const { count } = await import('./core/metric/metric.ts')
    const { metrics } = await import('./core/metric/name.ts')
    count(metrics.turnsStuck, ${times})`
  const env = { ...process.env, AI_CHAT_STAGE: 'production', AI_CHAT_LOCAL: String(isLocal) }
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', code], { env })
  return stdout
}

test('a count is one line of the embedded format, under the names that the alarms look for', async () => {
  const line = JSON.parse(await printed(3, false))

  expect(line).toMatchObject({ service: 'backend-ai-chat', stage: 'production', TurnsStuck: 3 })
  expect(line._aws.CloudWatchMetrics).toEqual([
    {
      Namespace: 'AIChat',
      Dimensions: [['service', 'stage']],
      Metrics: [{ Name: 'TurnsStuck', Unit: 'Count' }],
    },
  ])
})

test.each([
  [0, false],
  [3, true],
])('%i on a stage that is local: %s, prints nothing', async (times, isLocal) => {
  expect(await printed(times, isLocal)).toBe('')
})
