import { beforeAll, expect, test } from 'vitest'
import { config } from '../../core/base/config.ts'
import { apply } from '../../core/stage/settings/settings.ts'
import { handler } from '../../functions/backend.ts'
import { contentSecurityPolicy, localHeaders } from '../../infra/headers.ts'
import { seed } from '../../infra/local/seed/seed.ts'
import { call } from '../support/call.ts'
import { settings } from '../support/settings.ts'

/** Headers of a deployed stage alone: the local one has no TLS. */

process.env.AI_CHAT_LOCAL = 'false'
const bucket = 'https://files.s3.example'

beforeAll(async () => {
  await seed({ table: config().cmsTable as string }, Date.now())
  await apply(settings())
})

/** The directives of a Content-Security-Policy. */
function directives(policy: string): Record<string, string[]> {
  const parts = policy.split('; ').map((part) => part.split(' '))
  return Object.fromEntries(parts.map(([name, ...sources]) => [name, sources]))
}

test('a page may run, load and reach nothing but its stage and its bucket', () => {
  expect(directives(contentSecurityPolicy({ bucket }))).toEqual({
    'default-src': ["'none'"],
    'script-src': ["'self'"],
    'style-src': ["'self'"],
    'img-src': ["'self'", bucket, 'data:', 'blob:'],
    'font-src': ["'self'"],
    'connect-src': ["'self'", bucket],
    'manifest-src': ["'self'"],
    'form-action': ["'self'"],
    'base-uri': ["'none'"],
    'frame-ancestors': ["'none'"],
  })
})

test('only the pages that the stage names may show it in a frame', () => {
  const policy = contentSecurityPolicy({ frameAncestors: ['https://cms.example'] })
  expect(directives(policy)['frame-ancestors']).toEqual(['https://cms.example'])
})

test('no type is guessed, and no address leaks', () => {
  expect(localHeaders).toMatchObject({
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'same-origin',
    'cross-origin-opener-policy': 'same-origin',
  })
})

test('the cookie of a deployed stage needs TLS, and neither scripts nor other sites get it', async () => {
  const { cookies } = await call(handler, '/backend/login', {
    body: { username: 'editor', password: 'demo' },
  })
  expect(cookies).toEqual([
    expect.stringMatching(
      /^__Host-be_session=[^;]+; Max-Age=43200; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
    ),
  ])
})

test('a deployed stage takes no cookie that a host beside it could have set', async () => {
  const { cookies = [] } = await call(handler, '/backend/login', {
    body: { username: 'editor', password: 'demo' },
  })
  const [cookie = ''] = cookies[0]?.split(';') ?? []
  const statusWith = async (given: string) =>
    (await call(handler, '/backend/session', { cookies: [given] })).status
  expect(await statusWith(cookie)).toBe(200)
  expect(await statusWith(cookie.replace('__Host-', ''))).toBe(401)
})

test('a deployed stage lists no users to log in as', async () => {
  expect((await call(handler, '/backend/demo-users')).body).toEqual({ users: [], isElsewhere: false })
})
