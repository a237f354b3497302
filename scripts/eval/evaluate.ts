import { join } from 'node:path'
import type { Settings } from '../../core/stage/settings/schema.ts'
import { UsageError } from '../command.ts'
import { opinionOf } from './judge.ts'
import { turnsOf } from './recording.ts'
import { languageOfTurn, recorded, replay } from './replay.ts'
import { type About, type AttemptReport, type Report, regressions, reportOf } from './report.ts'
import { type Quality, qualities } from './scripted.ts'
import { run, type SeriesOptions } from './series.ts'
import { sitesFor } from './site.ts'
import { keep, publish, readReport, resume } from './stored.ts'
import { type Choice, type Subject, scriptedSubject, subjectOf } from './subject.ts'
import { type Task, Unmeasured } from './task.ts'
import { tasksFor } from './tasks.ts'
import { type Destination, listLeftovers, openVisit, type Visit } from './visit.ts'

/** The options of a run. */
export type WantedRun = {
  choice: Choice
  /** Ids and kinds of the tasks to run; all tasks if empty. */
  only: string[]
  /** The path of a file with tasks that replace the product's own tasks. */
  tasks?: string | undefined
  /** The scripted models to run if there is no key. */
  qualities?: readonly Quality[]
  /** The uid of a second model that judges by rubrics. */
  judge?: number | undefined
  /** Attempts of an earlier run count if they were made at this time or later, in milliseconds since the epoch. */
  since: number
  repeats: number
  /** The number of tasks that run at the same time, each on its own site. */
  parallel: number
  /** The CMS in which to do the tasks, instead of seeded sites. */
  visit?: Visit
  /** Ends the run before its next task when it is aborted. */
  stopped?: AbortSignal
  /** The sites, if they are already open. */
  sites?: SeriesOptions['sites']
  /** The folder of the reports; each run has a subfolder with its name. */
  out: string
  /** The path of a report to compare with. */
  baseline: string | undefined
  /** Paths of exported conversations to answer again, instead of the tasks. */
  replay: string[]
  consent: string | undefined
  /** Called with each line of progress. */
  tell(line: string): void
}

/** A run that has ended; `worse` names the tasks that passed in its baseline and failed in this run. */
export type Done = {
  report: Report
  files: { json: string; page: string }
  worse: string[]
  /** True if the run decides about a deployment; false for scripted models with a weakness. */
  isGate: boolean
}

/**
 * Runs the evaluation with the model of the settings. The demo model cannot do the tasks, so scripted models run
 * instead of it. The perfect model runs first, as the baseline of the others.
 */
export async function evaluate(settings: Settings, wanted: WantedRun): Promise<Done[]> {
  const { only, choice, visit } = wanted
  const all = await tasksFor(wanted)
  const tasks = all.filter(({ id, kind }) => only.length === 0 || only.includes(id) || only.includes(kind))
  const unknown = only.filter((word) => !tasks.some(({ id, kind }) => word === id || word === kind))
  if (unknown.length > 0)
    throw new UsageError(`There is no task and no kind of the name ${unknown.join(', ')}.`)
  const baseline = wanted.baseline ? await readReport(wanted.baseline) : undefined
  const subject = subjectOf(settings, choice, tasks, visit?.ground)
  if (wanted.replay.length > 0) return [await replayed(subject, wanted)]
  const model = settings.models.find(({ modelId }) => modelId === subject.about.model)
  const isDemo = settings.providers.find(({ uid }) => uid === model?.provider)?.adapter === 'demo'
  const sites = visit ? [async () => visit.site] : (wanted.sites ?? sitesFor(wanted.parallel))
  const second = wanted.judge === undefined ? undefined : subjectOf(settings, { model: wanted.judge }, [])
  const run = {
    ...wanted,
    tasks,
    sites,
    second: second?.about,
    opinion: second && opinionOf(await second.model()),
  }
  if (!isDemo) return [await worked(subject, run, baseline)]
  wanted.tell('There is no key for a model: scripted models of known quality do the tasks.')
  const done: Done[] = []
  for (const quality of wanted.qualities ?? (visit ? rightOnes : qualities)) {
    const scripted = scriptedSubject(settings, quality, tasks, visit?.ground)
    const one = await worked(scripted, run, baseline ?? done[0]?.report)
    done.push({ ...one, isGate: rightOnes.includes(quality) })
  }
  return done
}

