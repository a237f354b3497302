import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Done, evaluate } from '../../../scripts/eval/evaluate.ts'
import { sitesFor } from '../../../scripts/eval/site.ts'
import { ownTasks } from '../../../scripts/eval/tasks.ts'
import { languages } from '../../../scripts/eval/wording.ts'
import { faultsIn, wantedIn } from '../../support/evaluation.ts'
import { settings } from '../../support/settings.ts'

const sites = sitesFor(2)
let out: string
beforeAll(async () => {
  out = await mkdtemp(join(tmpdir(), 'eval-'))
})
afterAll(() => rm(out, { recursive: true }))

describe.each(['perfect', 'natural'] as const)('a %s model, which goes a right way,', (quality) => {
  test.each(languages)('passes every task in the language %s', async (lang) => {
    const only = ownTasks().flatMap((task) => (task.lang === lang ? [task.id] : []))
    const [done] = await evaluate(settings(), wantedIn(out, { sites, qualities: [quality], only }))
    expect(faultsIn(done as Done)).toEqual([])
    const marked = done?.report.tasks.flatMap(({ id, attempts }) =>
      attempts.flatMap(({ marks = [] }) => marks.map((mark) => `${id}: ${mark}`)),
    )
    expect(marked, 'a right answer has no mark').toEqual([])
    expect(done?.report.summary.attempts).toBe(only.length)
  })
})
