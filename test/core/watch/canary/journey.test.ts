import { expect, test } from 'vitest'
import { systemClock } from '../../../../core/base/clock.ts'
import { config } from '../../../../core/base/config.ts'
import { wire } from '../../../../core/ports.ts'
import { journey } from '../../../../core/watch/canary/journey.ts'
import { http } from '../../../../functions/http/http.ts'
import { sessionRoutes } from '../../../../functions/routes/session.ts'
import { bench, benched, editor } from '../../../support/benched.ts'
import { call } from '../../../support/call.ts'
import { chatRoutes } from '../../../support/chat-routes.ts'
import { model } from '../../../support/settings.ts'

/** What a canary leaves on a stage; the whole visit is in test/integration/doctor.test.ts. */

const rates = (input: number) => ({ input, output: 5 * input, cacheRead: 0, cacheWrite: 0 })
benched({
  models: [
    model({ modelId: 'claude-sonnet-5-5', prices: rates(2) }),
    model({ uid: 2, modelId: 'claude-haiku-4-5', prices: rates(1) }),
  ],
})

/** The functions with the login of the reference backend. */
const handler = http({ ...sessionRoutes, ...chatRoutes }, () => ({ ...wire(), ...bench.live }))

/** `fetch` of the canary, which sends its cookies as a browser does. */
const ask: typeof fetch = async (address, init = {}) => {
  const { pathname, search } = new URL(String(address))
  const { cookie, ...headers } = Object.fromEntries(new Headers(init.headers))
  const { status, body, ...answer } = await call(handler, `${pathname}${search}`, {
    ...(init.body !== undefined && { body: JSON.parse(String(init.body)) }),
    headers,
    cookies: cookie?.split('; ') ?? [],
  })
  const sent = answer.cookies.map((one): [string, string] => ['set-cookie', one])
  return new Response(status === 204 ? null : JSON.stringify(body), { status, headers: sent })
}

test('a canary knows its conversation where a model writes the titles, and removes it', async () => {
  process.env.AI_CHAT_SECRET_CANARY = 'demo'
  const visit = { who: { username: 'editor' }, page: 3, turns: true, origin: config().origin, ask }
  const checks = journey({ ...visit, clock: systemClock })
  const prove = (name: string) => checks.find((check) => check.name === name)?.prove()
  const titles = async () => {
    const { body } = await editor.get<{ conversations: { title: string }[] }>('/conversations')
    return body.conversations.map(({ title }) => title)
  }
  bench.api.reply({ text: 'At seven.' }, { text: 'The song of the canary' })

  await prove('login')
  await prove('send')
  await bench.settle()

  expect(await titles()).toEqual(['Canary check: when does the canary sing?'])
  expect(await prove('removal')).toBe('1 conversations, and the session')
  expect(await titles()).toEqual([])
})
