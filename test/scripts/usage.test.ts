import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { beforeAll, expect, test } from 'vitest'
import { dayOf } from '../../core/stage/usage/budget.ts'
import { bench, benched } from '../support/benched.ts'

/** What the command prints of the stage of this test. */

benched({ maxActiveConversations: null })

let day: string

beforeAll(async () => {
  bench.api.always({ text: 'Answer.' })
  day = dayOf(bench.clock.now())
  for (const name of ['editor', 'editor', 'admin'] as const) await (await bench.login(name)).turn('Hello')
})

const options = () => ['--from', day, '--to', day]

async function usage(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const run = promisify(execFile)(process.execPath, ['scripts/usage.ts', ...args], {
    env: { ...process.env, NO_COLOR: '1' },
  })
  return run.then(
    (ended) => ({ code: 0, ...ended }),
    ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
  )
}

test('a table has a line for each user, and one for all', async () => {
  const { code, stdout } = await usage(...options())

  expect(code).toBe(0)
  expect(stdout.split('\n').map((line) => line.trim().split(/ {2,}/))).toEqual([
    [`${day} to ${day}, UTC`],
    ['user', 'turns', 'failed', 'calls', 'input', 'output', 'cacheRead', 'cacheWrite', 'dollars'],
    ['admin [1]', '1', '0', '1', '100', '20', '0', '0', 'no prices'],
    ['editor [2]', '2', '0', '2', '200', '40', '0', '0', 'no prices'],
    ['all', '3', '0', '3', '300', '60', '0', '0', 'no prices'],
    ['Not in the dollars, because the settings have no prices: claude-sonnet-5-5'],
    [''],
  ])
})

test('of other days it says that there is nothing', async () => {
  const { code, stdout } = await usage('--from', '2020-01-01', '--to', '2020-01-02')

  expect(code).toBe(0)
  expect(stdout.trim().split('\n').at(-1)).toMatch(/^all( +0){7}$/)
})

test('as CSV it has a row for each day, user and model', async () => {
  const { stdout } = await usage(...options(), '--by', 'all', '--csv')

  expect(stdout.split('\r\n')).toEqual([
    'day,user,model,turns,failed,calls,input,output,cacheRead,cacheWrite,dollars',
    `${day},admin [1],claude-sonnet-5-5,1,0,1,100,20,0,0,`,
    `${day},editor [2],claude-sonnet-5-5,2,0,2,200,40,0,0,`,
    '',
  ])
})

test.each([
  [['--by', 'moon'], '--by is moon; it can be user, group, model, day or all.'],
  [['--from', '2026-13-01'], '--from is 2026-13-01; it has to be a day such as '],
  [['--weeks', '2'], "Unknown option '--weeks'"],
])('%j is a wrong call', async (args, sentence) => {
  const { code, stderr } = await usage(...args)

  expect(code).toBe(2)
  expect(stderr).toContain(sentence)
  expect(stderr).toContain('Usage: npm run usage -- [--by user|group|model|day|all]')
})
