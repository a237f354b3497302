import { join } from 'node:path'
import { dayMs } from '../core/base/clock.ts'
import type { UserId } from '../core/cms/user-number/schema.ts'
import {
  complain,
  flag,
  parseWhole,
  print,
  readNamed,
  rerunInStage,
  runCommand,
  text,
  UsageError,
} from './command.ts'
import type { Done, WantedRun } from './eval/evaluate.ts'
import { interval } from './eval/html-report.ts'
import { destinationOf, openPlace, settingsOfStage } from './eval/place.ts'
import { Unmeasured } from './eval/task.ts'
import { userIn } from './user-argument.ts'

/**
 * `npm run eval`: measures if a model can do an editor's work with this prompt and these tools. Runs the tasks of
 * scripts/eval/tasks and judges the results. The tasks run on the seeded site, in emulators that the command starts.
 * With --cms they run in the CMS that the stage is connected to. Without a key it runs scripted models of known
 * quality. Exit codes: 0 good enough, 1 not good enough, 2 wrong call, 3 not measurable. See docs/eval.md.
 */

const usage =
  'npm run eval -- [--stage NAME] [--task UID] [--model UID] [--prompt FILE] [--name NAME] [--only TASK …] [--tasks FILE] [--cms --user ID] [--judge UID] [--again] [--max-age DAYS] [--repeats N] [--parallel N] [--out FOLDER] [--baseline REPORT] [--least RATE] [--replay FILE … --consent WORDS]'

const options = {
  stage: text,
  task: text,
  model: text,
  prompt: text,
  name: text,
  only: { ...text, multiple: true },
  tasks: text,
  cms: flag,
  user: text,
  judge: text,
  again: flag,
  'max-age': text,
  repeats: text,
  parallel: text,
  out: text,
  baseline: text,
  least: text,
  consent: text,
  replay: { ...text, multiple: true },
} as const

/** The exit code of a run that could not be measured. */
const unmeasured = 3
/** The days for which a stored attempt counts: the provider may later change the model that has this name. */
const usualAge = 7

runCommand(usage, { options }, async ({ values }) => {
  const { stage = 'local' } = values
  const shellCode = rerunInStage(values.stage)
  if (shellCode !== undefined) return shellCode
  const least = rateOf(values.least)
  if (Boolean(values.replay) !== Boolean(values.consent))
    throw new UsageError('--replay needs --consent, and only it: who has agreed to it, and when.')
  const user = userIn('user', values.user)
  if (values.cms !== (user !== undefined) || (values.cms && values.replay))
    throw new UsageError('--cms needs --user, and only it; both go without --replay.')
  const days = values.again ? 0 : (parseWhole('max-age', values['max-age'], 0) ?? usualAge)
  const wanted = {
    choice: {
      name: values.name,
      task: parseWhole('task', values.task, 1),
      model: parseWhole('model', values.model, 1),
      prompt: values.prompt === undefined ? undefined : await readNamed(values.prompt),
    },
    only: values.only ?? [],
    tasks: values.tasks,
    judge: parseWhole('judge', values.judge, 1),
    since: Date.now() - days * dayMs,
    repeats: parseWhole('repeats', values.repeats, 1) ?? 3,
    parallel: parseWhole('parallel', values.parallel, 1) ?? 4,
    out: values.out ?? join('.local', 'eval'),
    baseline: values.baseline,
    replay: values.replay ?? [],
    consent: values.consent,
    tell: (line: string) => process.stderr.write(`${line}\n`),
  }
  return measure(stage, wanted, least, user).catch((error: unknown) => {
    if (error instanceof UsageError) throw error
    // Any other failure says nothing about the model: an emulator, the provider or this machine failed.
    complain(error instanceof Unmeasured ? error.message : String((error as Error)?.stack ?? error))
    return unmeasured
  })
})

/** Runs the evaluation in its own emulators, or as a user in the CMS of the stage; returns the exit code. */
async function measure(
  stage: string,
  wanted: WantedRun,
  least: number,
  user: UserId | undefined,
): Promise<number> {
  const settings = await settingsOfStage(stage)
  const stop = await openPlace(settings.providers.some(({ adapter }) => adapter === 'bedrock'))
  try {
    // Imports the evaluation only after the environment is set, because its modules read the environment.
    const { evaluate, evaluateIn } = await import('./eval/evaluate.ts')
    const elsewhere = user === undefined ? undefined : await destinationOf(stage, user, wanted.out)
    const reports = elsewhere
      ? await evaluateIn(elsewhere, settings, { ...wanted, stopped: interrupted() })
      : await evaluate(settings, wanted)
    return reports.map((one) => report(one, least)).every(Boolean) ? 0 : 1
  } finally {
    await stop()
  }
}

/**
 * Returns a signal that Ctrl-C aborts. A second Ctrl-C, which npm may send while records are taken back, changes
 * nothing.
 */
function interrupted(): AbortSignal {
  const controller = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => controller.abort())
  return controller.signal
}

/** Prints the result of a run; returns false if it is not good enough. */
function report({ report: { about, summary }, files, worse, isGate }: Done, least: number): boolean {
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
