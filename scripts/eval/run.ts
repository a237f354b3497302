import { redact } from '../../core/base/safety/redact.ts'
import { microDollarsOf } from '../../core/model/price.ts'
import { apply } from '../../core/stage/settings/apply.ts'
import { attempt } from './attempt.ts'
import { judge } from './judge.ts'
import { Mistake } from './mistake.ts'
import type { Attempt } from './report.ts'
import type { Site } from './site.ts'
import type { Subject } from './subject.ts'
import type { Facts, Task } from './task.ts'

/** How tasks are run. */
export type Options = {
  repeats: number
  /** Sites, opened when they are first needed; as many tasks run at a time. */
  sites: (() => Promise<Site>)[]
  /** Attempts of an earlier run of the same subject: they are not made again. */
  known: Attempt[]
  /** Hears of every attempt as it is made. */
  tell(attempt: Attempt, at: { done: number; of: number }): Promise<void> | void
}

/** Failures that all further tasks would meet as well. */
const hopeless = ['model.unauthorized', 'model.unpaid', 'chat.notConfigured']

/**
 * Lets a subject work on every task, `repeats` times; all attempts, those that were known included. Rejects when the
 * provider does not take the key, because no task could be done.
 */
export async function run(subject: Subject, tasks: readonly Task[], options: Options): Promise<Attempt[]> {
  const { repeats, sites, known, tell } = options
  await apply(subject.settings)
  const wanted = Array.from({ length: repeats }, (_, at) => at + 1).flatMap((repeat) =>
    tasks.map((task) => ({ task, repeat })),
  )
  const isKnown = ({ task, repeat }: (typeof wanted)[number]) =>
    known.some((one) => one.task === task.id && one.repeat === repeat)
  const open = wanted.filter((one) => !isKnown(one))
  const made: Attempt[] = known.filter(
    (one) => one.repeat <= repeats && tasks.some(({ id }) => id === one.task),
  )
  const lane = async (site: () => Promise<Site>) => {
    for (let next = open.shift(); next; next = open.shift()) {
      const one = await attempted(subject, await site(), next)
      made.push(one)
      await tell(one, { done: made.length, of: wanted.length })
    }
  }
  await Promise.all(sites.map(lane))
  return made
}

async function attempted(
  subject: Subject,
  site: Site,
  { task, repeat }: { task: Task; repeat: number },
): Promise<Attempt> {
  const facts = await attempt(task, site, await subject.model(task), subject.settings)
  if (facts.errorCode && hopeless.includes(facts.errorCode))
    throw new Mistake(`No task can be done: ${facts.errorCode}. Is the key of the provider set?`)
  const faults = judge(task, facts)
  return {
    task: task.id,
    repeat,
    faults,
    rounds: facts.rounds,
    approvals: facts.approvals,
    usage: facts.usage,
    microDollars: microDollarsOf(facts.usages, subject.prices),
    ms: facts.ms,
    tools: facts.calls.map(({ name }) => name),
    answer: redact(facts.answer),
    transcript: faults.length > 0 ? redacted(facts) : null,
  }
}

function redacted({ transcript }: Facts): Facts['transcript'] {
  return JSON.parse(redact(JSON.stringify(transcript))) as Facts['transcript']
}
