import { ModelError } from '../../core/model/model.ts'
import type { Settings } from '../../core/stage/settings/schema.ts'
import { apply } from '../../core/stage/settings/settings.ts'
import { attempt } from './attempt.ts'
import { judge, type Opinion } from './judge.ts'
import { type AttemptReport, attemptOf } from './report.ts'
import type { Site } from './site.ts'
import type { Subject } from './subject.ts'
import { type Facts, type Task, Unmeasured } from './task.ts'

/** The options of a series of tasks. */
export type SeriesOptions = {
  repeats: number
  /** Functions that open the sites on first use; the number of sites is the number of tasks at the same time. */
  sites: (() => Promise<Site>)[]
  /** Attempts of an earlier run of the same subject, which are not repeated. */
  known: AttemptReport[]
  /** A second model that judges by rubrics, beside the facts. */
  opinion?: Opinion | undefined
  /** Ends the run before its next task when it is aborted. */
  stopped?: AbortSignal | undefined
  /** Called with the report of each attempt when the attempt ends. */
  tell(attempt: AttemptReport, at: { done: number; of: number }): Promise<void> | void
}

/** Failures that every later task would meet too. */
const hopeless = ['model.unauthorized', 'model.unpaid', 'chat.notConfigured']
/** Failures of a turn that say nothing about the model: the provider or this machine failed. */
const foreign = [
  'model.unavailable',
  'turn.stuck',
  'turn.notStarted',
  'table.unavailable',
  'cms.unavailable',
  'cms.misconfigured',
  'internal.error',
]
/** The number of times that an attempt is repeated after such a failure. */
const mostRetries = 2

type WantedSeries = { task: Task; repeat: number }

/**
 * Lets a subject work on every task, `repeats` times; returns all attempts, with the known ones. Throws `Unmeasured` if
 * an attempt failed for a reason outside the model; `tell` has then received the finished attempts.
 */
export async function run(
  subject: Subject,
  tasks: readonly Task[],
  options: SeriesOptions,
): Promise<AttemptReport[]> {
  const { repeats, sites, known, stopped, tell } = options
  const wanted = Array.from({ length: repeats }, (_, at) => at + 1).flatMap((repeat) =>
    tasks.map((task) => ({ task, repeat })),
  )
  const knownOf = ({ task, repeat }: WantedSeries) =>
    known.find((one) => one.task === task.id && one.repeat === repeat)
  const made = wanted.flatMap((one) => knownOf(one) ?? [])
  const missing = wanted.filter((one) => !knownOf(one))
  for (const { settings, open } of byStage(subject.settings, missing)) {
    await apply(settings)
    const lane = async (site: () => Promise<Site>) => {
      for (let next = open.shift(); next && !stopped?.aborted; next = open.shift()) {
        const one = await attempted(subject, settings, await site(), next, options.opinion)
        made.push(one)
        await tell(one, { done: made.length, of: wanted.length })
      }
    }
    // With a daily limit, parallel tasks would use up each other's tokens. Therefore only one site is used.
    await Promise.all((settings.dailyTokensPerUser === null ? sites : sites.slice(0, 1)).map(lane))
  }
  return made
}

/** Groups the tasks by the settings that they need, because a stage has one set of settings at a time. */
function byStage(settings: Settings, wanted: WantedSeries[]): { settings: Settings; open: WantedSeries[] }[] {
  const groups = Map.groupBy(wanted, ({ task }) => JSON.stringify(task.stage ?? {}))
  return [...groups.values()].map((open) => ({ settings: withStage(settings, open[0]?.task.stage), open }))
}

function withStage(settings: Settings, stage: Task['stage'] = {}): Settings {
  const { houseStyle, drafts, maxRounds, tokens } = stage
  return {
    ...settings,
    ...(houseStyle !== undefined && { houseStyle }),
    ...(drafts && { drafts: { mode: drafts, groups: {} } }),
    ...(tokens !== undefined && { dailyTokensPerUser: tokens }),
    ...(maxRounds && { configurations: settings.configurations.map((row) => ({ ...row, maxRounds })) }),
  }
}

async function attempted(
  subject: Subject,
  settings: Settings,
  site: Site,
  { task: asked, repeat }: WantedSeries,
  opinion: Opinion | undefined,
): Promise<AttemptReport> {
  const { task, facts } = await measured(subject, settings, site, asked)
  const about = opinion && task.expected.rubric ? await opinion(task, facts.answer) : null
  const verdict = { task: task.id, repeat, faults: judge(task, facts), opinion: about }
  return attemptOf(verdict, facts, subject.prices)
}

async function measured(
  subject: Subject,
  settings: Settings,
  site: Site,
  asked: Task,
): Promise<{ task: Task; facts: Facts }> {
  for (let retries = 0; ; retries++) {
    const task = await site.prepare(asked)
    const facts = await attempt(task, site, await subject.model(task).catch(keyless), settings)
    const code = facts.errorCode ?? ''
    if (hopeless.includes(code))
      throw new Unmeasured(`No task can be done: ${code}. Is the key of the provider set?`)
    if (!foreign.includes(code)) return { task, facts }
    if (retries === mostRetries)
      throw new Unmeasured(
        `${task.id} could not be measured: ${code}. Run the command again; it goes on where it was.`,
      )
  }
}

function keyless(error: unknown): never {
  if (!(error instanceof ModelError)) throw error
  throw new Unmeasured(`No task can be done: ${error.message}`)
}
