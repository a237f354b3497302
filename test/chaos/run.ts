/**
 * `npm run chaos -- [--runs 100] [--seed S] [--record]`: runs turns under random crashes, on its own emulators. The
 * exit code is 1 if a promise was broken. With `--record` the figures go to test/chaos/results.json, and `npm run
 * manifest` copies them to README.md. Runs of the same code are added up; a run of other code starts again from zero.
 */
import { readFile, writeFile } from 'node:fs/promises'
import * as z from 'zod'
import { version } from '../../core/base/version.ts'
import { chaosFolders, codeOf } from '../../scripts/code.ts'
import { flag, parseWhole, print, runCommand, text } from '../../scripts/command.ts'
import startEmulators from '../support/emulators.ts'

const Results = z.strictObject({
  version: z.string(),
  date: z.iso.date(),
  /** The hash of the code that these runs tested. */
  code: z.string(),
  runs: z.int(),
  violations: z.int(),
  /** Processes that crashed or froze in these runs. */
  deaths: z.int(),
  /** The number of runs of each journey, by its name. */
  journeys: z.record(z.string(), z.int()),
  /** Run number n of a series has the seed `seed + n`. */
  series: z.array(z.strictObject({ seed: z.int(), runs: z.int() })),
})
type Results = z.infer<typeof Results>

const path = new URL('./results.json', import.meta.url)

const options = { runs: text, seed: text, record: flag }

runCommand('npm run chaos -- [--runs 100] [--seed S] [--record]', { options }, async ({ values }) => {
  const runs = parseWhole('runs', values.runs, 1) ?? 100
  const seed = parseWhole('seed', values.seed, 1) ?? Math.floor(Math.random() * 1_000_000_000)
  const code = await codeOf(chaosFolders)
  const counted = await play(runs, seed)
  const date = new Date().toISOString().slice(0, 10)
  if (values.record) await record({ version, date, code, ...counted, series: [{ seed, runs }] })
  const cpuSeconds = Math.round(process.cpuUsage().user / 1000 + process.cpuUsage().system / 1000) / 1000
  print(JSON.stringify({ seed, ...counted, cpuSeconds }))
  return counted.violations === 0 ? 0 : 1
})

async function play(runs: number, seed: number) {
  // Only the log explains an answer with status 500.
  process.env.POWERTOOLS_LOG_LEVEL ??= 'ERROR'
  const stop = await startEmulators()
  // These modules read their environment on import, so the emulators have to run first.
  await import('../support/setup.ts')
  const { startStage } = await import('./scene.ts')
  const { runOnce } = await import('./random.ts')
  const bench = await startStage()
  const counted = { runs, violations: 0, deaths: 0, journeys: {} as Record<string, number> }
  for (let at = 0; at < runs; at++) {
    const run = await runOnce(bench, seed + at)
    counted.deaths += run.deaths.length
    counted.journeys[run.journey] = (counted.journeys[run.journey] ?? 0) + 1
    if (run.broken.length === 0) continue
    counted.violations += 1
    print(JSON.stringify({ seed: seed + at, ...run }))
  }
  await bench.stop()
  await stop()
  return counted
}

/** Adds the figures to those of earlier runs with the same code, or replaces those of other code. */
async function record(more: Results): Promise<void> {
  const stored = await readFile(path, 'utf8').catch(() => '{}')
  const { data: known } = Results.safeParse(JSON.parse(stored))
  const isSame = known?.version === more.version && known.code === more.code
  const sum = known && isSame ? added(known, more) : more
  await writeFile(path, `${JSON.stringify(sum, undefined, 2)}\n`)
}

function added(known: Results, more: Results): Results {
  const journeys = { ...known.journeys }
  for (const [name, runs] of Object.entries(more.journeys)) journeys[name] = (journeys[name] ?? 0) + runs
  return {
    ...more,
    runs: known.runs + more.runs,
    violations: known.violations + more.violations,
    deaths: known.deaths + more.deaths,
    journeys,
    series: [...known.series, ...more.series],
  }
}