/** The scripted models without a weakness. */
const rightOnes: readonly Quality[] = ['perfect', 'natural']

/**
 * Runs the evaluation in a CMS that others use. Removes its records at the end, even after a failure or an abort.
 * Reports the records that could not be removed.
 */
export async function evaluateIn(
  destination: Destination,
  settings: Settings,
  wanted: WantedRun & { stopped: AbortSignal },
): Promise<Done[]> {
  const visit = await openVisit(destination)
  try {
    const isStopped = new Promise<never>((_, reject) => {
      const reason = new Unmeasured('The run was stopped. Run the command again; it goes on where it was.')
      wanted.stopped.addEventListener('abort', () => reject(reason), { once: true })
    })
    return await Promise.race([evaluate(settings, { ...wanted, visit }), isStopped])
  } finally {
    const left = await visit.close()
    if (left.length > 0)
      wanted.tell(`Could not be taken back: ${listLeftovers(left)}. The next run with --cms tries it again.`)
  }
}

type WorkedRun = Omit<WantedRun, 'tasks'> &
  Pick<SeriesOptions, 'sites' | 'opinion'> & { tasks: Task[]; second: About | undefined }

async function worked(subject: Subject, wanted: WorkedRun, baseline: Report | undefined): Promise<Done> {
  const { tasks, second, repeats, out, since, tell } = wanted
  // Attempts that a second model has judged are stored apart from others.
  const digest = second ? `${subject.about.digest}-${second.digest}` : subject.about.digest
  const about = { ...subject.about, digest }
  const folder = join(out, fileName(about.name))
  const known = await resume(folder, about, since)
  if (known.length > 0) tell(`${known.length} attempts of an earlier run are taken over.`)
  const attempts = await run(subject, tasks, {
    ...wanted,
    known,
    tell: async (attempt, { done, of }) => {
      await keep(folder, attempt)
      tell(`${about.name} ${done}/${of} ${attempt.task}: ${attempt.faults.join(' ') || 'passed'}`)
    },
  })
  return ended(folder, reportOf(about, tasks, attempts, { at: new Date().toISOString(), repeats }), baseline)
}

async function replayed(subject: Subject, wanted: WantedRun): Promise<Done> {
  const { replay: paths, out, consent = '', tell } = wanted
  const turns = (await Promise.all(paths.map(turnsOf))).flat()
  const tasks = turns.map((turn) => ({
    id: turn.id,
    kind: 'replay' as const,
    lang: languageOfTurn(turn),
    messages: [turn.question.content],
  }))
  const attempts: AttemptReport[] = []
  for (const turn of turns) {
    const attempt = await replay(turn, subject, await subject.model())
    attempts.push(attempt)
    tell(`${attempts.length}/${turns.length} ${turn.id}: ${attempt.faults.join(' ') || 'as recorded'}`)
  }
  const at = { at: new Date().toISOString(), repeats: 1 }
  const about = { ...subject.about, consent }
  const recordedAbout = { ...about, name: 'as recorded', model: 'as recorded' }
  const before = reportOf(recordedAbout, tasks, turns.map(recorded), at)
  return ended(join(out, `${fileName(about.name)}-replay`), reportOf(about, tasks, attempts, at), before)
}

async function ended(folder: string, report: Report, baseline: Report | undefined): Promise<Done> {
  const files = await publish(folder, report, baseline)
  const worse = baseline ? regressions(report, baseline) : []
  return { report, files, worse, isGate: true }
}

const fileName = (name: string) => name.replace(/[^\w.-]+/g, '-')
