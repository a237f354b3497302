/**
 * `npm run chaos -- [--runs 100] [--seed S] [--record]`: turns under random crashes, against emulators of its own. Ends
 * with 1 when a promise was broken. With `--record` what was run is added to test/chaos/results.json, which changes the
 * figures of README.md: `npm run manifest` then writes them.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import * as z from 'zod'
import startEmulators from '../test/support/emulators.ts'
import { print, standalone, whole } from './command.ts'

const Results = z.strictObject({
  runs: z.int(),
  violations: z.int(),
  /** Processes that died or froze in these runs. */
  deaths: z.int(),
  /** Run number n of a series has the seed `seed + n`. */
  series: z.array(z.strictObject({ seed: z.int(), runs: z.int() })),
})
type Results = z.infer<typeof Results>

const path = new URL('../test/chaos/results.json', import.meta.url)

async function main(): Promise<boolean> {
  const { values } = parseArgs({
    options: {
      runs: { type: 'string' },
      seed: { type: 'string' },
      record: { type: 'boolean', default: false },
    },
  })
  const runs = whole('runs', values.runs, 1) ?? 100
  const seed = whole('seed', values.seed, 1) ?? Math.floor(Math.random() * 1_000_000_000)
  // What went wrong behind an answer 500, the log tells alone.
  process.env.POWERTOOLS_LOG_LEVEL ??= 'ERROR'
  const stop = await startEmulators()
  // What these import reads its environment at once, so that the emulators must be there before.
  await import('../test/support/setup.ts')
  const { startStage } = await import('../test/chaos/scene.ts')
  const { runOnce } = await import('../test/chaos/random.ts')
  const bench = await startStage()
  const counted = { runs, violations: 0, deaths: 0 }
  for (let at = 0; at < runs; at++) {
    const run = await runOnce(bench, seed + at)
    counted.deaths += run.deaths.length
    if (run.broken.length === 0) continue
    counted.violations += 1
    print(JSON.stringify({ seed: seed + at, ...run }))
  }
  await bench.stop()
  await stop()
  if (values.record) await add({ ...counted, series: [{ seed, runs }] })
  print(JSON.stringify({ seed, ...counted }))
  return counted.violations === 0
}

/** Adds to what was run before. */
async function add(more: Results): Promise<void> {
  const text = await readFile(path, 'utf8').catch(() => undefined)
  const known = text ? Results.parse(JSON.parse(text)) : { runs: 0, violations: 0, deaths: 0, series: [] }
  const sum: Results = {
    runs: known.runs + more.runs,
    violations: known.violations + more.violations,
    deaths: known.deaths + more.deaths,
    series: [...known.series, ...more.series],
  }
  await writeFile(path, `${JSON.stringify(sum, undefined, 2)}\n`)
}

standalone(async () => ((await main()) ? 0 : 1))
