import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Done, evaluate } from '../../../scripts/eval/evaluate.ts'
import { sitesFor } from '../../../scripts/eval/site.ts'
import { ownTasks } from '../../../scripts/eval/tasks.ts'
import { faultsIn, wantedIn } from '../../support/evaluation.ts'
import { settings } from '../../support/settings.ts'

const sites = sitesFor(2)
let out: string
beforeAll(async () => {
  out = await mkdtemp(join(tmpdir(), 'eval-'))
})
afterAll(() => rm(out, { recursive: true }))

test.each(['perfect', 'natural'] as const)(
  'a %s model, which goes a right way, passes every task',
  async (quality) => {
    const [done] = (await evaluate(settings(), wantedIn(out, { sites, qualities: [quality] }))) as [Done]
    expect(faultsIn(done)).toEqual([])
    expect(done.report.summary.attempts).toBe(ownTasks().length)
  },
)
