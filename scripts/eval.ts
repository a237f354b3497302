/**
 * `npm run eval`: does a model, with this prompt and these tools, do an editor's work? Runs the tasks of
 * scripts/eval/tasks on the seeded site, in emulators of its own, and judges what they left behind. Without a key it runs
 * scripted models of known quality. 0 passed, 1 worse than what was asked for, 2 wrong call. See docs/eval.md.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Settings } from '../core/settings/schema.ts'
import { loadSettings, stageSettings } from '../infra/local/settings.ts'
import { called, complain, print, UsageError, whole } from './command.ts'
import { interval } from './eval/page.ts'
import { openPlace } from './eval/place.ts'
import type { Report } from './eval/report.ts'
import { isLinked, throughShell } from './stage-shell.ts'

const usage =
  'npm run eval -- [--stage NAME] [--task UID] [--model UID] [--prompt FILE] [--name NAME] [--only TASK …] [--repeats N] [--parallel N] [--out FOLDER] [--baseline REPORT] [--least RATE] [--replay FILE … --consent WORDS]'

const text = { type: 'string' } as const
const options = {
  stage: text,
  task: text,
  model: text,
  prompt: text,
  name: text,
  only: { type: 'string', multiple: true },
  repeats: text,
  parallel: text,
  out: text,
  baseline: text,
  least: text,
  consent: text,
  replay: { type: 'string', multiple: true },
} as const

called(usage, async () => {
  const { values } = parseArgs({ options, allowPositionals: false })
  const { stage = 'local' } = values
  if (stage !== 'local' && !isLinked()) return throughShell(stage)
  const least = rateOf(values.least)
  if (values.replay && !values.consent)
    throw new UsageError('--consent is needed with --replay: who has agreed to it, and when.')
  const settings = await read(stage)
  const stop = await openPlace(settings.providers.some(({ adapter }) => adapter === 'bedrock'))
  // Loaded behind the environment that they read.
  const [{ evaluate }, { Mistake }] = await Promise.all([
    import('./eval/evaluate.ts'),
    import('./eval/mistake.ts'),
  ])
  try {
    const reports = await evaluate(settings, {
      choice: {
        name: values.name,
        task: whole('task', values.task, 1),
        model: whole('model', values.model, 1),
        prompt: values.prompt === undefined ? undefined : await readFile(values.prompt, 'utf8'),
      },
      only: values.only ?? [],
      repeats: whole('repeats', values.repeats, 1) ?? 3,
      parallel: whole('parallel', values.parallel, 1) ?? 4,
      out: values.out ?? join('.local', 'eval'),
      baseline: values.baseline,
      replay: values.replay ?? [],
      consent: values.consent,
      tell: (line) => process.stderr.write(`${line}\n`),
    })
    return reports.map((one) => report(one, least)).every(Boolean) ? 0 : 1
  } catch (error) {
    throw error instanceof Mistake ? new UsageError(error.message) : error
  } finally {
    await stop()
  }
})

/** Tells how a run went; false when it is not good enough. */
function report(
  {
    report,
    files,
    worse,
    isGate,
  }: { report: Report; files: { page: string }; worse: string[]; isGate: boolean },
  least: number,
): boolean {
  const { about, summary } = report
  print(`${about.name}: ${summary.passed} of ${summary.attempts} passed, ${interval(summary)}. ${files.page}`)
  for (const task of worse) complain(`${task} passed in the baseline and fails now.`)
  const isEnough = summary.interval[0] >= least
  if (isGate && !isEnough)
    complain(`The pass rate may be below ${least}: its lower bound is ${summary.interval[0].toFixed(2)}.`)
  return !isGate || (isEnough && worse.length === 0)
}

function rateOf(value: string | undefined): number {
  if (value === undefined) return 0
  const rate = Number(value)
  if (rate >= 0 && rate <= 1) return rate
  throw new UsageError(`--least is ${value}; it has to be a rate from 0 to 1.`)
}

async function read(stage: string): Promise<Settings> {
  const loaded = stage === 'local' ? await loadSettings(process.env) : await stageSettings(stage, process.env)
  if (loaded.settings) return loaded.settings
  const lines = loaded.mistakes.map(({ path, message }) => `  ${path}: ${message}`)
  throw new UsageError(`The settings in ${loaded.file} are not valid:\n${lines.join('\n')}`)
}
