import { appendFile, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { pageOf } from '../../../scripts/eval/html-report.ts'
import {
  type About,
  type AttemptReport,
  differences,
  figuresOf,
  regressions,
  reportOf,
  wilson,
} from '../../../scripts/eval/report.ts'
import { keep, publish, readReport, resume } from '../../../scripts/eval/stored.ts'

const about = (over: Partial<About> = {}): About => ({
  name: 'model',
  provider: 'Provider',
  model: 'model-1',
  effort: null,
  thinking: null,
  maxTokens: 1_000,
  consent: null,
  release: '0.1.0',
  digest: 'digest',
  ...over,
})

const attempt = (over: Partial<AttemptReport> = {}): AttemptReport => ({
  task: 'one',
  repeat: 1,
  at: '2026-11-20T12:00:00.000Z',
  faults: [],
  opinion: null,
  rounds: 2,
  approvals: 0,
  usage: { input: 1_000, output: 100, cacheRead: 0, cacheWrite: 0 },
  microDollars: 3_000,
  ms: 1_500,
  tools: ['get_record'],
  answer: 'An answer',
  transcript: null,
  ...over,
})

const failed = (over: Partial<AttemptReport> = {}): AttemptReport =>
  attempt({
    faults: ['The answer lacks the figure 149.'],
    transcript: [
      { sequence: 0, role: 'assistant', content: '<b>129</b>', createdAt: '2026-11-20T12:00:00.000Z' },
    ],
    ...over,
  })

const tasks = [
  { id: 'one', kind: 'find' as const, lang: 'en' as const, messages: ['What & where?'] },
  { id: 'two', kind: 'change' as const, lang: 'de' as const, messages: ['Ändere es'] },
]
const run = (attempts: AttemptReport[], over: Partial<About> = {}) =>
  reportOf(about(over), tasks, attempts, { at: '2026-11-20T12:00:00.000Z', repeats: 2 })

test.each([
  [0, 0, [0, 1]],
  [0, 10, [0, 0.278]],
  [10, 10, [0.722, 1]],
  [5, 10, [0.237, 0.763]],
  [90, 100, [0.826, 0.945]],
])('the Wilson interval of %d of %d is %j', (passed, attempts, [low, high]) => {
  const [least, most] = wilson(passed, attempts)
  expect([least, most]).toEqual([expect.closeTo(low as number, 2), expect.closeTo(high as number, 2)])
})

describe('a report', () => {
  test('has the means and the interval of all, of each kind and of each task', () => {
    const report = run([attempt(), failed({ repeat: 2, ms: 500 }), attempt({ task: 'two' })])
    expect(report.summary).toEqual({
      attempts: 3,
      passed: 2,
      rate: 2 / 3,
      interval: wilson(2, 3),
      tokens: 1_100,
      microDollars: 3_000,
      ms: 3_500 / 3,
      rounds: 2,
    })
    expect(report.kinds).toEqual({
      find: figuresOf([attempt(), failed({ ms: 500 })]),
      change: figuresOf([attempt()]),
    })
    expect(report.tasks.map(({ id, figures }) => [id, figures.passed])).toEqual([
      ['one', 1],
      ['two', 1],
    ])
  })

  test('of a model without prices names no cost', () => {
    expect(run([attempt({ microDollars: null })]).summary.microDollars).toBeNull()
  })

  test('names what most attempts of the baseline passed and most of the run failed', () => {
    const before = run([attempt(), attempt({ repeat: 2 }), attempt({ task: 'two' })])
    const now = run([failed(), failed({ repeat: 2 }), attempt({ task: 'two' })])
    expect(regressions(now, before)).toEqual(['one'])
    expect(regressions(before, now)).toEqual([])
  })

  test('says by kind what is clearly better or worse than the baseline, and shows cost and time beside it', () => {
    const many = (of: typeof attempt) => Array.from({ length: 20 }, (_, at) => of({ repeat: at + 1 }))
    const [before, now] = [run(many(attempt)), run(many(failed))]
    expect(differences(now, before).find).toEqual({
      by: -1,
      interval: [expect.closeTo(-1, 1), expect.closeTo(-0.77, 1)],
      isClear: true,
    })
    expect(differences(now, now).find).toMatchObject({ by: 0, isClear: false })
    const page = pageOf(now, before)
    expect(page).toContain('−100 %')
    expect(page).toContain('>worse<')
    expect(page).toMatch(/<svg[^>]*aria-label="Cost and time of a task by kind"/)
    expect(page).toContain('$0.0030 before')
  })

  test('is a page with both runs, each failure with its transcript, and no markup of a model', () => {
    const page = pageOf(run([failed()]), run([attempt()], { name: 'before' }))
    expect(page).toContain('<th scope="col">Baseline</th>')
    expect(page).toContain('The answer lacks the figure 149.')
    expect(page).toContain('&lt;b&gt;129&lt;/b&gt;')
    expect(page).toContain('<pre>An answer</pre>')
    expect(page).toContain('What &amp; where?')
    expect(page).not.toMatch(/<b>129|<script|src=|http/)
  })
})

describe('the folder of a run', () => {
  const folders: string[] = []
  const folder = async () => {
    const path = await mkdtemp(join(tmpdir(), 'eval-'))
    folders.push(path)
    return path
  }
  afterEach(() => Promise.all(folders.splice(0).map((path) => rm(path, { recursive: true }))))

  test('gives a run that was stopped its attempts back, without the torn last one', async () => {
    const path = await folder()
    expect(await resume(path, about(), 0)).toEqual([])
    await keep(path, attempt())
    await keep(path, failed({ repeat: 2 }))
    await appendFile(join(path, 'attempts.jsonl'), '{"task":"two","rep')
    expect(await resume(path, about(), 0)).toEqual([attempt(), failed({ repeat: 2 })])
    await keep(path, attempt({ task: 'two' }))
    expect(await resume(path, about(), 0)).toEqual([
      attempt(),
      failed({ repeat: 2 }),
      attempt({ task: 'two' }),
    ])
  })

  test('gives nothing back that is older than asked for', async () => {
    const path = await folder()
    await resume(path, about(), 0)
    await keep(path, attempt())
    await keep(path, attempt({ repeat: 2, at: '2026-11-22T12:00:00.000Z' }))
    const fresh = await resume(path, about(), Date.parse('2026-11-21T00:00:00Z'))
    expect(fresh.map(({ repeat }) => repeat)).toEqual([2])
    expect(await resume(path, about(), 0)).toEqual(fresh)
  })

  test('gives a run of another subject nothing', async () => {
    const path = await folder()
    await resume(path, about(), 0)
    await keep(path, attempt())
    expect(await resume(path, about({ digest: 'other' }), 0)).toEqual([])
    expect(await resume(path, about(), 0)).toEqual([])
  })

  test('has the report as JSON, which is a baseline, and as a page', async () => {
    const path = await folder()
    const report = run([attempt()])
    const { json, page } = await publish(path, report, undefined)
    expect(await readReport(json)).toEqual(report)
    expect(await readFile(page, 'utf8')).toBe(pageOf(report))
    await expect(readReport(page)).rejects.toThrow('holds no report')
  })
})
