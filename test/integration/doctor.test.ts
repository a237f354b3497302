import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { login } from '../support/http.ts'
import { command, type Stage, startStage } from '../support/stage.ts'

let stage: Stage

beforeAll(async () => {
  stage = await startStage()
})
afterAll(() => stage.remove())

/** What was found by the name of the check. */
const found = (stdout: string) =>
  Object.fromEntries(
    [...stdout.matchAll(/^ {2}(ok {2}|FAIL) {2}(\w+(?: \w+)?) {2,}(.*) \d+ ms$/gm)].map(
      ([, mark, name, told]) => [name, mark === 'FAIL' ? `FAIL ${told}` : 'ok'],
    ),
  )

const good = {
  configuration: 'ok',
  secret: 'ok',
  table: 'ok',
  queue: 'ok',
  'dead letters': 'ok',
  bucket: 'ok',
  CMS: 'ok',
  gateway: 'ok',
  'tool servers': 'ok',
  clock: 'ok',
  model: 'ok',
  'canary turn': 'ok',
}

test('a stage that works is proved from its table to one turn, which leaves nothing in the list', async () => {
  const { code, stdout } = await command(stage, 'doctor', '--stage', 'local')

  expect(found(stdout)).toEqual(good)
  expect(code).toBe(0)
  const admin = await login(stage.origin, 'admin')
  const { body } = await admin.get<{ conversations: unknown[] }>('/ai-chat/conversations')
  expect(body.conversations).toEqual([])
})

test('a turn that fails is reported with its reason, beside all that works', async () => {
  const { code, stdout } = await command(stage, 'doctor', '--user', '4')

  expect(found(stdout)).toEqual({ ...good, 'canary turn': 'FAIL failed with access.lost' })
  expect(code).toBe(1)
})

test('where no stage runs, a sentence says so', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'no-stage-'))
  const { code, stderr } = await command({ ...stage, env: { ...stage.env, AI_CHAT_DATA: folder } }, 'doctor')
  await rm(folder, { recursive: true })

  expect(stderr).toContain('No local stage runs')
  expect(code).toBe(1)
})
