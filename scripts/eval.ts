import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { dayMs } from '../core/base/clock.ts'
import type { Settings } from '../core/stage/settings/schema.ts'
import { startDynamo } from '../infra/local/dynamo.ts'
import { names, secrets } from '../infra/local/environment.ts'
import { startQueueAndStore } from '../infra/local/fauxqs.ts'
import { connect, createResources } from '../infra/local/resources.ts'
import { loadSettings, stageSettings } from '../infra/local/settings.ts'
import { called, complain, print, UsageError, whole } from './command.ts'
import type { Wanted } from './eval/evaluate.ts'
import { Mistake, Unmeasured } from './eval/mistake.ts'
import { interval } from './eval/page.ts'
import type { Report } from './eval/report.ts'
import { isLinked, throughShell } from './stage-shell.ts'

/**
 * `npm run eval`: measures if a model can do an editor's work with this prompt and these tools. Runs the tasks of
 * scripts/eval/tasks on the seeded site, in emulators of its own, and judges the results. Without a key it runs
 * scripted models of known quality. Exit codes: 0 good enough, 1 not good enough, 2 called wrongly, 3 could not be
 * measured. See docs/eval.md.
 */

const usage =
  'npm run eval -- [--stage NAME] [--task UID] [--model UID] [--prompt FILE] [--name NAME] [--only TASK …] [--tasks FILE] [--judge UID] [--again] [--max-age DAYS] [--repeats N] [--parallel N] [--out FOLDER] [--baseline REPORT] [--least RATE] [--replay FILE … --consent WORDS]'

const text = { type: 'string' } as const
const options = {
  stage: text,
  task: text,
  model: text,
  prompt: text,
  name: text,
  only: { type: 'string', multiple: true },
  tasks: text,
  judge: text,
  again: { type: 'boolean' },
  'max-age': text,
  repeats: text,
  parallel: text,
  out: text,
  baseline: text,
  least: text,
  consent: text,
  replay: { type: 'string', multiple: true },
} as const

/** The exit code of a run that could not be measured. */
const unmeasured = 3
/** How many days an attempt counts: a model behind the same name may be another one by then. */
const usualAge = 7

called(usage, async () => {
  const { values } = parseArgs({ options, allowPositionals: false })
  const { stage = 'local' } = values
  if (stage !== 'local' && !isLinked()) return throughShell(stage)
  const least = rateOf(values.least)
  if (values.replay && !values.consent)
    throw new UsageError('--consent is needed with --replay: who has agreed to it, and when.')
  const wanted = {
    choice: {
      name: values.name,
      task: whole('task', values.task, 1),
      model: whole('model', values.model, 1),
      prompt: values.prompt === undefined ? undefined : await readFile(values.prompt, 'utf8'),
    },
    only: values.only ?? [],
    tasks: values.tasks,
    judge: whole('judge', values.judge, 1),
    since: values.again
      ? Date.now()
      : Date.now() - (whole('max-age', values['max-age'], 0) ?? usualAge) * dayMs,
    repeats: whole('repeats', values.repeats, 1) ?? 3,
    parallel: whole('parallel', values.parallel, 1) ?? 4,
    out: values.out ?? join('.local', 'eval'),
    baseline: values.baseline,
    replay: values.replay ?? [],
    consent: values.consent,
    tell: (line: string) => process.stderr.write(`${line}\n`),
  }
  const settings = await read(stage)
  return measure(settings, wanted, least).catch((error: unknown) => {
    if (error instanceof UsageError) throw error
    // What is no verdict and no wrong call says nothing about the model: an emulator, the provider, this machine.
    complain(error instanceof Unmeasured ? error.message : String((error as Error)?.stack ?? error))
    return unmeasured
  })
})

/** Runs the evaluation in emulators of its own; the exit code. */
async function measure(settings: Settings, wanted: Wanted, least: number): Promise<number> {
  const stop = await openPlace(settings.providers.some(({ adapter }) => adapter === 'bedrock'))
  try {
    // Loaded behind the environment that it reads.
    const { evaluate } = await import('./eval/evaluate.ts')
    const reports = await evaluate(settings, wanted)
    return reports.map((one) => report(one, least)).every(Boolean) ? 0 : 1
  } catch (error) {
    throw error instanceof Mistake ? new UsageError(error.message) : error
  } finally {
    await stop()
  }
}

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

/**
 * Starts emulators in memory, creates tables, bucket and queues, and sets the environment of this process. Await it
 * before any call of the product. With `keepsCredentials` the AWS credentials of the environment stay, for a provider
 * that needs them; the emulators accept any. Answers a function that stops the emulators.
 */
async function openPlace(keepsCredentials: boolean): Promise<() => Promise<void>> {
  const [dynamo, store] = await Promise.all([startDynamo(), startQueueAndStore()])
  const addresses = { dynamodb: dynamo.endpoint, queueAndStore: store.endpoint }
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, ...own } = secrets(randomBytes(32).toString('hex'))
  const { AWS_REGION: region, ...named } = names({ origin: 'http://127.0.0.1:3000', ...addresses })
  const local = { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION: region }
  const { AWS_REGION = region } = process.env
  Object.assign(process.env, named, own, keepsCredentials ? { AWS_REGION } : local)
  // A turn that failed is in the report; its log would run through the progress.
  process.env.POWERTOOLS_LOG_LEVEL ??= 'SILENT'
  const env = { ...named, ...local } as Record<string, string>
  await createResources(connect(env), env)
  return async () => {
    await dynamo.stop()
    await store.stop()
  }
}
