import { beforeAll, expect, test } from 'vitest'
import { config } from '../../core/base/config.ts'
import { apply } from '../../core/stage/settings/settings.ts'
import { handler } from '../../functions/backend.ts'
import { handler as send } from '../../functions/send.ts'
import { seed } from '../../infra/local/seed/seed.ts'
import { call } from '../support/call.ts'
import { settings } from '../support/settings.ts'

/** A stage whose Router has a secret, as every deployed one has. */

const secret = 'what only the Router knows'
process.env.AI_CHAT_SECRET_ROUTER = secret

type Failure = { error: { code: string } }

beforeAll(async () => {
  await seed({ table: config().cmsTable as string }, Date.now())
  await apply(settings())
})

test.each([
  ['without proof', {}],
  ['with a guess of the same length', { 'x-ai-chat-router': secret.replace('what', 'that') }],
  ['with a shorter guess', { 'x-ai-chat-router': 'what' }],
])(
  'a request that went past the Router %s is refused, whatever it asks',
  async (_what, headers: Record<string, string>) => {
    const login = { body: { username: 'editor', password: 'demo' }, headers }

    expect(await call<Failure>(handler, '/backend/session', { headers })).toMatchObject({
      status: 403,
      body: { error: { code: 'access.denied' } },
    })
    expect(await call(handler, '/backend/login', login)).toMatchObject({ status: 403, cookies: [] })
    expect(
      await call(send, '/ai-chat/conversations/send', { body: { content: 'Hi' }, headers }),
    ).toMatchObject({
      status: 403,
    })
  },
)

test('a login is counted by the viewer address that the Router names', async () => {
  const behind = (viewer: string, password: string) =>
    call<Failure>(handler, '/backend/login', {
      body: { username: 'guest', password },
      headers: { 'x-ai-chat-viewer': viewer, 'x-ai-chat-router': secret },
    })
  for (let n = 0; n < 10; n++) await behind('2001:db8::1', 'wrong')

  expect((await behind('2001:db8::1', 'demo')).body.error.code).toBe('login.throttled')
  expect((await behind('2001:db8:0:1::1', 'demo')).status).toBe(200)
})
