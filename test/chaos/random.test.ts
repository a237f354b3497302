import { afterAll, beforeAll, expect, test } from 'vitest'
import { living } from './edge.ts'
import { type Journey, journeys } from './journey.ts'
import { type Run, runOnce } from './random.ts'
import { cmsOf, play, type Stage, startStage } from './scene.ts'
import { remains, violations } from './verdict.ts'

let bench: Stage
beforeAll(async () => {
  bench = await startStage()
})
afterAll(() => bench.stop())

test('a hundred turns under random crashes break no promise', { timeout: 600_000 }, async () => {
  const first = Math.floor(Math.random() * 1_000_000_000)
  const broken: (Run & { seed: number })[] = []
  for (let seed = first; seed < first + 100; seed++) {
    const run = await runOnce(bench, seed)
    if (run.broken.length > 0) broken.push({ seed, ...run })
  }
  expect(broken).toEqual([])
})

test('a consumer that waits before it asks a silent provider again goes on as time passes', async () => {
  const journey = journeys.find(({ isSilent }) => isSilent) as Journey
  const scene = await play(bench, journey)
  expect(await violations(bench, await remains(bench, scene), true)).toEqual([])
})

test('a process that dies takes no read of another along', async () => {
  const [first, second] = [cmsOf(bench), cmsOf(bench)]
  const dying = living(
    (effect) => (effect.startsWith('dynamodb') ? 'before' : undefined),
    () => first.user(2),
  )
  const other = living(
    () => undefined,
    () => second.user(2),
  )
  expect((await dying).died).toBe(true)
  expect(await other).toEqual({ died: false, value: bench.site.editor })
})
