import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Clock, systemClock } from '../../core/base/clock.ts'
import type { ListAnswer } from '../../core/chat/request.ts'
import { journey } from '../../core/watch/canary/journey.ts'
import { prove } from '../../core/watch/canary/proof.ts'
import { type Client, login } from '../support/http.ts'
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
  'tokens today': 'ok',
  clock: 'ok',
  model: 'ok',
  prices: 'ok',
  'model end': 'ok',
  'canary turn': 'ok',
}

test('a stage that works is proved from its table to one turn, which leaves nothing in the list', async () => {
  const { code, stdout, stderr } = await command(stage, 'doctor', '--stage', 'local')

  expect(found(stdout)).toEqual(good)
  expect(stderr).toBe('')
  expect(code).toBe(0)
  const admin = await login(stage.origin, 'admin')
  const { body } = await admin.get<{ conversations: unknown[] }>('/ai-chat/conversations')
  expect(body.conversations).toEqual([])
})

test('a user outside the groups is named with them, beside all that works', async () => {
  const { code, stdout } = await command(stage, 'doctor', '--user', '4')

  expect(found(stdout)).toEqual({
    ...good,
    'canary turn':
      'FAIL user guest is in none of the groups 1, 2; name another one with --user, or allow a group of the user',
  })
  expect(code).toBe(1)
})

test('where no stage runs, a sentence says so', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'no-stage-'))
  const { code, stderr } = await command({ ...stage, env: { ...stage.env, AI_CHAT_DATA: folder } }, 'doctor')
  await rm(folder, { recursive: true })

  expect(stderr).toContain('No local stage runs')
  expect(code).toBe(2)
})

describe('over HTTP, as a user of the stage', () => {
  const http = (...args: string[]) =>
    command(
      { env: { PATH: stage.env.PATH, NO_COLOR: '1', AI_CHAT_SECRET_CANARY: 'demo' } },
      'doctor',
      '--http',
      stage.origin,
      ...args,
    )
  const names = [
    'pages',
    'login',
    'status',
    'upload',
    'direct upload',
    'send',
    'poll',
    'approve',
    'export',
    'removal',
  ]

  test('a stage that works is proved without any right on it, and nothing is left', async () => {
    const { code, stdout } = await http('--as', 'editor', '--page', '3')

    expect(found(stdout)).toEqual(Object.fromEntries(names.map((name) => [name, 'ok'])))
    expect(code).toBe(0)
    const editor = await login(stage.origin, 'editor')
    expect(await left(editor)).toEqual([])
    const { body: page } = await editor.get('/backend/records/pages/3')
    expect(JSON.stringify(page)).not.toContain('Canary')
  })

  /** The titles of what the canary left; the seed has a conversation of its own. */
  async function left(user: Client): Promise<string[]> {
    const { body } = await user.get<ListAnswer>('/ai-chat/conversations')
    return body.conversations.map(({ title }) => title).filter((title) => title !== 'Legacy conversation')
  }

  /** The time of this machine, in which a canary looks more often. */
  const hasty: Clock = { now: Date.now, sleep: (ms) => systemClock.sleep(ms / 20) }

  /** A visit whose requests go through `spoil` on their way; what failed, by the name of the check. */
  async function visit(
    spoil: (method: string, path: string) => Response | undefined,
    page: number | string = 3,
    turns = true,
  ): Promise<Record<string, string>> {
    process.env.AI_CHAT_SECRET_CANARY = 'demo'
    const ask: typeof fetch = async (address, init) => {
      const { pathname } = new URL(String(address))
      return spoil(init?.method ?? 'GET', pathname) ?? fetch(address, init)
    }
    const findings = await prove(
      journey({ who: { username: 'editor' }, page, turns, origin: stage.origin, ask, clock: hasty }),
    )
    return Object.fromEntries(
      findings
        .filter(({ outcome }) => outcome !== 'good')
        .map(({ name, outcome, detail }) => [name, `${outcome}: ${detail}`]),
    )
  }
  const broken =
    (...requests: string[]) =>
    (method: string, path: string) =>
      requests.includes(`${method} ${path}`)
        ? new Response('<h1>Bad gateway</h1>', { status: 502 })
        : undefined
  const answered = (request: string, wanted: number) => `failed: ${request} answered 502 instead of ${wanted}`

  test('each part that is broken is named, and keeps no other from being tried', async () => {
    const found = await visit(
      broken(
        'GET /backend/chat.js',
        'GET /ai-chat/status',
        'GET /ai-chat/conversations/export',
        'POST /ai-chat/conversations/approve',
        'POST /backend/logout',
      ),
    )

    expect(found).toEqual({
      pages: 'failed: /backend/chat.js answered 502 with "text/plain;charset=UTF-8"',
      status: answered('GET /ai-chat/status', 200),
      approve: answered('POST /ai-chat/conversations/approve', 202),
      export: 'failed: GET /ai-chat/conversations/export answered 502, and not with the conversation',
      removal: 'failed: POST /backend/logout answered 502',
    })
  })

  test.each<[string, Record<string, string>]>([
    ['POST /backend/login', { login: answered('POST /backend/login', 200) }],
    [
      'POST /ai-chat/file-upload',
      {
        upload: answered('POST /ai-chat/file-upload', 201),
        'direct upload': answered('POST /ai-chat/file-upload', 200),
      },
    ],
    ['POST /store/files', { 'direct upload': 'failed: The store answered 502 to the upload' }],
    ['POST /ai-chat/conversations/send', { send: answered('POST /ai-chat/conversations/send', 202) }],
    ['GET /ai-chat/conversations/messages', { poll: answered('GET /ai-chat/conversations/messages', 200) }],
  ])('%s that is broken is found', async (request, failed) => {
    expect(await visit(broken(request))).toMatchObject(failed)
  })

  test('a visit without turns asks no model, and leaves the conversation of one with turns alone', async () => {
    const editor = await login(stage.origin, 'editor')
    await visit(broken('POST /ai-chat/conversations/delete'))
    const asked: string[] = []
    const spoil = (method: string, path: string) => {
      asked.push(`${method} ${path}`)
      return undefined
    }

    expect(await visit(spoil, 3, false)).toEqual({})
    expect(asked.filter((request) => /send|upload|delete/.test(request))).toEqual([])
    expect(await left(editor)).toEqual(['Canary check: when does the canary sing?'])
    await visit(() => undefined)
  })

  test('what a canary left that died is removed by the next one', async () => {
    const editor = await login(stage.origin, 'editor')
    await visit(broken('POST /ai-chat/conversations/delete'))

    expect(await left(editor)).toEqual(['Canary check: when does the canary sing?'])
    expect(await visit(() => undefined)).toEqual({})
    expect(await left(editor)).toEqual([])
  })

  test('a page without its security headers is found, and a proposal that is not made', async () => {
    const bare = (_: string, path: string) =>
      path === '/backend/chat.js'
        ? new Response('import("./assets/a.js")', { headers: { 'content-type': 'text/javascript' } })
        : undefined

    expect(await visit(bare, 4711)).toEqual({
      pages: "failed: /backend/chat.js has no content-security-policy: default-src 'none'",
      approve: 'failed: The model proposed no change',
    })
  })
})
