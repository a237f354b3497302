import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Run, runOnce } from './random.ts'
import { type Stage, startStage } from './scene.ts'

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
