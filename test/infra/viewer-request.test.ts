import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { answerPage } from '../../infra/local/pages.ts'
import { requestCode, responseCode } from '../../infra/viewer-request.ts'

type Headers = Record<string, { value: string }>
type Event = {
  request: { method: string; uri: string; headers: Headers }
  response: { headers: Headers }
  viewer: { ip: string }
}
type Answer = { statusCode: number; headers: Headers } | undefined

/** Runs code as CloudFront does: it changes the event, or answers in its place. */
const run = (code: string, event: Event): Answer => new Function('event', code)(event)

const event = (method: string, uri: string, headers: Record<string, string> = {}): Event => ({
  request: {
    method,
    uri,
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, { value }])),
  },
  response: { headers: {} },
  viewer: { ip: '2001:db8::7' },
})

const ask = (hasPages: boolean, ...asked: Parameters<typeof event>) => {
  const made = event(...asked)
  const answer = run(requestCode({ secret: 'only the Router knows', hasPages }), made)
  return { answer, request: made.request }
}

const html = 'text/html,application/xhtml+xml'
const json = 'application/json'

/** Who answers a request on a stage with pages: the site, the functions, or the edge itself. */
const requests: [method: string, path: string, accept: string, by: 'site' | 'functions' | 'edge'][] = [
  ['GET', '/', html, 'edge'],
  ['GET', '/backend', html, 'site'],
  ['GET', '/backend/', html, 'site'],
  ['GET', '/backend', '*/*', 'site'],
  ['HEAD', '/backend', html, 'site'],
  ['GET', '/backend/ai-chat/2-01ARZ3NDEKTSV4RRFFQ69G5FAV', html, 'site'],
  ['GET', '/backend/pages', html, 'site'],
  ['GET', '/backend/pages', json, 'functions'],
  ['GET', '/backend/session', json, 'functions'],
  ['GET', '/backend/chat.js', '*/*', 'site'],
  ['GET', '/backend/embed.js', '*/*', 'site'],
  ['GET', '/backend/assets/main-1a2b.css', 'text/css', 'site'],
  ['GET', '/backend/project-manifest.json', '*/*', 'site'],
  ['GET', '/backend/openapi.json', json, 'site'],
  ['GET', '/backend/chat.json', '*/*', 'functions'],
  ['POST', '/backend/login', json, 'functions'],
  ['POST', '/backend', html, 'functions'],
  ['GET', '/ai-chat/status', json, 'functions'],
  ['GET', '/ai-chat/status', html, 'functions'],
  ['POST', '/ai-chat/conversations/send', json, 'functions'],
  ['OPTIONS', '/ai-chat/conversations/send', '*/*', 'functions'],
  ['GET', '/backendless', html, 'functions'],
  ['GET', '/wp-login.php', html, 'functions'],
]

const published = ['project-manifest.json', 'openapi.json']

let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pages-'))
  await mkdir(join(folder, 'assets'))
  for (const name of ['index.html', 'chat.js', 'embed.js', 'assets/main-1a2b.css', ...published])
    await writeFile(join(folder, name), '')
})
afterAll(() => rm(folder, { recursive: true }))

describe.each(requests)('%s %s for %s', (method, path, accept, by) => {
  test(`is answered by the ${by}`, () => {
    const { answer, request } = ask(true, method, path, { accept })

    if (by === 'edge') return expect(answer).toMatchObject({ statusCode: 302 })
    expect(answer).toBeUndefined()
    expect(request.uri).toBe(by === 'functions' ? `/api${path}` : path)
  })

  test('goes the same way on the local stage', async () => {
    const local = await answerPage(folder, { method, path, accept, etag: undefined })

    expect(local !== undefined).toBe(by !== 'functions')
  })
})

test('the functions learn who the viewer is, whatever the viewer claims', () => {
  const { request } = ask(true, 'POST', '/backend/login', {
    'x-ai-chat-viewer': '192.0.2.1',
    'x-ai-chat-router': 'guessed',
  })

  expect(request.headers).toEqual({
    'x-ai-chat-viewer': { value: '2001:db8::7' },
    'x-ai-chat-router': { value: 'only the Router knows' },
  })
})

test.each([
  ['GET', '/', '/api/'],
  ['GET', '/backend', '/api/backend'],
  ['GET', '/backend/chat.js', '/backend/chat.js'],
  ['GET', '/backend/project-manifest.json', '/backend/project-manifest.json'],
])('a stage whose backend is elsewhere sends %s %s to %s', (method, path, to) => {
  const { answer, request } = ask(false, method, path, { accept: html })

  expect([answer, request.uri]).toEqual([undefined, to])
})

test.each([
  ['/backend/chat.js', '*'],
  ['/backend/assets/main-1a2b.css', '*'],
  ['/backend/index.html', undefined],
  ['/backend', undefined],
  ['/api/ai-chat/status', undefined],
])('%s may be loaded by pages of other sites: %s', (path, origin) => {
  const made = event('GET', path)
  run(responseCode, made)

  expect(made.response.headers['access-control-allow-origin']?.value).toBe(origin)
})
