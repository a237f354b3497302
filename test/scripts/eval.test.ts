import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Cms } from '../../core/cms/cms.ts'
import { seededCms } from '../support/cms.ts'
import { serveCms } from '../support/cms-server.ts'
import { standingIn } from '../support/evaluation.ts'
import { type MessagesApi, startMessagesApi } from '../support/messages-api.ts'

/** The code with which the command ends tells CI what happened. */

let folder: string
let api: MessagesApi
beforeAll(async () => {
  api = await startMessagesApi({ key: 'the right key' })
  folder = await mkdtemp(join(tmpdir(), 'eval-'))
})
afterAll(async () => {
  await api.stop()
  await rm(folder, { recursive: true })
})

async function ended(given: string[], over: NodeJS.ProcessEnv = {}, begun = (_: ChildProcess) => {}) {
  const env = { PATH: process.env.PATH, AI_CHAT_DATA: join(folder, 'data'), ...over }
  const line = ['--no-warnings', 'scripts/eval.ts', '--out', folder, '--repeats', '1', ...given]
  const child = spawn(process.execPath, line, { env, stdio: ['ignore', 'ignore', 'pipe'] })
  begun(child)
  const stderr = text(child.stderr)
  const code = await new Promise((done) => child.on('close', done))
  return { code, stderr: await stderr }
}

test.each<[string, number, string[], string]>([
  [
    'a lower bound below --least',
    1,
    ['--only', 'find-price-en', '--least', '0.9'],
    'The pass rate may be below 0.9',
  ],
  [
    'a task that there is not',
    2,
    ['--only', 'find-all'],
    'There is no task and no kind of the name find-all.',
  ],
  ['--cms without a user', 2, ['--cms'], '--cms needs --user'],
  ['--user without --cms', 2, ['--user', '7'], '--cms needs --user'],
  ['--consent without --replay', 2, ['--consent', 'x'], '--replay needs --consent'],
  ['a prompt that is not there', 2, ['--prompt', 'none'], 'none cannot be read'],
  ['a baseline that is not there', 2, ['--baseline', 'none'], 'none cannot be read'],
  ['a recording that is not there', 2, ['--replay', 'none', '--consent', 'x'], 'none cannot be read'],
  ['--cms on a stage without one', 2, ['--cms', '--user', '1'], 'This stage is connected to no CMS'],
])('%s ends it with %d', async (_, wanted, given, sentence) => {
  const { code, stderr } = await ended(given)
  expect(stderr).toContain(sentence)
  expect(code).toBe(wanted)
})

test('a provider that refuses the key ends it with 3', async () => {
  const provider = { ANTHROPIC_API_KEY: 'a wrong key', ANTHROPIC_BASE_URL: api.url }
  const { code, stderr } = await ended(['--only', 'find-price-en'], provider)
  expect(stderr).toBe('No task can be done: model.unauthorized. Is the key of the provider set?\n')
  expect(code).toBe(3)
})

test('with --cms it does its tasks in the CMS that the stage is connected to, and Ctrl-C takes back what it made', async () => {
  const { cms, table } = await seededCms(Date.now())
  let changed = () => {}
  const put: Cms['put'] = async (actor, question) => {
    const answer = await cms.put(actor, question)
    if (!('dry' in question)) changed()
    return answer
  }
  const server = await serveCms({ ...cms, put }, new Map([['ai-chat', 'the key of the line']]))
  const line = { AI_CHAT_CMS_URL: server.base, AI_CHAT_SECRET_CMS: 'the key of the line' }
  const given = ['--cms', '--user', '2', '--only', 'any-title-en']
  const before = await standingIn(table)

  const whole = await ended(given, line)
  expect(whole.stderr).toContain('natural 1/1 any-title-en: passed')
  expect(whole.code).toBe(0)
  expect(await standingIn(table)).toEqual(before)

  const stopped = await ended([...given, '--again'], line, (child) => {
    changed = () => void child.kill('SIGINT')
  })
  expect(stopped.stderr).toContain('The run was stopped.')
  expect(stopped.code).toBe(3)
  expect(await standingIn(table)).toEqual(before)
  await server.close()
})
