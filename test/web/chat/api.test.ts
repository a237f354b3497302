import { afterEach, expect, test, vi } from 'vitest'
import { Api, Bearer } from '../../../web/chat/api.ts'

afterEach(() => {
  vi.unstubAllGlobals()
})

test('only a request that changes something carries the CSRF token, so a redirected download needs no preflight', async () => {
  const sent: [string, string, string | null][] = []
  vi.stubGlobal('fetch', async (url: string, { method, headers }: RequestInit) => {
    sent.push([`${method}`, new URL(url).pathname, new Headers(headers).get('x-csrf-token')])
    return Response.json({ user: { uid: 2 }, csrfToken: 'token' })
  })
  const api = new Api('https://chat.example', false)

  await api.session()
  await api.get('/status')
  await api.post('/conversations/create', {})
  await api.download('/conversations/export', {})

  expect(sent).toEqual([
    ['GET', '/backend/session', null],
    ['GET', '/ai-chat/status', null],
    ['POST', '/ai-chat/conversations/create', 'token'],
    ['GET', '/ai-chat/conversations/export', null],
  ])
})

/** A bearer whose exchange the test answers, with the renewal that it has begun. */
function renewing() {
  const exchange = Promise.withResolvers<{ token: string; lastsSeconds: number }>()
  const bearer = new Bearer(() => exchange.promise)
  bearer.take(null, async () => 'statement')
  const ready = bearer.ready()
  return { bearer, ready, answer: () => exchange.resolve({ token: 'renewed', lastsSeconds: 3_600 }) }
}

test('a renewal that ends after the logout brings no token back', async () => {
  const { bearer, ready, answer } = renewing()
  bearer.forget()
  answer()
  await ready.catch(() => undefined)

  expect(bearer.token).toBeNull()
})

test('a renewal that ends late does not replace the token that the page gave meanwhile', async () => {
  const { bearer, ready, answer } = renewing()
  bearer.take('given', null)
  answer()
  await ready

  expect(bearer.token).toBe('given')
})
