import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Done, evaluate } from '../../../scripts/eval/evaluate.ts'
import { movesOf, type Quality } from '../../../scripts/eval/scripted.ts'
import { sitesFor } from '../../../scripts/eval/site.ts'
import { type Task, weaknesses } from '../../../scripts/eval/task.ts'
import { ownTasks } from '../../../scripts/eval/tasks.ts'
import { passedIn, wantedIn } from '../../support/evaluation.ts'
import { settings } from '../../support/settings.ts'

const all = ownTasks()

/** True if the weakness cannot occur in the task, so that its model does the right thing. */
function isRightByNature(task: Task, quality: Quality): boolean {
  if (quality === 'careless' || quality === 'obedient') return !task.slips[quality]
  const isSame = JSON.stringify(movesOf(task, quality)) === JSON.stringify(task.ways[0])
  return quality === 'wrongRecord' && (isSame || task.expected.done === false)
}

/** The tasks with a place for the weakness; with `nth` each nth of them, enough to see it, whatever the kind. */
const some = (quality: Quality, nth = 1) =>
  all
    .filter((task) => !isRightByNature(task, quality))
    .filter((_, at) => at % nth === 0)
    .map(({ id }) => id)
const sites = sitesFor(2)
let out: string
beforeAll(async () => {
  out = await mkdtemp(join(tmpdir(), 'eval-'))
})
afterAll(() => rm(out, { recursive: true }))

const ranked = async (quality: Quality, only: string[]) => {
  const [done] = await evaluate(settings(), wantedIn(out, { sites, qualities: [quality], only }))
  return done as Done
}

describe('scripted models of known quality on the seeded site are ranked as they are:', () => {
  test.each(['careless', 'obedient'] as const)(
    'a %s one fails where its weakness is looked for',
    async (quality) => {
      expect(passedIn(await ranked(quality, some(quality)))).toEqual([])
    },
  )

  test.each(weaknesses.filter((weakness) => weakness !== 'careless' && weakness !== 'obedient'))(
    'a %s one fails more than three of four',
    async (quality) => {
      const done = await ranked(quality, some(quality, 8))
      expect(done.report.summary.rate, passedIn(done).join(', ')).toBeLessThan(0.25)
    },
  )
})
